"""Reports keep the keys of raters; when a rater gets another key, they do too."""

from typing import Any

from django.dispatch import receiver

from raters.accounts.erasing import renamed
from raters.models import Rater
from raters.renaming import raters_renamed
from reports.models import OnDemandFigures, QuestionAgreement, Report


@receiver(raters_renamed)
def rename_in_reports(sender: Any, rater: Rater, old: str, **_more: Any) -> None:
    """The figures stay as they are: they are computed by ids."""
    names = {old: rater.key}
    for report in Report.objects.filter(project=rater.project_id):
        report.options = renamed(report.options, names)
        report.save(update_fields=["options"])
    for agreement in QuestionAgreement.objects.filter(raters__contains=[{"id": rater.pk}]):
        agreement.raters = [
            each | {"key": rater.key} if each["id"] == rater.pk else each for each in agreement.raters
        ]
        agreement.statistics = renamed(agreement.statistics, names)
        agreement.save(update_fields=["raters", "statistics"])
    # They name raters in sentences of their own, and are computed again when somebody asks.
    OnDemandFigures.objects.filter(agreement__report__project=rater.project_id).delete()
