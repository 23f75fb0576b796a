from allauth.usersessions.apps import UserSessionsConfig
from django.apps import AppConfig


class RatersConfig(AppConfig):
    name = "raters"
    default = True

    def ready(self) -> None:
        from core.runs.chores import look_after
        from projects.models import Webhook
        from projects.webhooks.event_queue import complete_with
        from raters import label_events, signals  # noqa: F401  (connects the log to what it tells of)
        from raters.adjudication import dispute_notifications
        from raters.audits import renaming as _of_audits  # noqa: F401  (connects audits to new names of raters)
        from raters.figures import renaming as _of_figures  # noqa: F401  (deletes figures with the former names)
        from raters.notifications import causes, mailing
        from raters.quality import watching
        from raters.rounds import adding_raters, deadline_reminders, reminding

        complete_with(Webhook.Event.LABELS_SAVED, label_events.complete)
        causes.connect()
        look_after(label_events.gather, every=label_events.EVERY)
        look_after(reminding.remind_of_deadlines, every=reminding.EVERY)
        look_after(adding_raters.add_raters, every=adding_raters.EVERY)
        look_after(watching.watch, every=watching.EVERY)
        look_after(dispute_notifications.look_for_disputes, every=dispute_notifications.EVERY)
        look_after(deadline_reminders.notify_of_deadlines, every=deadline_reminders.EVERY)
        look_after(mailing.gather_digests, every=mailing.EVERY)


class SessionsConfig(UserSessionsConfig):
    """Only the session table of django-allauth: `accounts.sessions` maintains it, without a write on each request."""

    default = False

    def ready(self) -> None:
        pass
