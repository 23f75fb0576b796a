"""Links for reading a report without an account."""

from functools import cached_property

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from reports.models.reports import Report


class ReportLink(models.Model):
    """A link for reading one report without an account, until it expires or is revoked.

    The token is shown once and stored only as a hash. opens: one page with the main figures, as for all links of
    release 0.3.0 and earlier, or the pages of the report. letters: IDs of raters in the order of their letters; null if
    names are shown. shows_items: whether lists of items can be opened. allows_export: whether files can be downloaded.
    follows: whether it opens newer reports as well.
    """

    class Opens(models.TextChoices):
        SUMMARY = "summary", "One page with the main figures"
        REPORT = "report", "The whole report"

    report = models.ForeignKey(Report, models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    # The recipient, as described by the creator.
    note = models.CharField(max_length=200, blank=True)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    n_opened = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(db_default=Now(), editable=False)
    opens = models.CharField(max_length=7, choices=Opens, default=Opens.SUMMARY, db_default=Opens.SUMMARY)
    letters = models.JSONField(null=True)
    shows_items = models.BooleanField(default=False, db_default=False)
    allows_export = models.BooleanField(default=False, db_default=False)
    follows = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"link {self.pk} to {self.report}"

    @property
    def opens_pages(self) -> bool:
        return self.opens == self.Opens.REPORT

    @cached_property
    def report_ids(self) -> tuple[int, ...]:
        """The reports it opens, newest first: its own and, if it follows, later ones with equal scope and options."""
        of = self.report
        same = {"project": of.project_id, "scope": of.scope, "options": of.options, "state": of.State.DONE}
        newer = Report.objects.filter(**same, pk__gt=of.pk).order_by("-pk").only("pk") if self.follows else ()
        return (*(each.pk for each in newer), of.pk)
