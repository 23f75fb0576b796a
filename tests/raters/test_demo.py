import io
from collections import Counter

from django.core.management import call_command

from projects.models import Membership, Project
from raters.demo import simulate
from raters.demo.demo_projects import load_demo
from raters.models import Label, Rater
from reports.models import Report
from tests import cast
from tests.sizes import only_in_full


def test_the_demo_is_loaded_once_and_asked_for(db):
    owner = cast.person("olga")

    for _ in range(2):
        call_command("load_demo", owner="olga", stdout=io.StringIO())

    assert Project.objects.count() == 3
    assert set(Membership.objects.values_list("role", flat=True)) == {Membership.Role.LEAD}
    assert Membership.objects.filter(user=owner).count() == 3
    assert Report.objects.values("project").distinct().count() == 3


def test_the_demo_holds_the_published_counts(db):
    diagnoses, caries, _ = load_demo(owner=cast.person("olga"))

    chosen = Counter(Label.objects.filter(item__project=diagnoses).values_list("category__key", flat=True))
    # Fleiss 1971, table 1: the totals of its columns.
    assert chosen == {
        "depression": 26,
        "personality disorder": 26,
        "schizophrenia": 30,
        "neurosis": 55,
        "other": 43,
    }
    assert caries.items.count() == 3_859
    assert Label.objects.filter(item__project=caries).count() == 5 * 3_859
    assert Label.objects.filter(rater__key="dentist-1", category__key="carious").count() == 329
    assert Label.objects.filter(rater__key="dentist-3", category__key="carious").count() == 496


@only_in_full
def test_the_simulated_raters_say_so(db):
    *_, messages = load_demo(owner=cast.person("olga"))

    kinds = dict(messages.raters.values_list("key", "kind"))
    assert kinds == {f"simulated-{n}": Rater.Kind.HUMAN for n in range(1, 6)} | {
        "simulated-model": Rater.Kind.MODEL,
        "reference": Rater.Kind.REFERENCE,
    }
    assert "The raters of this project are simulated" in messages.guidelines
    assert list(messages.questions.values_list("key", "level")) == [
        ("topic", "nominal"),
        ("urgency", "ordinal"),
    ]


def test_the_labels_of_the_simulation_are_those_of_its_seed(tmp_path, monkeypatch):
    shipped = (simulate.FOLDER / "labels.csv").read_bytes()
    (tmp_path / "messages.csv").write_bytes((simulate.FOLDER / "messages.csv").read_bytes())
    monkeypatch.setattr(simulate, "FOLDER", tmp_path)

    simulate.write("labels.csv", simulate.RATERS)

    assert (tmp_path / "labels.csv").read_bytes() == shipped
