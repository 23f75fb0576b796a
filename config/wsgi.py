"""The WSGI application that gunicorn serves."""

import os
from importlib import import_module
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from config.metrics.serving import Application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application: "Application" = get_wsgi_application()

from config.checks import stop_unless_safe  # noqa: E402  (needs Django set up)
from config.metrics.serving import with_metrics  # noqa: E402
from config.pooling import share_connections  # noqa: E402

stop_unless_safe()
application = with_metrics(application)
if settings.WEB_CONNECTIONS:
    share_connections(settings.WEB_CONNECTIONS)

# Before the server forks: otherwise each process would import every page on its first request.
import_module("config.urls")
