from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        from projects.codebook import shared_reports
        from raters.reporting import provide
        from reports import reporting

        # Connects reports to the app of raters.
        from reports.store import renaming  # noqa: F401

        provide(reporting)
        shared_reports.provide(reporting.shared_report)
