"""With letters nothing that a link leads to says who the raters are."""

import pytest

from projects.models import Question
from tests.reports.sharing.reader import everything_behind, shared
from tests.reports.sharing.worlds import AN_ID, NAMES, new_report

KINDS = list(Question.Kind.values)


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_or_file_names_a_rater(lead, kind):
    report = new_report(kind, lead)
    _, address = shared(report, shows_items=True, allows_export=True)

    found = dict(everything_behind(address))

    told = {
        (word, here.removeprefix(address))
        for here, text in found.items()
        for word in (*NAMES, lead.username)
        if word.casefold() in (here + text).casefold()
    }
    assert not told
    assert not [here for here, text in found.items() if AN_ID.search(here + text)]
    assert len(found) > 20


@pytest.mark.parametrize("kind", KINDS)
def test_without_items_none_is_named(lead, kind):
    report = new_report(kind, lead)
    _, address = shared(report, allows_export=True)

    found = dict(everything_behind(address))

    told = {
        (word, here.removeprefix(address))
        for here, text in found.items()
        for word in ("itemkey", "wordsof", "/items/")
        if word in here + text
    }
    assert not told
    assert len(found) > 15
