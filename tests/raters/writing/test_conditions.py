"""Final labels of a question that is asked only of some, taken by itself."""

from projects.models import Item
from raters.models import Label, Rater
from raters.writing.scope import ExportKind, scope_of
from raters.writing.source import reading
from tests import cast
from tests.labeling import new_question


def test_what_the_earlier_question_says_counts_though_it_is_not_taken(committed_db):
    project = cast.new_project("Conditions", unique=True)
    tone = new_question(project, key="tone", categories=("good", "bad"))
    why = new_question(
        project, key="why", categories=("rude", "dull"), position=1,
        asked_if_question="tone", asked_if_categories=["bad"],
    )  # fmt: skip
    rater = Rater.objects.create(project=project, key="ann")
    for key, answer in (("first", "bad"), ("second", "good")):
        item = Item.objects.create(project=project, key=key)
        Label.objects.create(item=item, question=tone, rater=rater, category=tone.categories.get(key=answer))
        Label.objects.create(item=item, question=why, rater=rater, category=why.categories.get(key="rude"))

    with reading(scope_of(project, ExportKind.FINAL, [why], None)) as live:
        found = [(row.item, row.value, row.origin) for row in live.finals()]

    assert found == [("first", "rude", "one_rater"), ("second", None, "not_asked")]
