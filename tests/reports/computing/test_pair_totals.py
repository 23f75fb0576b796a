"""What pages need of all pairs is stored with a report, and the same as the pairs themselves say."""

import pytest
from django.db import connection
from django.db.models import Max, Min, Sum
from django.test.utils import CaptureQueriesContext

from raters.models import Rater
from reports.store.included_raters import counted_in
from reports.store.pair_totals import pair_totals
from tests.cast import signed_in
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.reports.looking import led_by

EVERY, WITHOUT_REFERENCE, TOO_FEW = 0, 1, 3


@pytest.mark.parametrize("n_references", [EVERY, WITHOUT_REFERENCE, TOO_FEW])
def test_totals_are_those_of_the_pairs_that_count(lead, n_references):
    project = led_by(lead, labeled_project("Totals", n_items=30, n_raters=4))
    references = project.raters.filter(key__lt=f"rater-{n_references:03}")
    Rater.objects.filter(pk__in=references).update(kind=Rater.Kind.REFERENCE)

    agreement = finished_report(project, lead).questions.get()

    pairs = agreement.pairs.all()
    if n_references == WITHOUT_REFERENCE:
        pairs = pairs.exclude(rater_a__kind="reference").exclude(rater_b__kind="reference")
    found = pairs.aggregate(n_shared=Sum("n"), low=Min("kappa"), high=Max("kappa"))
    assert agreement.pair_totals == {"n": pairs.count(), "n_undefined": 0, **found}
    agreement.pair_totals = None
    assert pair_totals(agreement, counted_in(agreement)) == {"n": pairs.count(), "n_undefined": 0, **found}


def test_no_page_adds_up_all_pairs(lead):
    project = led_by(lead, labeled_project("Pages", n_items=30, n_raters=4))
    report = finished_report(project, lead)
    client = signed_in(lead)
    address = f"{report.get_absolute_url()}{report.questions.get().question_id}/"

    for page in ("", "raters/", "categories/"):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address + page).status_code == 200
        of_pairs = [each["sql"] for each in queries if "reports_pairagreement" in each["sql"]]
        whole = [sql for sql in of_pairs if any(f"{name}(" in sql for name in ("SUM", "MIN", "COUNT"))]
        # Means of the raters shown count their own pairs.
        assert [sql for sql in whole if "GROUP BY" not in sql] == []
