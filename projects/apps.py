from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "projects"
    verbose_name = "Projects"

    def ready(self) -> None:
        # Connects the signals of Celery workers.
        from projects import workers  # noqa: F401
