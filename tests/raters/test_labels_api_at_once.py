"""Labels over the API with several clients at once."""

import threading
from concurrent.futures import ThreadPoolExecutor

from django.db import connections, transaction

from projects.models import Item, Membership
from raters.models import Label, LabelRevision, Rater
from tests import cast
from tests.labeling import labeled_project, new_question
from tests.raters.test_labels_api import LABELS, fetched, post


def lead_of(project):
    return cast.signed_in(cast.member(project, Membership.Role.LEAD, username="lena", unique=True))


def test_five_clients_at_once_save_the_labels_once(committed_db):
    project = cast.new_project("At once", unique=True)
    clients = [lead_of(project) for _ in range(5)]

    def send(client):
        try:
            return post(client, project, LABELS).json()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(send, clients))

    assert sorted(answer["n_created"] for answer in answers) == [0, 0, 0, 0, 8]
    assert all(answer["n_created"] + answer["n_unchanged"] == 8 for answer in answers)
    labels = Label.objects.filter(question__project=project)
    assert labels.count() == 8
    assert LabelRevision.objects.filter(label_id__in=labels.values("pk")).count() == 8


def test_a_poller_misses_nothing_that_commits_late(committed_db):
    """Of two transactions the first to write is the last to commit."""
    project = cast.new_project("Commits late", unique=True)
    client = lead_of(project)
    question = new_question(project)
    yes = question.categories.get(key="yes")
    rater = Rater.objects.create(project=project, key="ann")
    early, late = (Item.objects.create(project=project, key=key) for key in ("early", "late"))
    has_written, may_commit = threading.Event(), threading.Event()

    def write_first_and_commit_last():
        try:
            with transaction.atomic():
                Label.objects.create(item=late, rater=rater, question=question, category=yes)
                has_written.set()
                assert may_commit.wait(10)
        finally:
            connections.close_all()

    slow = threading.Thread(target=write_first_and_commit_last)
    slow.start()
    assert has_written.wait(10)
    Label.objects.create(item=early, rater=rater, question=question, category=yes)

    first = fetched(client, project)
    may_commit.set()
    slow.join()
    second = fetched(client, project, f"?changed_since={first['next']}")

    assert [label["item"] for label in first["results"]] == ["early"]
    assert [label["item"] for label in second["results"]] == ["late"]
    # Its revision has the lower id, which is why ids don't tell what is new.
    ids = dict(LabelRevision.objects.filter(question_id=question.pk).values_list("item_id", "id"))
    assert ids[late.pk] < ids[early.pk]


def test_a_poller_keeps_a_true_copy_while_many_write(committed_db):
    project = labeled_project("Many write", n_items=20, n_raters=4)
    client = lead_of(project)
    question = project.questions.get()
    categories = list(question.categories.values_list("pk", flat=True))
    copy, since, n_writers = {}, "0-0", 4
    done = threading.Semaphore(0)

    def write(place):
        try:
            labels = list(
                Label.objects.filter(question=question).order_by("pk").values_list("pk", flat=True)
            )[place::4]
            for turn in range(15):
                with transaction.atomic():
                    for pk in labels[turn % 5 :: 5]:
                        Label.objects.filter(pk=pk).update(category=categories[turn % 3])
                    if turn == 10:
                        Label.objects.filter(pk=labels[0]).delete()
        finally:
            connections.close_all()
            done.release()

    def poll():
        nonlocal since
        while True:
            page = fetched(client, project, f"?changed_since={since}&page_size=7")
            for label in page["results"]:
                if label["is_withdrawn"]:
                    copy.pop(label["id"], None)
                else:
                    copy[label["id"]] = label["category"]
            since = page["next"]
            if not page["has_more"]:
                return

    writers = [threading.Thread(target=write, args=(place,)) for place in range(n_writers)]
    for writer in writers:
        writer.start()
    while not done.acquire(timeout=0.01):
        poll()
    for writer in writers:
        writer.join()
    poll()

    assert copy == dict(Label.objects.filter(question=question).values_list("pk", "category__key"))
