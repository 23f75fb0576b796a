from django.apps import AppConfig


class RatersConfig(AppConfig):
    name = "raters"

    def ready(self) -> None:
        from raters import signals  # noqa: F401  (connects the log to what it tells of)
