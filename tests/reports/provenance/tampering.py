"""How a superuser alters a history, and where its revisions stand."""

from contextlib import contextmanager

from core.models import HistoryEntry
from raters.models import LabelRevision
from tests.live import as_superuser


@contextmanager
def tampering(*tables):
    """A superuser with the triggers of these tables switched off."""
    with as_superuser() as superuser, superuser.transaction():
        for table in tables:
            superuser.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        yield superuser
        for table in tables:
            superuser.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL")


def revisions_of(project):
    """Of the entries that hold one revision, in their order."""
    single = HistoryEntry.objects.filter(project_id=project.pk, kind="R", n_rows=1)
    return list(LabelRevision.objects.filter(entry_id__in=single.values("pk")).order_by("id"))


def position_of(revision):
    return HistoryEntry.objects.get(pk=revision.entry_id).position
