from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config import checks  # noqa: F401  (registers the checks)
        from config.collector import keep_what_is_loaded

        keep_what_is_loaded()
