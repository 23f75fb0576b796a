"""Verdicts and numbers of an audit in words."""

import re

import pytest

from reports.results.audits.audit_results import read_audit
from reports.results.audits.wording import in_whole_numbers, verdict_of
from tests import cast
from tests.reports.audits.audited import delivery, label, opened
from tests.reports.audits.test_audit_pages import page_of

pytestmark = pytest.mark.django_db


def test_a_verdict_names_the_labels_that_it_counts():
    made = delivery(n_items=100)
    audit = opened(made, aim="decide", sampling="single", acceptable="0.01", rejectable="0.1", n=None)
    label(audit)

    read = read_audit(audit)
    result, decision = read.result, read.result.decision

    # The plan rejects before the last label; all audited ones are in the estimate.
    assert decision.n < result.n_audited
    verdict = verdict_of(read)
    for number in (decision.n, decision.n_wrong, result.n_audited, result.n_wrong, result.n_population):
        assert re.search(rf"\b{number}\b", verdict)


@pytest.mark.parametrize(
    ("numbers", "total", "whole"),
    [([92.3, 21.7], 114, [92, 22]), ([33.4, 33.3, 33.3], 100, [34, 33, 33]), ([0.0, 5.0], 5, [0, 5])],
)
def test_whole_numbers_keep_their_sum(numbers, total, whole):
    assert in_whole_numbers(numbers, total) == whole


def test_each_row_of_given_labels_sums_to_its_known_number():
    made = delivery()
    audit = opened(made, n="20")
    label(audit)

    page = cast.signed_in(made.lead).get(page_of(audit))

    rows = [(row.name, sum(n for n, _ in row.cells), row.size) for row in page.context["confusion"]]
    assert rows == [("good", 70, 70), ("bad", 10, 10)]
