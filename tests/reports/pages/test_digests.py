"""Pages name what a digest is of: the whole report or one question."""

import re

from django.urls import reverse

from tests.finished import finished_report
from tests.labeling import new_question
from tests.reports.looking import question_page


def digest_on(response) -> tuple[str, str]:
    [found] = re.findall(
        r'data-digest-of="(\w+)">[^<]*</span> <code title="(\w+)"', response.content.decode()
    )
    return found


def test_pages_name_what_a_digest_is_of(client, lead, own_cats):
    new_question(own_cats, key="second", categories="xy")
    report = finished_report(own_cats, lead)
    agreement = report.questions.first()

    whole = client.get(reverse("report", args=[own_cats.slug, report.pk]))
    exports = client.get(reverse("report_exports", args=[own_cats.slug, report.pk]))

    assert digest_on(whole) == digest_on(exports) == ("report", report.digest)
    assert digest_on(question_page(client, report)) == ("question", agreement.digest)
