"""Updates the rater keys kept in reports when a rater is renamed."""

from typing import Any

from django.dispatch import receiver

from raters.accounts.erasing import renamed
from raters.models import Rater
from raters.renaming import raters_renamed
from reports.models import OnDemandFigures, QuestionAgreement, Report, ReportShard


@receiver(raters_renamed)
def rename_in_reports(sender: Any, rater: Rater, old: str, **_more: Any) -> None:
    """Replace the old key in reports. Figures do not change: they are computed by ID."""
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
    # Shards have keys in what they were given and in what they found. Their report starts over.
    ReportShard.objects.filter(report__project=rater.project_id).delete()
    # On-demand figures contain rater names in sentences, and are recomputed on request.
    OnDemandFigures.objects.filter(agreement__report__project=rater.project_id).delete()
