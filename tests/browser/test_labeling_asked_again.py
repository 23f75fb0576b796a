"""Asked again for one question: the same keys, the same queue without a connection, and nothing else is touched."""

from playwright.sync_api import Page, expect

from projects.models import Membership, Question
from raters.labeling.asking import ask_again
from raters.models import Assignment, Label
from tests import cast
from tests.browser.labeling import all_sent, begin, item
from tests.labeling import new_question
from tests.sizes import only_in_full
from tests.working import Work, answer, new_work


def asked_work() -> Work:
    """Three items labeled by one rater, and then a required question, asked again."""
    work = new_work(n_items=3, n_raters=1)
    for place in range(3):
        answer(work, "good", place=place)
    size = new_question(work.project, key="size", categories=("small", "large"), position=1)
    lead = cast.member(work.project, Membership.Role.LEAD, username="lea", unique=True)
    ask_again(work.project, size, by=lead)
    return work


def answers(work: Work, key: str) -> list[str]:
    labels = Label.objects.filter(rater=work.raters[0], question__key=key).order_by("item")
    return list(labels.values_list("category__key", flat=True))


def test_one_question_by_key_with_undo_and_without_a_connection(loose_page: Page):
    work, page = asked_work(), loose_page
    begin(page, work)
    expect(item(page, 1)).to_be_visible()
    expect(page.get_by_role("group", name="size")).to_be_visible()
    expect(page.get_by_role("group", name="tone")).to_have_count(0)

    # The keys of its answers in the whole codebook: letters, for digits are of the first question.
    page.keyboard.press("w")
    page.keyboard.press("Enter")
    expect(item(page, 2)).to_be_visible()
    page.keyboard.press("u")
    expect(item(page, 1)).to_be_visible()
    all_sent(page)
    assert answers(work, "size") == []
    page.keyboard.press("q")
    page.keyboard.press("Enter")
    expect(page.get_by_text("item-1 saved")).to_be_visible()
    page.context.set_offline(True)
    page.keyboard.press("w")
    page.keyboard.press("Enter")
    expect(item(page, 3)).to_be_visible()
    page.context.set_offline(False)
    page.keyboard.press("w")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    all_sent(page)
    assert answers(work, "size") == ["small", "large", "large"]
    assert answers(work, "tone") == ["good"] * 3
    assert not Assignment.objects.filter(rater=work.raters[0], state="pending").exists()


@only_in_full
def test_a_number_outside_its_rule_is_refused_at_once(page: Page, committed_db: None):
    work = new_work(n_items=2, n_raters=1)
    Question.objects.create(
        project=work.project, key="size", kind="number", minimum=0, maximum=1, step=0.1, unit="mm", position=1
    )
    begin(page, work)
    page.keyboard.press("1")
    field = page.get_by_label("size: number")
    expect(field).to_have_accessible_description("A number from 0 to 1 in steps of 0.1, in mm")
    for wrong in ("2", "0.35"):
        field.fill(wrong)
        page.get_by_role("button", name="Save and next").click()
        expect(page.get_by_text(f"must be a number from 0 to 1 in steps of 0.1, got {wrong}")).to_be_visible()

    field.fill("0.7")
    page.get_by_role("button", name="Save and next").click()

    expect(item(page, 2)).to_be_visible()
    all_sent(page)
    assert Label.objects.get(question__key="size", rater=work.raters[0]).number == 0.7
