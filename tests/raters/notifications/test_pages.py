"""The page, the number in the header, the choices, and the API: each person sees their own, as far as they may."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from projects.codebook.guidelines import write_guidelines
from projects.deletion.actions import TABLES
from projects.models import Membership, Project
from raters.accounts.erasing import erase
from raters.expiring import clear_expired
from raters.models import Notification, NotificationChoice, NotificationMail
from raters.notifications.notification_kinds import ABOUT, Topic
from raters.notifications.notifying import notify
from raters.notifications.preferences import choices_of
from raters.threads.actions import ask_question, reply
from tests import cast
from tests.raters.notifications.conftest import choose
from tests.working import answer

pytestmark = pytest.mark.django_db

Kind = Notification.Kind
API = "/api/v1/notifications/"


def disputes_for(team, n=1, **more):
    row = {"recipient": team.ada, "project": team.work.project, "kind": Kind.DISPUTES, **more}
    return Notification.objects.bulk_create(Notification(**row) for _ in range(n))


def test_opened_by_a_post_it_is_read(full_team):
    [made] = disputes_for(full_team)
    ada = cast.signed_in(full_team.ada)
    assert b"unread" in ada.get(reverse("notifications")).content

    opened = ada.post(reverse("notification_open", args=[made.pk]))

    assert opened.url == reverse("adjudicate", args=[full_team.work.project.slug])
    made.refresh_from_db()
    assert made.read_at is not None
    assert b"unread" not in ada.get(reverse("notifications")).content


def test_all_are_marked_as_read_but_those_of_others(full_team):
    disputes_for(full_team, 2)
    disputes_for(full_team, recipient=full_team.lara)

    cast.signed_in(full_team.ada).post(reverse("notifications_read"))

    assert [row.recipient for row in Notification.objects.filter(read_at=None)] == [full_team.lara]


@pytest.mark.parametrize(("n", "shown"), [(0, None), (3, b">3<"), (99, b">99<"), (130, b">99+<")])
def test_the_header_has_the_number(full_team, n, shown):
    disputes_for(full_team, n)

    header = cast.signed_in(full_team.ada).get(reverse("projects")).content.partition(b"<main")[0]

    assert (b" unread<" in header) == (shown is not None)
    assert shown is None or shown in header


def test_pages_newest_first(full_team):
    made = disputes_for(full_team, 60)
    ada = cast.signed_in(full_team.ada)

    first, second = (ada.get(reverse("notifications"), {"page": page}).content for page in (1, 2))

    assert (first.count(b"data-notification"), second.count(b"data-notification")) == (50, 10)
    assert reverse("notification_open", args=[made[-1].pk]).encode() in first
    assert reverse("notification_open", args=[made[0].pk]).encode() in second


def test_the_list_takes_as_many_queries_for_more(full_team, django_assert_max_num_queries):
    ada = cast.signed_in(full_team.ada)
    disputes_for(full_team, 1, round=full_team.work.round)
    with django_assert_max_num_queries(12) as few:
        ada.get(reverse("notifications"))
    disputes_for(full_team, 20, round=full_team.work.round)
    with django_assert_max_num_queries(len(few)):
        ada.get(reverse("notifications"))


def counts_unread(queries) -> int:
    return sum("raters_notification" in query["sql"] for query in queries.captured_queries)


def test_it_is_counted_once_for_a_page_and_never_while_labeling(full_team, django_assert_max_num_queries):
    work = full_team.work
    notify(Kind.GUIDELINES, work.project, [full_team.zoe.pk])
    zoe = cast.signed_in(full_team.zoe)
    with django_assert_max_num_queries(99) as on_a_page:
        assert b" unread<" in zoe.get(reverse("projects")).content
    assert counts_unread(on_a_page) == 1

    slug, first = work.project.slug, work.assignment().pk
    with django_assert_max_num_queries(99) as while_labeling:
        zoe.get(reverse("label", args=[slug]))
        zoe.get(reverse("label_item", args=[slug, first]))
        zoe.get(f"/api/v1/projects/{slug}/assignments/next/")
        for place in range(3):
            answer(work, "good", place=place)
        zoe.get(reverse("label", args=[slug]), follow=True)
    assert counts_unread(while_labeling) == 0


@pytest.mark.parametrize("how", ["left", "other role", "deleted"])
def test_what_may_not_be_known_any_more_is_gone(full_team, how):
    [made] = disputes_for(full_team)
    if how == "deleted":
        Project.objects.filter(pk=full_team.work.project.pk).update(deletion_due_at=timezone.now())
    elif how == "left":
        Membership.objects.filter(user=full_team.ada).delete()
    else:
        Membership.objects.filter(user=full_team.ada).update(role="rater")
    ada = cast.signed_in(full_team.ada)

    page = ada.get(reverse("notifications")).content

    assert b"data-notification" not in page
    assert b" unread<" not in page
    assert ada.post(reverse("notification_open", args=[made.pk])).status_code == 404
    assert ada.get(API).json()["count"] == 0


def test_the_api_lists_and_marks(full_team):
    first, second = disputes_for(full_team, 2)
    disputes_for(full_team, recipient=full_team.lara)
    ada = cast.signed_in(full_team.ada)

    listed = ada.get(API).json()
    assert [row["id"] for row in listed["results"]] == [second.pk, first.pk]
    assert listed["results"][0] == {
        "id": second.pk,
        "kind": "disputes",
        "topic": "dispute",
        "project": full_team.work.project.slug,
        "round": None,
        "subject_id": None,
        "sentence": "Disputes are waiting to be decided.",
        "page": reverse("adjudicate", args=[full_team.work.project.slug]),
        "created_at": listed["results"][0]["created_at"],
        "read_at": None,
    }
    assert ada.post(f"{API}{first.pk}/read/").json()["read_at"] is not None
    assert [row["id"] for row in ada.get(f"{API}?state=unread").json()["results"]] == [second.pk]
    assert ada.post(f"{API}read/").json() == {"n_read": 1}
    assert ada.get(f"{API}?state=unread").json()["count"] == 0


def test_choices_are_kept_for_the_topics_of_ones_roles(full_team, settings):
    settings.HAS_MAIL = True
    zoe = cast.signed_in(full_team.zoe)
    page = zoe.get(reverse("account")).content
    assert b'name="notify-assigned"' in page
    assert b'name="notify-dispute"' not in page
    topics = ["assigned", "deadline", "reply", "guidelines", "alert", "pass"]

    sent = zoe.post(
        reverse("notification_choices"),
        {f"notify-{topic}": "program" for topic in topics} | {"notify-reply": "off"},
    )

    assert sent.status_code == 302
    chosen = choices_of(full_team.zoe)
    assert {topic: chosen[topic] for topic in topics} == dict.fromkeys(topics, "program") | {"reply": "off"}
    assert (chosen["report"], chosen["dispute"]) == ("digest", "digest")
    page = zoe.get(reverse("account")).content.decode()
    assert page.count('<option value="program" selected>') == 5


def test_an_invalid_choice_is_refused(full_team):
    zoe = cast.signed_in(full_team.zoe)

    sent = zoe.post(reverse("notification_choices"), {"notify-reply": "by pigeon"})

    assert sent.status_code == 400
    assert not NotificationChoice.objects.exists()


@pytest.mark.parametrize("sends", [True, False])
def test_choices_say_whether_this_server_sends_email(full_team, settings, sends):
    settings.HAS_MAIL = sends

    page = cast.signed_in(full_team.zoe).get(reverse("account")).content

    assert (b'value="digest"' in page) is sends
    assert (b'<option value="program" selected>' in page) is not sends
    # Nobody here has a confirmed address.
    assert page.count(b'class="notice"') == 1


def test_choices_left_alone_without_email_still_apply_with_it(full_team, settings):
    settings.HAS_MAIL = False
    topics = ["assigned", "deadline", "reply", "guidelines", "alert", "pass"]
    sent = dict.fromkeys((f"notify-{topic}" for topic in topics), "program") | {"notify-reply": "off"}

    cast.signed_in(full_team.zoe).post(reverse("notification_choices"), sent)

    chosen = choices_of(full_team.zoe)
    assert (chosen["assigned"], chosen["alert"], chosen["reply"]) == ("digest", "at_once", "off")


def test_the_defaults(full_team):
    assert choices_of(full_team.zoe) == dict.fromkeys((topic.value for topic in Topic), "digest") | {
        "reply": "at_once", "alert": "at_once",
    }  # fmt: skip
    assert set(ABOUT) == set(Kind)


def test_no_notification_has_a_name_an_item_or_a_label(full_team, settings):
    """Every sentence, as it is shown to everybody, after causes full of secrets."""
    settings.HAS_MAIL = True
    work = full_team.work
    work.raters[0].key = "Zoe-the-rater"
    work.raters[0].save()
    thread = ask_question(work.raters[0], work.items[0], "Secret question?", by=full_team.zoe)
    reply(thread, "Secret answer.", by=full_team.lara)
    write_guidelines(work.project, "Secret text.", by=full_team.lara)
    for user in (full_team.zoe, full_team.yves, full_team.lara, full_team.luis, full_team.ada):
        Notification.objects.bulk_create(
            Notification(recipient=user, project=work.project, kind=kind, round=work.round, subject_id=1)
            for kind in Kind
        )
    secrets = ["Zoe", "zoe", "yves", "item-1", "Text 1", "Secret", "good", "tone"]
    for user in (full_team.zoe, full_team.yves, full_team.lara, full_team.luis, full_team.ada):
        page = cast.signed_in(user).get(reverse("notifications")).content.decode()
        # Without the tokens of forms, which are random letters.
        shown = re.sub(r'value="\w{64}"', "", page.partition("<main")[2].partition("</main>")[0])
        api = cast.signed_in(user).get(API).content.decode()
        for secret in secrets:
            assert secret not in shown
            assert secret not in api


def test_they_expire_are_erased_and_deleted_with_their_project(full_team, settings):
    settings.HAS_MAIL = True
    choose(full_team.ada, "dispute", "at_once")
    notify(Kind.DISPUTES, full_team.work.project, [full_team.ada.pk, full_team.lara.pk])
    long_ago = timezone.now() - settings.NOTIFICATION_KEPT_FOR
    Notification.objects.filter(recipient=full_team.lara).update(created_at=long_ago)
    found = clear_expired()
    assert (found["notifications"], found["emails of notifications"]) == (1, 0)

    erase(full_team.ada, by=full_team.lara, username="ada")

    assert not Notification.objects.exists()
    assert not NotificationMail.objects.exists()
    assert not NotificationChoice.objects.exists()
    assert {"raters_notification", "raters_notificationmail", "raters_disputewatch"} <= dict(TABLES).keys()
