"""The pages of imports: upload, preview, confirm, and who may."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from projects.models import Project
from raters.models import Label, LabelImport
from raters.tasks import load_import
from tests import files
from tests.cast import signed_in
from tests.files import GOOD, confirm, hold, load, read_as, send


def test_upload_preview_confirm_load(client, project):
    draft_page = client.get(send(client, project, GOOD).url)
    draft = LabelImport.objects.get()
    assert b"Import 2 labels" in draft_page.content
    assert not Label.objects.exists()

    confirm(client, draft)
    waiting = client.get(draft.get_absolute_url())
    load_import(draft.pk)
    done = client.get(draft.get_absolute_url())

    assert b"Waiting to start" in waiting.content
    assert b"View agreement" in done.content
    assert files.answers(project) == [("a", "ann", "yes"), ("a", "ben", "no")]


def test_a_button_pressed_after_a_change_shows_the_change_first(client, project):
    send(client, project, b"item,rater,label\na,x,cold\nb,x,hot\n")
    draft = LabelImport.objects.get()
    seen = client.get(draft.get_absolute_url()).context["seen"]

    page = client.post(
        f"{draft.get_absolute_url()}confirm/",
        {"seen": seen, "layout": "long", "encoding": "auto", "value-0-0": "missing"},
        follow=True,
    )

    draft.refresh_from_db()
    assert (draft.state, draft.n_labels) == (LabelImport.State.DRAFT, 1)
    assert b"Import 1 label" in page.content


def test_the_same_file_leads_to_the_first_import_and_says_so(client, project):
    first = load(project, GOOD)

    answer = send(client, project, GOOD)

    page = client.get(answer.url)
    assert answer.url == first.get_absolute_url()
    assert b"This file was already imported" in page.content
    assert LabelImport.objects.count() == 1


def test_markup_in_a_file_is_text(client, project):
    answer = send(client, project, b"item,rater,label,<b>x</b>\n<script>1</script>,ann,<i>,z\n")

    page = client.get(answer.url).content
    assert b"<script>1" not in page
    assert b"<b>x" not in page


def test_a_file_that_is_too_large(client, project, settings):
    settings.IMPORT_MAX_BYTES = 1_000

    answer = send(client, project, GOOD * 1_000)

    assert answer.status_code == 413
    assert b"larger than 1,000 bytes" in answer.content
    assert not LabelImport.objects.exists()


def test_no_file(client, project):
    assert client.post(f"/p/{project.slug}/import/", {"what": "labels"}).status_code == 400


def test_a_token_is_needed(lead, project):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(lead)

    assert send(client, project, GOOD).status_code == 403
    assert not LabelImport.objects.exists()


def test_a_closed_project_takes_nothing(client, project):
    project.state = Project.State.CLOSED
    project.save()

    answers = [
        send(client, project, GOOD, what=what).status_code for what in ("labels", "items", "questions")
    ]

    assert answers == [409, 409, 409]
    assert not LabelImport.objects.exists()


def test_a_draft_is_given_up(client, project):
    send(client, project, GOOD)
    draft = LabelImport.objects.get()

    client.post(f"/p/{project.slug}/import/{draft.pk}/cancel/")

    draft.refresh_from_db()
    assert draft.state == LabelImport.State.CANCELLED
    assert not draft.chunks.exists()


@pytest.mark.parametrize("path", ["", "{pk}/", "{pk}/confirm/", "{pk}/cancel/"])
def test_who_may(path, project, lead, rita, auditor, adjudicator, stranger):
    send(signed_in(lead), project, GOOD)
    draft = LabelImport.objects.get()
    address = f"/p/{project.slug}/import/{path.format(pk=draft.pk)}"

    found = {
        user.username: signed_in(user).post(address).status_code
        for user in (rita, auditor, adjudicator, stranger)
    }

    assert found == {"rita": 403, "otto": 403, "ada": 403, "stella": 404}
    draft.refresh_from_db()
    assert draft.state == LabelImport.State.DRAFT


def test_an_import_of_another_project_is_not_found(client, project):
    other = Project.objects.create(name="Other", slug="other")
    foreign = load(other, GOOD)

    assert client.get(f"/p/{project.slug}/import/{foreign.pk}/").status_code == 404


@pytest.mark.parametrize("lock", [7_001, 7_002])
def test_an_upload_of_labels_does_not_wait_for_another_import(client, project, other, lock):
    hold(other, project, lock)

    answer = send(client, project, GOOD)

    assert answer.status_code == 302
    assert LabelImport.objects.get().n_created == 2


def test_a_confirmation_waits_but_not_for_long(client, project, other):
    send(client, project, GOOD)
    draft = LabelImport.objects.get()
    hold(other, project, 7_002)

    page = confirm(client, draft)

    assert b"Another import or change is running" in page.content
    draft.refresh_from_db()
    assert draft.state == LabelImport.State.DRAFT


def test_the_api_says_that_another_import_is_running(lead, project, other):
    hold(other, project, 7_002)

    answer = files.post_file(signed_in(lead), project, GOOD)

    assert (answer.status_code, answer.json()["error"]) == (409, "import_running")
    assert not LabelImport.objects.exists()


def test_what_is_confirmed_is_what_was_looked_at(client, project):
    send(client, project, b"item,rater,label,size\na,ann,yes,big\n")
    draft = LabelImport.objects.get()
    looked_at = client.get(draft.get_absolute_url())
    read_as(client, draft, role__2="ignore", role__3="label")

    stale = confirm(client, draft, page=looked_at)
    draft.refresh_from_db()
    state_then = draft.state
    fresh = confirm(client, draft)

    assert (
        b"The import settings were changed since you opened this page. Review the preview again."
        in stale.content
    )
    assert state_then == LabelImport.State.DRAFT
    assert b"Waiting to start" in fresh.content


def test_a_confirmation_that_does_not_say_of_what_is_refused(client, project):
    send(client, project, GOOD)
    draft = LabelImport.objects.get()

    client.post(f"{draft.get_absolute_url()}confirm/")

    draft.refresh_from_db()
    assert draft.state == LabelImport.State.DRAFT


def test_a_load_of_labels_keeps_the_turn_to_its_end(project, other):
    load(project, GOOD)

    free = other.execute("SELECT pg_try_advisory_lock(%s, %s)", [7_001, project.pk]).fetchone()

    assert free == (False,)


@pytest.mark.parametrize(
    ("timeouts", "code"),
    [
        ({"lock_timeout": "50ms"}, "locked"),
        ({"lock_timeout": "0", "statement_timeout": "50ms"}, "timed_out"),
    ],
)
def test_only_an_import_that_runs_is_called_one(lead, project, other, timeouts, code):
    """Somebody holds the rows, and no import runs: waiting for them, and taking too long, are two things."""
    with connection.cursor() as cursor:
        for name, value in timeouts.items():
            cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
    other.execute("LOCK TABLE raters_labelimport IN ACCESS EXCLUSIVE MODE")

    with transaction.atomic():
        answer = files.post_file(signed_in(lead), project, GOOD)

    assert (answer.status_code, answer.json()["error"]) == (503, code)
    assert "import" not in answer.json()["detail"]


@pytest.mark.parametrize(
    ("what", "content", "next_step"),
    [
        ("labels", GOOD, "agreement"),
        ("labels", b"item,rater,label\na,ann,yes\nb,ann,no\n", "rounds/new"),
        ("items", b"item,text\na,x\n", "codebook"),
        ("questions", b"question,labels\ntone,good|bad\n", "import"),
    ],
)
def test_after_an_import_comes_what_the_project_needs(client, project, what, content, next_step):
    send(client, project, content, what=what)
    draft = LabelImport.objects.get()
    confirm(client, draft)
    files.run_queued(project)

    page = client.get(draft.get_absolute_url())

    assert f'<a class="button primary" href="/p/{project.slug}/{next_step}/">' in page.content.decode()


ITEMS = b"item,text\na,hello\nb,bye\n"


def test_a_list_of_items_is_seen_to_be_one(client, project):
    client.get(send(client, project, ITEMS, what="").url)

    assert LabelImport.objects.get().kind == "items"


def test_what_a_file_holds_can_be_corrected(client, project):
    draft_page = send(client, project, ITEMS, what="").url

    client.post(draft_page, {"what": "labels", "encoding": "auto", "separator": "auto"})
    as_labels = LabelImport.objects.get()
    read = client.get(draft_page)
    client.post(draft_page, {"what": "items"})

    assert (as_labels.kind, as_labels.n_faults) == ("labels", 1)
    assert b'<option value="labels" selected>' in read.content
    draft = LabelImport.objects.get()
    assert (draft.kind, draft.n_faults, draft.n_created) == ("items", 0, 2)


def test_nothing_is_imported_as_something_that_was_not_previewed(client, project):
    draft_page = send(client, project, ITEMS, what="").url
    seen = client.get(draft_page).context["seen"]

    client.post(f"{draft_page}confirm/", {"seen": seen, "what": "questions"})

    draft = LabelImport.objects.get()
    assert (draft.kind, draft.state) == ("questions", LabelImport.State.DRAFT)
    assert not project.items.exists()


def test_every_format_looks_at_the_same_piece_of_the_file(client, project):
    with CaptureQueriesContext(connection) as asked:
        send(client, project, GOOD)

    read = [
        query for query in asked if query["sql"].startswith("SELECT") and "raters_importchunk" in query["sql"]
    ]
    # It is opened to be checked, and to be shown.
    assert 1 <= len(read) <= 3


def test_canceling_asks_first(client, project):
    send(client, project, GOOD)
    draft = LabelImport.objects.get()
    address = f"{draft.get_absolute_url()}cancel/"

    asked = client.get(address)
    draft.refresh_from_db()
    state = draft.state
    client.post(address)

    draft.refresh_from_db()
    assert asked.status_code == 200
    assert (state, draft.state) == (LabelImport.State.DRAFT, LabelImport.State.CANCELLED)
    assert client.get(address).url == draft.get_absolute_url()


def test_the_field_for_the_rater_stays_where_it_was_when_it_is_cleared(client, project):
    rows = "".join(f"{n},{n % 5 + 1},{'yes' if n % 2 else 'no'}\n" for n in range(20))
    send(client, project, f"item,clarity,relevant\n{rows}".encode(), name="ann.csv", what="")
    draft = LabelImport.objects.get()
    before = client.get(draft.get_absolute_url()).context["form"]

    read_as(client, draft, layout="wide", rater="")

    draft.refresh_from_db()
    after = client.get(draft.get_absolute_url()).context["form"]
    assert (before.options.rater, after.options.rater) == ("ann", "")
    assert (before.asks_for_rater(), after.asks_for_rater()) == (True, True)
