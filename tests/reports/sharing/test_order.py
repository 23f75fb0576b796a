"""With letters a report tells nothing of the order in which raters joined, or of how their names are sorted."""

import re
from itertools import islice

import pytest

from projects.models import Question
from raters.models import Rater
from reports.models import ReportLink
from tests.reports.sharing.reader import everything_behind, shared
from tests.reports.sharing.worlds import NAMES, new_report
from tests.sizes import size, some

# What differs between two reports on the same labels, whoever the raters are.
OWN = [
    (re.compile(r"shared-[0-9a-f]+", re.IGNORECASE), "PROJECT"),
    (re.compile(r"/agreement/\d+/(\d+/)?"), "/REPORT/"),
    (re.compile(r"report[ -]\d+"), "REPORT"),
    (re.compile(r"\d+ (?:Nov|Dec|Jan)\w* \d{4}[^<·]*"), "DATE"),
    (re.compile(r"computed .* in .* ·"), "COMPUTED"),
    (re.compile(r'title="[0-9a-f]{64}"'), "DIGEST"),
    (re.compile(r"<code[^>]*>[0-9a-f]{8}</code>"), "DIGEST"),
    (re.compile(r'href="(?!\?|#)\d+/"'), "QUESTION"),
]
# The same people by names that sort the other way around.
ALIASES = dict(zip(sorted(NAMES), ("Zebra", "Yucca", "Xenon", "Walnut"), strict=True))
LETTERED = ("Montezuma", "Zuckermann", "Quillfeather", "Featherstone")
MOST = size(90, 25)


@pytest.mark.parametrize("kind", some([kind.value for kind in Question.Kind if kind.is_compared], every=3))
def test_the_pages_are_the_same_for_all_raters(lead, kind):
    """Two projects whose raters say the same and join in opposite orders, by other names."""
    one, other = (
        pages_of(new_report(kind, lead, people=people, called=called))
        for people, called in ((NAMES, {}), (NAMES[::-1], ALIASES))
    )

    assert sorted(one) == sorted(other)
    for page, text in one.items():
        assert text == other[page], page


def pages_of(report) -> dict[str, str]:
    """What the first pages say, without what is the report's own."""
    link, address = shared(report, shows_items=True)
    ids = dict(Rater.objects.filter(project=report.project).values_list("key", "pk"))
    # Of both the same person is A.
    letters = [ids.get(name) or ids[ALIASES[name]] for name in LETTERED]
    ReportLink.objects.filter(pk=link.pk).update(letters=letters)
    found = {}
    for here, text in islice(everything_behind(address), MOST):
        page = without_own(here.removeprefix(address))
        found[page] = without_own(text.replace(address, "/"))
    return found


def without_own(text: str) -> str:
    for pattern, word in OWN:
        text = pattern.sub(word, text)
    # A number of one digit more makes a page longer, too.
    return re.sub(r"(?:X-Request-ID|Content-Length)', '[^']*'", "", text)
