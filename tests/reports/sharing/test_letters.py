"""With letters nothing that a link leads to says who the raters are."""

from itertools import islice

import pytest
from django.test import Client

from reports.analysis.question import FilterJson
from reports.models import Report, ReportLink
from tests.reports.sharing.reader import everything_behind, shared
from tests.reports.sharing.worlds import AN_ID, NAMES, new_report
from tests.sizes import only_in_full


def test_no_page_or_file_names_a_rater(report_of_kind):
    report = report_of_kind
    _, address = shared(report, shows_items=True, allows_export=True)

    found = dict(everything_behind(address))

    told = {
        (word, here.removeprefix(address))
        for here, text in found.items()
        for word in (*NAMES, report.asked_by.username)
        if word.casefold() in (here + text).casefold()
    }
    assert not told
    assert not [here for here, text in found.items() if AN_ID.search(here + text)]
    assert len(found) > 20


@only_in_full
def test_without_items_none_is_named(report_of_kind):
    _, address = shared(report_of_kind, allows_export=True)

    found = dict(everything_behind(address))

    told = {
        (word, here.removeprefix(address))
        for here, text in found.items()
        for word in ("itemkey", "wordsof", "/items/")
        if word in here + text
    }
    assert not told
    assert len(found) > 15


@pytest.mark.parametrize("opens", ReportLink.Opens.values)
def test_whose_labels_a_report_is_limited_to_is_not_named(lead, opens):
    report = new_report("single", lead)
    ids = list(report.project.raters.values_list("pk", flat=True))
    only = FilterJson(raters=ids, items=None, words=f"raters {', '.join(NAMES)}")
    scope = report.scope | {"only": only}
    Report.objects.filter(pk=report.pk).update(scope=scope, codebook=report.codebook | {"only": only})
    report.refresh_from_db()
    _, address = shared(report, opens=opens, allows_export=True)

    pages = islice(everything_behind(address), 12)

    assert all(not [name for name in NAMES if name in text] and not AN_ID.search(text) for _, text in pages)
    assert "imited to 4 chosen raters" in Client().get(address, follow=True).content.decode()
