"""Every number that is a link leads to as many items as it says, on every page of a report on random labels."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

import pytest
from django.urls import reverse
from lxml import html

from projects.models import Item, Project, Round
from raters.models import Label, Rater, User
from reports.models import Report
from tests import cast
from tests.finished import finished_report, look_ahead
from tests.labeling import keyed, new_question
from tests.reports.looking import led_by, text_of
from tests.sizes import FULL

WORLDS = 12 if FULL else 1
# Lists that are opened for each world of an ordinary run.
MOST_LISTS = 12
KINDS = ("single", "multiple", "number")
N_ITEMS = 24
# Links to lists of items, and the numbers that count them.
LISTS = re.compile(r"/items/(\?|$)|#items$")
NUMBER = re.compile(r"(?:n )?([\d,]+)(?: (?:shared )?items?(?: that both labeled)?| repeats?)?")
# Heads of columns and rows whose numbers count labels, or are values.
NOT_ITEMS = {
    "Labels", "Pairs of labels", "“Cannot tell”", "Value", "Bias", "Lower limit", "Upper limit",
    "Mean distance from the others", "Difference from the others",
}  # fmt: skip
COUNTED = re.compile(r"([\d,]+) (?:shared )?(?:items?|repeats?)\b")


@dataclass(frozen=True, slots=True)
class Linked:
    """One number that is a link: what stands on the page, and where it leads."""

    page: str
    n: int
    address: str


def random_world(seed: int, kind: str, lead: User) -> tuple[Project, list[Report]]:
    """Two rounds with some items in both, raters who left items out and could not tell; a report on all and on each."""
    rng = random.Random(seed)
    project = led_by(lead, cast.new_project(f"Links {kind}", unique=True))
    question = new_question(
        project,
        kind=kind,
        level="interval" if kind == "number" else "nominal",
        categories=("a", "b", "c & d"),
    )
    if kind == "number":
        question.categories.all().delete()
    categories = list(question.categories.values_list("pk", flat=True))
    rounds = [
        Round.objects.create(project=project, key=key, state="closed") for key in ("first & 1", "second")
    ]
    items = list(keyed(Item, project, [f"item {n}" for n in range(N_ITEMS)]).values())
    raters = list(keyed(Rater, project, ["Ann & co", "Bob", "Cy", "Dee"]).values())
    Rater.objects.filter(pk=raters[3].pk).update(kind="reference")

    def random_value() -> dict:
        if kind == "number":
            return {"number": float(rng.randrange(5))}
        if kind == "multiple":
            return {"category_set": sorted(pk for pk in categories if rng.random() < 0.5)}
        return {"is_abstention": True} if rng.random() < 0.1 else {"category_id": rng.choice(categories)}

    Label.objects.bulk_create(
        Label(item=item, rater=rater, question=question, round=rounds[(place + turn) % 2], **random_value())
        for turn, rater in enumerate(raters)
        for place, item in enumerate(items)
        if rng.random() < 0.75
    )
    scopes = ([rounds[0].key], [rounds[1].key], None)
    return project, [finished_report(project, lead, rounds=scope) for scope in scopes]


def pages_of(project: Project, reports: list[Report]) -> list[str]:
    first, second, both = reports
    agreement = both.questions.select_related("question").get()
    args = [project.slug, both.pk, agreement.question_id]
    pair = agreement.pairs.order_by("pk").last()
    assert pair is not None
    a, b = pair.rater_a_id, pair.rater_b_id
    time = reverse("report_time", args=args)
    compare = reverse("report_compare", args=args)
    key = agreement.question.key
    found = [
        reverse("report_question", args=args),
        reverse("report_raters", args=args) + "?reference=Dee",
        *(
            reverse("report_rater", args=[*args, rater["id"]]) + "?reference=Dee"
            for rater in agreement.raters[:2]
        ),
        reverse("pair", args=[*args, a, b]) + "?reference=b",
        f"{time}?by=round",
        f"{compare}?first=round:first+%26+1&second=round:second",
        f"{compare}?first=report:{first.pk}&second=all",
        f"{compare}?first_rater={a}&first_rater={b}&second_rater={a}&second_rater={agreement.raters[0]['id']}",
        f"{reverse('two_reports', args=[project.slug])}?first={first.pk}&second={second.pk}&question={key}",
    ]
    if agreement.question.kind == "single":
        found.append(reverse("report_categories", args=args))
    return found


def linked_in(client, lead: User, page: str) -> Iterator[Linked]:
    """The links of a page that are a number of items and nothing else; labels are counted elsewhere."""
    look_ahead(lead, page)
    response = client.get(page)
    assert response.status_code == 200, page
    tree = html.fromstring(response.content)
    for link in tree.iterfind(".//main//a"):
        small = link.find("small")
        number = NUMBER.fullmatch(" ".join((link if small is None else small).text_content().split()))
        address = link.get("href", "")
        if number and LISTS.search(address) and not _counts_labels(link):
            yield Linked(page, int(number[1].replace(",", "")), urljoin(page, address))


def _counts_labels(link: html.HtmlElement) -> bool:
    cell = next(link.iterancestors("td"), None)
    if cell is None:
        return False
    heads = cell.xpath("ancestor::table[1]/thead/tr[last()]/th | ancestor::table[1]/thead/tr[last()]/td")
    place = len(list(cell.itersiblings(preceding=True)))
    head = heads[place].text_content() if place < len(heads) else ""
    row = cell.xpath("string(../th[1])")
    return not NOT_ITEMS.isdisjoint((head.strip(), row.strip()))


def n_listed(client, address: str) -> int:
    response = client.get(address.partition("#")[0])
    assert response.status_code == 200, address
    found = COUNTED.search(text_of(response).partition("Agreement /")[2])
    return int(found[1].replace(",", "")) if found else 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(WORLDS))
def test_every_number_leads_to_as_many_items(client, lead, seed, kind):
    project, reports = random_world(seed, kind, lead)
    links = {link for page in pages_of(project, reports) for link in linked_in(client, lead, page)}

    addresses = sorted({link.address for link in links})
    if not FULL:
        addresses = random.Random(seed).sample(addresses, MOST_LISTS)
    listed = {address: n_listed(client, address) for address in addresses}

    assert {link for link in links if listed.get(link.address, link.n) != link.n} == set()
