from allauth.usersessions.apps import UserSessionsConfig
from django.apps import AppConfig


class RatersConfig(AppConfig):
    name = "raters"
    default = True

    def ready(self) -> None:
        from raters import signals  # noqa: F401  (connects the log to what it tells of)


class Sessions(UserSessionsConfig):
    """Only the table of django-allauth's sessions: `accounts.sessions` keeps it, without a write for each request."""

    default = False

    def ready(self) -> None:
        pass
