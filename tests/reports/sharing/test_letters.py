"""With letters nothing that a link leads to says who the raters are."""

import pytest

from tests.reports.gallery import on_show
from tests.reports.sharing.reader import everything_behind, shared
from tests.reports.sharing.worlds import AN_ID, NAMES, OF_KIND


@pytest.fixture(params=OF_KIND.values(), ids=OF_KIND.keys())
def report_of_kind(request, lead):
    with on_show(request.param, lead) as report:
        yield report


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
