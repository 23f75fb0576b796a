"""Replaces the key of a renamed rater in audits of their labels."""

from typing import Any

from django.db.models import Q
from django.dispatch import receiver

from raters.models import Audit, AuditedLabel, Rater
from raters.renaming import raters_renamed


@receiver(raters_renamed)
def rename_in_audits(sender: Any, rater: Rater, old: str, **_more: Any) -> None:
    """Certificates name no raters, so they stay as they were issued."""
    audits = Audit.objects.filter(Q(source=rater.project_id) | Q(project=rater.project_id))
    for audit in audits:
        AuditedLabel.objects.filter(audit=audit, rater=old).update(rater=rater.key)
        audit.groups = [
            each | {"value": rater.key} if each["by"] == "rater" and each["value"] == old else each
            for each in audit.groups
        ]
        if audit.stratify_by == "rater":
            audit.strata = [
                each | {"value": rater.key} if each["value"] == old else each for each in audit.strata
            ]
        raters = audit.population.get("raters")
        if raters is not None:
            audit.population["raters"] = [rater.key if each == old else each for each in raters]
        audit.save(update_fields=["groups", "strata", "population"])
