"""Which items are in dispute or were labeled with low confidence is told to nobody who still labels them."""

import json

import openpyxl
import pytest
from allauth.account.models import EmailAddress
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from projects.items.lists import make_list
from projects.models import Event, Membership, Round
from raters.actions import rater_of
from raters.models import AdaptiveOverlap, Assignment, Label, LabelImport
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.chosen_items import ItemChoice, ItemSource
from raters.rounds.plan_storage import plan_round
from raters.rounds.reminding import remind
from raters.rounds.round_plan import RoundPlan
from tests import cast
from tests.working import Work, answer, new_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def contested(project, lead) -> Work:
    """Two raters disagree on the first of three items; the lead still has to label all three."""
    work = new_work(project=project)
    for place, (first, second) in enumerate([("good", "bad"), ("good", "good"), ("bad", "bad")]):
        answer(work, first, place=place)
        answer(work, second, place=place, rater=1)
    Label.objects.filter(item=work.items[0]).update(confidence=0.25)
    rater = rater_of(project, lead)
    for item in work.items:
        Assignment.objects.create(rater=rater, item=item, round=work.round)
    return work


CHOICES = {
    "disputed": {"kind": "disputed"},
    "disputed in a round": {"kind": "disputed", "round": "round 1"},
    "confidence": {"kind": "confidence", "question": "tone", "at_most": 0.5},
}


def previewed(client, work, items, name="api_round_preview"):
    sent = {"raters": [work.user().username], "design": "everyone", "items": {**items, "again": True}}
    if name == "api_rounds":
        sent["key"] = "chosen"
    address = reverse(name, args=[work.project.slug])
    return client.post(address, json.dumps(sent), content_type="application/json")


@pytest.mark.parametrize("items", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("name", ["api_round_preview", "api_rounds"])
def test_items_chosen_by_labels_are_refused_to_a_lead_who_labels_them(client, contested, items, name):
    assert previewed(client, contested, items, name).status_code == 403
    assert contested.project.rounds.count() == 1
    [event] = Event.objects.filter(kind="look_refused", project_id=contested.project.pk)
    assert event.detail["rounds"] == ["round 1"]
    Round.objects.update(state=Round.State.CLOSED)
    assert previewed(client, contested, items, name).status_code in {200, 201}


@pytest.mark.parametrize("items", CHOICES.values(), ids=CHOICES)
def test_a_lead_who_does_not_label_chooses_them(contested, items):
    other = cast.member(contested.project, Membership.Role.LEAD, username="second")

    assert previewed(cast.signed_in(other), contested, items).json()["n_items"] == 1


@pytest.mark.parametrize("source", ["disputed", "confidence"])
def test_the_page_refuses_them_too(client, contested, source):
    sent = {
        "key": "chosen", "raters": [contested.user().pk], "design": "everyone", "raters_per_item": 2, "share": 20,
        "source": source, "of_question": contested.question.pk, "at_most": "0.5", "by": "any", "again": "on",
        "n_calibration": "", "repeats": 0, "idle_minutes": 60, "seed": 1, "kappa": 0.7, "prevalence": 50,
        "reference_use": "check",
    }  # fmt: skip
    address = reverse("round_new", args=[contested.project.slug])

    assert client.post(address, sent).status_code == 403
    assert client.post(address, sent | {"assign": "whatever"}).status_code == 403
    assert contested.project.rounds.count() == 1


@pytest.fixture
def planned_by_another(contested) -> Round:
    """Another lead has planned the items in dispute."""
    other = cast.member(contested.project, Membership.Role.LEAD, username="second")
    choice = ItemChoice(source=ItemSource.DISPUTED, again=True)
    plan = RoundPlan(overlap=Overlap(AssignmentDesign.EVERYONE), seed=1, chosen=choice)
    return plan_round(contested.project, "chosen", plan, [contested.user()], by=other)


def looks(client, project) -> list[int]:
    items, export = (
        reverse("api_items", args=[project.slug]),
        reverse("api_label_export", args=[project.slug, "csv"]),
    )
    addresses = [
        f"{items}?round=chosen",
        f"{items}?round=chosen&withdrawn=false",
        f"{export}?what=items&round=chosen",
    ]
    return [client.get(address).status_code for address in addresses]


def test_the_items_of_a_round_in_dispute_are_not_listed(client, contested, planned_by_another):
    project = contested.project
    refused = looks(client, project)
    of_round = previewed(client, contested, {"kind": "round", "round": "chosen"}).status_code
    allowed = client.get(reverse("api_items", args=[project.slug]) + "?round=round 1").status_code
    other = looks(cast.signed_in(project.memberships.get(user__username="second").user), project)
    Round.objects.filter(pk=contested.round.pk).update(state=Round.State.CLOSED)

    assert (refused, of_round, allowed, other) == ([403] * 3, 403, 200, [200] * 3)
    assert looks(client, project) == [200] * 3


def test_a_list_with_hidden_items_is_no_choice(client, contested):
    other = cast.member(contested.project, Membership.Role.LEAD, username="second")
    made = make_list(contested.project, "Hard", [contested.items[0].pk], by=other)
    items = {"kind": "list", "list": made.pk}

    assert previewed(client, contested, items).status_code == 403
    assert previewed(cast.signed_in(other), contested, items).status_code == 200


def test_the_cost_of_adding_raters_leaves_hidden_items_out(client, contested):
    address = reverse("api_round_adaptive", args=[contested.project.slug, contested.round.pk])
    page = reverse("round_adaptive", args=[contested.project.slug, contested.round.pk])
    sent = json.dumps({"until": "unanimous", "up_to": 3})

    def figures() -> tuple[int, int, int]:
        cost = client.put(f"{address}?preview=yes", sent, content_type="application/json").json()
        return cost["n_known"], cost["n_open"], client.get(page).context["cost"].n_open

    hidden = figures()
    Round.objects.update(state=Round.State.CLOSED)

    assert (hidden, figures()) == ((0, 0, 0), (3, 1, 1))


@pytest.fixture
def added_to(contested) -> Round:
    """Raters were added to the first item, on which two disagree; the round of these raters."""
    project = contested.project
    more = Round.objects.create(project=project, key="more", position=5, state=Round.State.OPEN)
    Assignment.objects.create(item=contested.items[0], round=more, is_on_demand=True)
    third = rater_of(project, cast.member(project, "rater", username="third"))
    Assignment.objects.create(item=contested.items[0], round=more, rater=third)
    AdaptiveOverlap.objects.create(round=contested.round, further=more, changed_by=contested.user())
    return more


def test_where_raters_were_added_is_hidden_from_a_lead_who_labels_the_items(client, contested, added_to):
    slug = contested.project.slug
    second = cast.signed_in(cast.member(contested.project, Membership.Role.LEAD, username="second"))

    def shown(client) -> list[object]:
        def get(name: str, *args: int):
            return client.get(reverse(name, args=[slug, *args]))

        adaptive = get("api_round_adaptive", contested.round.pk).json()
        [listed] = [each for each in get("api_rounds").json() if each["key"] == "more"]
        status = get("api_round_progress", added_to.pk).json()
        progress = get("api_progress").json()
        lists = [
            client.get(f"{reverse('progress_items', args=[slug])}?what={what}&round={added_to.pk}")
            for what in ("left", "untaken")
        ]
        pages = [get("rounds"), get("round", added_to.pk), get("round", contested.round.pk)]
        again = {"raters": [contested.user().username]}
        address = f"{reverse('api_round_raters', args=[slug, added_to.pk])}?preview=yes"
        return [
            (adaptive["n_added"], adaptive["n_done"]),
            (listed["n_assignments"], listed["n_done"]),
            (status["n_assignments"], status["n_left"], status["n_free"]),
            ("more" in {each["round"] for each in progress["rounds"]}, progress["items"]["n_finished"]),
            [page.context["page"].paginator.count for page in lists],
            ["data-hidden" in page.content.decode() for page in pages[:2]],
            pages[2].context["adaptive"].n_added,
            get("round_reassign", added_to.pk).status_code,
            client.put(address, json.dumps(again), content_type="application/json").status_code,
        ]

    Assignment.objects.filter(round=contested.round).update(state=Assignment.State.DONE)
    hidden, seen = shown(client), shown(second)
    Round.objects.filter(pk=contested.round.pk).update(state=Round.State.CLOSED)

    assert hidden == [(None, None), (None, None), (0, 0, 0), (False, 3), [0, 0], [True, True], None, 403, 403]
    assert seen[:7] == [(2, 0), (2, 0), (2, 2, 1), (True, 2), [2, 1], [False, False], 2]
    assert seen[7] == 200
    assert shown(client) == seen


@pytest.fixture
def reminded_round(added_to, has_mail) -> Round:
    """Reminders of the round of added raters can be sent."""
    EmailAddress.objects.create(
        user=added_to.project.raters.get(key="third").user,
        email="third@example.org",
        primary=True,
        verified=True,
    )
    return added_to


def test_reminders_name_nobody_to_a_lead_who_labels_the_items(client, contested, reminded_round):
    slug, args = contested.project.slug, [contested.project.slug, reminded_round.pk]
    second = cast.signed_in(cast.member(contested.project, Membership.Role.LEAD, username="second"))
    page = reverse("round", args=args)

    def reminded(client) -> list[object]:
        [listed] = [
            each for each in client.get(reverse("api_rounds", args=[slug])).json() if each["key"] == "more"
        ]
        events = client.get(reverse("api_events", args=[slug]) + "?kind=round_reminded").json()["results"]
        log = client.get(reverse("log", args=[slug]) + "?kind=round_reminded")
        file = client.get(reverse("log_file", args=[slug, "jsonl"]) + "?kind=round_reminded")
        return [
            listed["reminded_at"] is not None,
            len(events),
            len(log.context["rows"]),
            len(b"".join(file.streaming_content).splitlines()),
            reverse("round_remind", args=args) in client.get(page).content.decode(),
        ]

    refused = [
        client.post(reverse(name, args=args)).status_code for name in ("round_remind", "api_round_remind")
    ]
    sent = second.post(reverse("api_round_remind", args=args)).json()["sent"]

    assert refused == [403, 403]
    assert sent == ["third"]
    assert reminded(client) == [False, 0, 0, 0, False]
    assert reminded(second) == [True, 1, 1, 1, True]
    Round.objects.filter(pk=contested.round.pk).update(state=Round.State.CLOSED)
    assert reminded(client) == reminded(second)


def test_reminders_of_a_renamed_round_stay_hidden(client, contested, reminded_round):
    slug = contested.project.slug
    other = cast.member(contested.project, Membership.Role.LEAD, username="second")
    for round_ in (reminded_round, contested.round):
        remind(round_, by=other, site="https://ratings.example.org")
    Round.objects.filter(pk=reminded_round.pk).update(key="renamed since")

    events = client.get(reverse("api_events", args=[slug]) + "?kind=round_reminded").json()["results"]

    assert [event["about"] for event in events] == [contested.round.key]


def test_results_of_added_raters_are_hidden_from_a_lead_who_labels_the_items(client, contested, added_to):
    Round.objects.filter(pk=added_to.pk).update(pass_mark=0.8)
    args = [contested.project.slug, added_to.pk]

    page, api = client.get(reverse("round", args=args)), client.get(reverse("api_round_passes", args=args))

    assert (page.context["results"], api.status_code) == ([], 403)


LABELS = b"item,rater,label\nitem-1,mia,good\n"


def test_a_lead_who_labels_reads_no_file_of_labels(client, contested):
    """Its preview says which labels are already there."""
    project = contested.project
    page, api = reverse("imports", args=[project.slug]), reverse("api_imports", args=[project.slug])

    for what in ("", "labels"):
        file = SimpleUploadedFile("labels.csv", LABELS)
        assert client.post(page, {"file": file, "encoding": "auto", "what": what}).status_code == 403
    assert client.post(api, {"file": SimpleUploadedFile("labels.csv", LABELS)}).status_code == 403
    client.post(
        page,
        {"file": SimpleUploadedFile("items.csv", b"key,text\nk1,One\n"), "encoding": "auto", "what": "items"},
    )
    draft = LabelImport.objects.get(project=project)
    assert client.post(draft.get_absolute_url(), {"holds": "labels"}).status_code == 403
    draft.refresh_from_db()
    assert draft.kind == LabelImport.Kind.ITEMS
    assert (
        client.post(
            "/calculate/save/", {"file": SimpleUploadedFile("l.csv", LABELS), "project": project.slug}
        ).status_code
        == 403
    )


def test_nor_another_sheet_of_labels(client, contested, tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "texts"
    for row in (("key", "text"), ("k1", "One text"), ("k2", "Another text")):
        book.active.append(row)
    sheet = book.create_sheet("labels")
    for row in (("item", "rater", "label"), ("item-1", "mia", "good"), ("item-2", "mia", "bad")):
        sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    page = reverse("imports", args=[contested.project.slug])
    file = SimpleUploadedFile("book.xlsx", (tmp_path / "book.xlsx").read_bytes())
    client.post(page, {"file": file, "encoding": "auto", "what": "items"})
    draft = LabelImport.objects.get(project=contested.project)

    assert client.post(draft.get_absolute_url(), {"separately": "labels"}).status_code == 403
    assert LabelImport.objects.count() == 1
