"""Reports by raters whose names nothing else has: of a single choice, and of each kind of question."""

from collections.abc import Iterator

import pytest

from reports.models import Report
from tests.reports.gallery import on_show
from tests.reports.sharing.worlds import multiple, number, single
from tests.sizes import some


@pytest.fixture
def single_report(lead) -> Iterator[Report]:
    with on_show(single, lead) as report:
        yield report


@pytest.fixture(params=some([single, multiple, number], every=3))
def report_of_kind(request, lead) -> Iterator[Report]:
    with on_show(request.param, lead) as report:
        yield report
