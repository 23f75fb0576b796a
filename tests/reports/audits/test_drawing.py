"""What is drawn for an audit, and who gets it."""

import io

import pytest

from projects.codebook.guidelines import write_guidelines
from projects.items.content import fields_of
from projects.media.media_files import store_media
from projects.models import Event, Membership, Round
from raters.audits.population import AuditRefused, read_population
from raters.models import Assignment, Audit, Label, Rater
from reports.plans.audit_draw import draw_of
from reports.results.audits.audit_results import read_audit
from tests.labeling import add_labels
from tests.pictures import png
from tests.reports.audits.audited import delivery, drawn, form_of, label, opened, request_of

pytestmark = pytest.mark.django_db


def test_an_audit_is_a_project_of_its_own_with_copies_of_the_drawn_items():
    made = delivery()

    audit = drawn(made)

    project = audit.project
    assert project.is_audit
    assert (audit.n_labels, audit.n_units, audit.labels.count()) == (80, 80, 20)
    assert audit.question.project == project
    assert list(audit.question.categories.values_list("key", flat=True)) == ["good", "bad"]
    for each in audit.labels.select_related("item"):
        original = made.project.items.get(key=each.item.key)
        assert (each.item.content, each.item.attributes) == (original.content, original.attributes)
        assert each.probability == 0.25
        given = Label.objects.get(pk=each.source_label)
        assert (given.item, given.rater.key, given.category.key) == (original, each.rater, each.given)
    assert sorted(audit.labels.values_list("unit", flat=True)) == list(range(20))
    # Those who gave the labels are not members, and nothing in the project says what they gave.
    assert set(project.memberships.values_list("user__username", "role")) == {
        (made.lead.username, "lead"),
        *((user.username, "rater") for user in made.auditors),
    }
    assert not Label.objects.filter(item__project=project).exists()
    assert Event.objects.filter(kind="audit_drawn", project_id__in=[project.pk, made.project.pk]).count() == 2


def test_an_audit_gets_the_files_of_its_items_and_guidelines_only(media_folder):
    made = delivery()
    for number, item in enumerate(made.project.items.order_by("key")):
        store_media(made.project, f"{item.key}.png", io.BytesIO(png(10 + number, 5)), by=None)
        item.content = [*item.content, {"name": "scan", "kind": "image", "value": f"./{item.key}.png"}]
        item.save()
    for name in ("scale.png", "unused.png"):
        store_media(made.project, name, io.BytesIO(png(3, len(name))), by=None)
    write_guidelines(made.project, "![The scale](scale.png)", by=made.lead)
    made.project.refresh_from_db()

    audit = drawn(made, n="5")

    keys = set(audit.project.items.values_list("key", flat=True))
    names = set(audit.project.media.values_list("name", flat=True))
    assert names == {f"{key}.png" for key in keys} | {"scale.png"}
    assert 0 < len(keys) <= 5
    files = [field.media for item in audit.project.items.all() for field in fields_of(item) if field.kind]
    assert {file.name for file in files} == names - {"scale.png"}


def test_the_same_seed_draws_the_same_labels_and_another_one_others():
    made = delivery()
    samples = [
        list(drawn(made, seed=seed).labels.order_by("unit").values_list("source_label", flat=True))
        for seed in ("1", "1", "2")
    ]

    assert samples[0] == samples[1] != samples[2]
    assert len(set(samples[2])) == 20


def test_nobody_audits_an_item_that_they_labeled():
    made = delivery()
    colleague = made.auditors[0]
    Rater.objects.filter(project=made.project, key="ann").update(user=colleague)
    Label.objects.filter(rater__user=colleague, item__key__gte="item-020").delete()

    audit = drawn(made, n="60")

    mine = Assignment.objects.filter(rater__user=colleague, item__project=audit.project)
    assert {key >= "item-020" for key in mine.values_list("item__key", flat=True)} == {True}
    assert mine.exists()
    assert Assignment.objects.filter(item__project=audit.project).count() == audit.project.items.count()


def test_if_everybody_labeled_an_item_nobody_can_audit_it_and_nothing_is_created():
    made = delivery(n_auditors=1)
    Rater.objects.filter(project=made.project, key="ann").update(key=made.auditors[0].username.upper())

    with pytest.raises(AuditRefused, match="too few auditors"):
        drawn(made)

    assert not Audit.objects.filter(source=made.project).exists()
    assert not Membership.objects.filter(user=made.auditors[0], project__is_audit=True).exists()


def test_a_share_of_the_items_is_labeled_by_two_auditors():
    audit = drawn(delivery(n_auditors=3), n="40", double_share="25")

    n_items = audit.project.items.count()
    by_item = [each.assignments.count() for each in audit.project.items.all()]
    assert sorted(by_item) == [1] * (n_items - -(-n_items // 4)) + [2] * -(-n_items // 4)


def test_of_labels_given_again_the_newest_are_audited():
    made = delivery(n_items=4)
    again = Round.objects.create(
        project=made.project, key="again", plans=[{"chosen": {"again": True}}], position=1
    )
    rater = Rater.objects.get(project=made.project, key="ann")
    item = made.project.items.first()
    bad = made.question.categories.get(key="bad")
    Label.objects.create(
        item=item, question=made.question, rater=rater, round=again, pass_number=2, category=bad
    )

    everything = read_population(made.question, {"rounds": None, "raters": None})
    of_round = read_population(made.question, {"rounds": ["again"], "raters": None})

    assert everything.categories[everything.items == item.pk].tolist() == [bad.pk]
    assert of_round.categories.tolist() == [bad.pk]


def test_items_can_be_drawn_with_all_of_their_labels():
    made = delivery()
    audit = opened(made, unit="item", n="10", stratify_by="item:site")
    label(audit)

    result = read_audit(audit).result

    assert [(each["value"], each["size"], each["drawn"], each["n_labels"]) for each in audit.strata] == [
        ("Bern", 10, 3, 20),
        ("Chur", 30, 7, 60),
    ]
    assert (result.n_units, result.n_audited, result.is_exact) == (10, 20, False)
    # Each stratum has wrong labels of ben on a share of its items.
    weights = {"Bern": 10 / 3, "Chur": 30 / 7}
    wrong = sum(weights[audit.strata[each.stratum]["value"]] for each in audit.labels.filter(given="bad"))
    assert result.share.value == pytest.approx(wrong / 80, abs=1e-12)


def test_strata_by_the_given_label_and_optimal_allocation():
    made = delivery()
    audit = drawn(made, stratify_by="given", allocation="optimal", rates="good: 0.01\nbad: 0.5", n="20")

    sizes = {each["value"]: (each["size"], each["drawn"]) for each in audit.strata}
    # 70 * sqrt(.01 * .99) = 6.965 and 10 * sqrt(.25) = 5: 11.6 of the good ones, and 8.4 of the bad ones.
    assert sizes == {"good": (70, 12), "bad": (10, 8)}
    assert set(audit.labels.filter(given="bad").values_list("probability", flat=True)) == {0.8}


def test_who_gave_which_labels_limits_the_population():
    made = delivery()
    wanted = {"rounds": None, "raters": None, "attribute": ["vendor", "Bolt"]}

    population = read_population(made.question, wanted)

    assert len(population) == 40
    assert len(read_population(made.question, {"rounds": None, "raters": None, "categories": ["bad"]})) == 10
    for refused in (
        {"rounds": None, "raters": None, "categories": ["ugly"]},
        {"rounds": ["none"], "raters": None},
        {"rounds": None, "raters": ["nobody"]},
        {"rounds": None, "raters": None, "attribute": ["vendor", "Cray"]},
    ):
        with pytest.raises(AuditRefused):
            read_population(made.question, refused)


def test_references_decisions_and_missing_labels_are_not_audited():
    made = delivery()
    add_labels(made.question, [("item-001", "gold", "good")])
    Rater.objects.filter(project=made.project, key="gold").update(kind=Rater.Kind.REFERENCE)
    made.question.categories.filter(key="bad").update(treated_as_missing=True)

    assert len(read_population(made.question, {"rounds": None, "raters": None})) == 70


def test_impossible_draws_are_refused():
    made = delivery()
    for more in (
        {"n": 81},
        {"unit": "item", "stratify_by": "given"},
        {"stratify_by": "item:color"},
        {"stratify_by": "vendor"},
        {"allocation": "optimal", "stratify_by": "given", "rates": {"ugly": 0.1}},
    ):
        with pytest.raises(AuditRefused):
            draw_of(request_of(made, **more))


def test_invalid_fields_are_named():
    form = form_of(
        delivery(),
        name="",
        attribute="vendor",
        rates="positive 0.1",
        double_share="101",
        seed="-1",
        question="none",
    )

    assert set(form.errors) == {"name", "attribute", "rates", "double_share", "seed", "question"}
