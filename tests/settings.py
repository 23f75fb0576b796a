"""The settings of the program as the tests see them."""

from tests import services

services.prepare()

from config.settings import *

STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["tests.hashing.QuickHasher", *PASSWORD_HASHERS]
MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith("whitenoise")]
# A site of two pages, built or not.
HELP_ROOT = BASE_DIR / "tests" / "docs" / "site"
CALCULATOR = True
# So that a test finds what was sent.
MAIL_AFTER_ANSWER = False
