"""Of the matrix of access: items that one still labels, reached through what one may see."""

from collections.abc import Iterator

from django.urls import reverse

from projects.models import Round
from reports.models import Report
from tests.config.routes import ROWS
from tests.faults.matrix import RATES_TOO, Case, Outcome, Two, outcome_of, undone


def blinding(two: Two, number: int) -> Iterator[Case]:
    row = ROWS[number]
    if row.name in {"pair_item", "provenance"}:
        yield Case(
            number, f"{RATES_TOO}, by a report of another round", lambda: _by_another_report(two, number)
        )
    if row.name in {"threads", "api_threads", "api_inquiries"}:
        yield Case(
            number, f"{RATES_TOO}, with a question of another rater", lambda: _with_a_thread(two, number)
        )
    if row.name == "api_imports" and row.method == "post":
        yield Case(number, f"{RATES_TOO}, with a file of labels", lambda: _with_labels(two))


def _with_a_thread(two: Two, number: int) -> Outcome:
    """Another rater has asked about an item that this lead still labels, which tells what the other may think of it."""
    with undone():
        thread, _ = two.mine.item.threads.get_or_create(rater=two.mine.pair.rater_a)
        thread.messages.create(author=two.mine.people["rater"], text="Is this one spam?")
        row = ROWS[number]
        client = two.client(RATES_TOO)
        answer = client.get(reverse(row.name, args=row.args(two.mine)))
        return Outcome(answer.status_code, tells=b"Is this one spam?" in answer.content)
    raise AssertionError("not reached")


def _with_labels(two: Two) -> Outcome:
    """The preview of a file tells which of its labels are there already."""
    with undone():
        answer = two.client(RATES_TOO).post(
            reverse("api_imports", args=[two.mine.project.slug]) + "?dry_run=true",
            b"item,rater,label\nsome,somebody,yes\n",
            content_type="text/csv",
        )
        return Outcome(answer.status_code)
    raise AssertionError("not reached")


def _by_another_report(two: Two, number: int) -> Outcome:
    """The report hides nothing from them: its round has none of their items. What it leads to may have."""
    with undone():
        Round.objects.create(project=two.mine.project, key="elsewhere")
        report = two.mine.report
        Report.objects.filter(pk=report.pk).update(scope=report.scope | {"rounds": ["elsewhere"]})
        row = ROWS[number]
        return outcome_of(two, row, RATES_TOO, reverse(row.name, args=row.args(two.mine)))
    raise AssertionError("not reached")
