from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        from reports import renaming  # noqa: F401  (connects reports to what becomes of raters)
