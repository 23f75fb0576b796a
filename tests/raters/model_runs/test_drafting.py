"""The draft of a model run: what would be sent, and that nothing else is."""

import json

import pytest

from core.refusals import RefusedWithCode
from projects.deletion.actions import TABLES
from projects.models import Category, Event, Item, ItemList, Project, Question
from projects.refusals import ProjectClosed
from raters.expiring import clear_expired
from raters.model_runs.choosing import Items
from raters.model_runs.configuring import EndpointNotConfigured, request_of
from raters.model_runs.drafting import RunBudget, RunOutdated, draft_again
from raters.model_runs.starting import RunNotStartable, start
from raters.models import Label, ModelRequest, ModelRun
from tests.labeling import new_question
from tests.raters.model_runs.conftest import work_off
from tests.working import new_work


def body_of(run: ModelRun, position: int = 1) -> dict:
    return json.loads(request_of(run.content, run.requests.get(position=position).item))


def test_a_request_has_guidelines_codebook_and_item(work, new_draft):
    Project.objects.filter(pk=work.project.pk).update(guidelines="Judge the tone, not the topic.")
    work.project.refresh_from_db()
    Category.objects.filter(question=work.question, key="bad").update(
        name="Negative", definition="Complains about something", examples="Never again!"
    )

    body = body_of(new_draft(instructions="Be brief.", seed=7))

    system, user = body["messages"]
    assert system["role"] == "system"
    for part in ("Judge the tone, not the topic.", "## tone", "- good", "Be brief."):
        assert part in system["content"]
    assert "- bad: Negative. Complains about something. Examples: Never again!" in system["content"]
    assert user == {"role": "user", "content": "## text\n\nText 1"}
    assert (body["model"], body["temperature"], body["seed"]) == ("tiny", 0.0, 7)
    assert body["response_format"]["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"tone": {"type": ["string", "null"], "enum": ["good", "fair", "bad", None]}},
        "required": ["tone"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("answer_format", "sent"), [("json_object", {"type": "json_object"}), ("prompt", None)]
)
def test_other_answer_formats(new_draft, answer_format, sent):
    body = body_of(new_draft(answer_format=answer_format, temperature=None))

    assert body.get("response_format") == sent
    assert "temperature" not in body
    assert '- "tone": ' in body["messages"][0]["content"]


def test_the_order_of_questions_survives_the_database(work, new_draft):
    for key in ("a longer name than the others", "b"):
        new_question(work.project, key=key, categories=("x", "y"))

    run = ModelRun.objects.get(pk=new_draft().pk)

    properties = body_of(run)["response_format"]["json_schema"]["schema"]["properties"]
    assert list(properties) == ["tone", "a longer name than the others", "b"]


def test_fields_can_be_left_out_and_media_and_keys_are_never_sent(work, new_draft):
    Item.objects.filter(pk=work.items[0].pk).update(
        key="patient-7",
        content=[
            {"name": "text", "kind": "text", "value": "Hello"},
            {"name": "author", "kind": "text", "value": "Jane Doe"},
            {"name": "photo", "kind": "image", "value": "jane.png"},
        ],
        attributes={"site": "Ward 3"},
    )

    run = new_draft(fields_left_out=["author"])

    sent = request_of(run.content, run.requests.get(position=1).item)
    assert "Hello" in sent
    for secret in ("Jane", "jane.png", "patient-7", "Ward 3"):
        assert secret not in sent


def test_items_without_text_are_left_out_and_counted(work, new_draft):
    Item.objects.filter(pk=work.items[0].pk).update(
        content=[{"name": "photo", "kind": "image", "value": "a.png"}]
    )

    run = new_draft()

    assert (run.n_without_text, run.requests.count()) == (1, 2)
    with pytest.raises(RefusedWithCode, match="text to send"):
        new_draft(fields_left_out=["text"])


def test_only_new_items(work, new_draft, new_run):
    run = work_off(new_run(items=Items(keys=["item-2"])))
    assert Label.objects.filter(rater=run.rater).count() == 1

    assert set(new_draft().requests.values_list("item__key", flat=True)) == {"item-1", "item-3"}
    assert new_draft(instructions="Other.").requests.count() == 3
    assert new_draft(items=Items(is_only_new=False)).requests.count() == 3


def test_items_of_a_list_a_round_or_given_ones(work, new_draft):
    chosen = ItemList.objects.create(project=work.project, name="Discuss")
    chosen.entries.create(item=work.items[2], position=1)

    assert new_draft(items=Items(list=chosen.pk)).requests.get().item == work.items[2]
    assert new_draft(items=Items(round=work.round.pk)).requests.count() == 3
    assert new_draft(items=Items(keys=["item-3", "item-1"])).requests.count() == 2
    with pytest.raises(RefusedWithCode, match="not IDs of items"):
        new_draft(items=Items(keys=["item-9"]))


def test_rounds_and_lists_of_other_projects_do_not_exist(new_draft, endpoint):
    theirs = new_work()
    items = ItemList.objects.create(project=theirs.project, name="Theirs")
    items.entries.create(item=theirs.items[0], position=1)

    for choice in (Items(list=items.pk), Items(round=theirs.round.pk)):
        with pytest.raises(RefusedWithCode, match="no such"):
            new_draft(items=choice)


def test_estimates(new_draft):
    figures = new_draft().figures

    assert figures.n_input_left > 100
    assert figures.n_output_left == 3 * 25
    assert figures.cost_left == pytest.approx((figures.n_input_left + 10 * figures.n_output_left) / 1e6)
    assert new_draft(model="free").figures.cost_left is None


@pytest.mark.parametrize("wrong", [{"model": "other"}, {"questions": ["mood"]}])
def test_invalid_choices(new_draft, wrong):
    with pytest.raises(RefusedWithCode):
        new_draft(**wrong)


def test_a_question_needs_the_one_that_it_depends_on(work, new_draft):
    Question.objects.create(
        project=work.project, key="why", kind="text", asked_if_question="tone", asked_if_categories=["bad"]
    )

    with pytest.raises(RefusedWithCode, match="Choose both"):
        new_draft(questions=["why"])
    assert "Asked only if “tone” is “bad”. Otherwise, answer null." in new_draft().content["system"]


def test_a_cost_limit_needs_a_price(new_draft):
    with pytest.raises(RefusedWithCode, match="price"):
        new_draft(model="free", limits=RunBudget(cost=1.0))


def test_too_many_items(new_draft, settings):
    settings.MODEL_MAX_ITEMS = 2

    with pytest.raises(RefusedWithCode, match="at most 2"):
        new_draft()


def test_off_by_default(new_draft, settings):
    settings.MODEL_ENDPOINT = ""

    with pytest.raises(EndpointNotConfigured):
        new_draft()


def test_a_closed_project(work, new_draft):
    work.project.state = Project.State.CLOSED

    with pytest.raises(ProjectClosed):
        new_draft()


def test_an_audit_is_labeled_by_its_auditors_only(work, new_draft):
    work.project.is_audit = True

    with pytest.raises(RefusedWithCode, match="audit"):
        new_draft()


def change_codebook(work):
    Category.objects.filter(question=work.question, key="bad").update(definition="Another one")


def change_guidelines(work):
    Project.objects.filter(pk=work.project.pk).update(guidelines="New rules")


def change_item(work):
    Item.objects.filter(pk=work.items[1].pk).update(
        content=[{"name": "text", "kind": "text", "value": "New"}]
    )


def withdraw_item(work):
    Item.objects.filter(pk=work.items[1].pk).update(withdrawn_at="2026-01-01T00:00Z")


@pytest.mark.parametrize("change", [change_codebook, change_guidelines, change_item, withdraw_item])
def test_what_changed_after_the_preview_is_not_sent(work, new_draft, endpoint, sender, change):
    run = new_draft()

    change(work)

    with pytest.raises(RunOutdated):
        start(run, by=sender)
    assert endpoint.received == []
    assert not Event.objects.filter(project_id=work.project.pk, kind="model_run_started").exists()
    run = ModelRun.objects.get(pk=run.pk)
    start(draft_again(run, by=sender), by=sender)


def test_an_old_preview_is_not_sent(new_draft, sender, settings):
    from datetime import timedelta

    run = new_draft()
    settings.MODEL_DRAFT_LASTS = timedelta(0)

    with pytest.raises(RunOutdated):
        start(run, by=sender)


def test_one_run_at_a_time(new_run, new_draft, sender):
    new_run()
    second = new_draft(instructions="Other.")

    with pytest.raises(RunNotStartable, match="under way"):
        start(second, by=sender)


def test_a_run_is_started_once(new_run, sender):
    run = new_run()

    with pytest.raises(RunNotStartable, match="already started"):
        start(run, by=sender)


def test_old_drafts_are_deleted(new_draft, new_run, settings):
    from datetime import timedelta

    run = new_run(items=Items(keys=["item-1"]))
    old = new_draft(instructions="Other.")
    settings.MODEL_DRAFT_LASTS = timedelta(0)

    assert clear_expired()["drafts of model runs"] >= 1
    assert not ModelRun.objects.filter(pk=old.pk).exists()
    assert not ModelRequest.objects.filter(run_id=old.pk).exists()
    assert ModelRun.objects.filter(pk=run.pk).exists()


def test_a_rater_with_that_name_stays_another_rater(work, new_draft, sender):
    run = new_draft()
    work.project.raters.create(key=f"tiny · {run.digest[:6]}", kind="model")

    start(run, by=sender)

    assert run.rater.key == f"tiny · {run.digest[:7]}"


def test_a_purge_knows_the_tables():
    names = [table for table, _ in TABLES]
    assert names.index("raters_modelrequest") < names.index("raters_modelrun") < names.index("raters_rater")
