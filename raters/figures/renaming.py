"""Deletes the stored figures of a project whose rater was renamed: they contain names, also those of a search."""

from typing import Any

from django.dispatch import receiver

from raters.models import Rater, StoredFigures
from raters.renaming import raters_renamed


@receiver(raters_renamed)
def forget_figures(sender: Any, rater: Rater, **_more: Any) -> None:
    """A worker that is counting cannot write what it has read before."""
    StoredFigures.objects.filter(project=rater.project_id).delete()
