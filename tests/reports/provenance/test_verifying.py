"""Verifying a history by command, page and API (P4)."""

import pytest
from django.core.management import CommandError, call_command

from projects.models import Membership
from reports.store.history_verification import BadHead, parsed_head, verify_history
from tests import cast
from tests.reports.provenance.tampering import revisions_of, tampering


class TestCommand:
    def test_it_prints_the_head(self, chained_project, capsys):
        call_command("verify_history", chained_project.slug)

        assert verify_history(chained_project).head in capsys.readouterr().out

    def test_it_fails_with_the_first_rows(self, chained_project, capsys):
        altered = revisions_of(chained_project)[3]
        with tampering("raters_labelrevision") as superuser:
            superuser.execute("UPDATE raters_labelrevision SET user_id = 8 WHERE id = %s", [altered.pk])

        with pytest.raises(SystemExit):
            call_command("verify_history", chained_project.slug)

        assert f"Revision {altered.pk} " in capsys.readouterr().out

    @pytest.mark.parametrize("arguments", [[], ["nothing-of-the-kind"], ["x", "--site"]])
    def test_it_says_what_it_needs(self, committed_db, arguments):
        with pytest.raises(CommandError):
            call_command("verify_history", *arguments)

    def test_it_refuses_what_is_no_head(self, chained_project):
        with pytest.raises(CommandError, match="A head is"):
            call_command("verify_history", chained_project.slug, head="12:xyz")


@pytest.mark.parametrize(
    "text",
    ["x", "-1:", "\u0663:", "9" * 19 + ":", "9" * 5000 + ":", f"1:{'A' * 64}", "1:\0", f"1:{'a' * 63}"],
)
def test_what_is_no_head_is_refused_without_repeating_it(text):
    with pytest.raises(BadHead, match="128:") as refused:
        parsed_head(text)

    assert len(str(refused.value)) < 100


def test_page_and_api_name_the_row(chained_project, client):
    lead = cast.member(chained_project, Membership.Role.LEAD, username="lena", unique=True)
    client.force_login(lead)
    altered = revisions_of(chained_project)[3]
    page, api = f"/p/{chained_project.slug}/history/", f"/api/v1/projects/{chained_project.slug}/history/"
    head = client.get(api).json()["head"]
    assert head in client.get(page).content.decode()
    assert (
        client.post(f"{api}verify/", {"head": head}, content_type="application/json").json()["faults"] == []
    )
    with tampering("raters_labelrevision") as superuser:
        superuser.execute("UPDATE raters_labelrevision SET user_id = 8 WHERE id = %s", [altered.pk])

    told = client.post(f"{page}verify/", {"head": head})
    [fault] = client.post(f"{api}verify/", {}, content_type="application/json").json()["faults"]

    assert f"Revision {altered.pk} " in fault["sentence"]
    assert fault["sentence"] in told.content.decode()
    assert client.post(f"{page}verify/", {"head": "no head"}).status_code == 400
