"""Ids and keys of another project inside bodies, forms and query strings: a request for every field that takes any."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.urls import reverse

from tests.config.routes import ROWS
from tests.config.routes.row import Row
from tests.faults.matrix import Two, body_of, fingerprint, send, undone
from tests.faults.smuggled_names import NOTHING, Names, names_of
from tests.finished import World

Fields = dict[str, Any]


def _items_sent(names: Names) -> dict[str, Fields]:
    """Ways to choose what a model labels, by their main field."""
    return {
        "items_of_round": {"items_of_round": names.round_key},
        "items_of_list": {"items_of_list": names.question},
        "items": {"items": [names.item_key]},
        "round": {"round": names.round_key, "questions": [names.question_key]},
    }


def _on_items_of(names: Names) -> Fields:
    items = {"kind": "round", "round": names.round_key, "again": True}
    return {"key": "on them", "design": "everyone", "raters": [names.username], "items": items}


def _without_key(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name != "key"}


def _on_unsure_items_of(names: Names) -> Fields:
    items = {"kind": "confidence", "question": names.question_key, "at_most": 0.5}
    return {"key": "on them", "design": "everyone", "raters": [names.username], "items": items}


@dataclass(frozen=True, slots=True)
class Sent:
    """One request that names things: `sent` makes its fields of the names to try and of mine.

    As the query of a GET, as the form of a page, or as the body of the API. has_control: whether what is mine is
    answered otherwise than what is nothing, which shows that the field is looked at.
    """

    route: str
    sent: Callable[[Names, Names], Fields]
    method: str = "get"
    by: str = "lead"
    has_control: bool = True
    # Of mine, where those of the row do not go with what is named.
    args: Callable[[World, Names], list[Any]] | None = None

    @property
    def row(self) -> Row:
        rows = [row for row in ROWS if row.name == self.route]
        return next((row for row in rows if row.method == self.method), rows[0])

    def __str__(self) -> str:
        return f"{self.method} {self.route} {sorted(names_in(self.sent(NOTHING, NOTHING)))}"


def names_in(sent: Any) -> Iterator[str]:
    if isinstance(sent, dict):
        for name, value in sent.items():
            yield name
            yield from names_in(value)
    elif isinstance(sent, list):
        for each in sent:
            yield from names_in(each)


def _answers(**given: Any) -> Fields:
    answer = {"question": "answer", "category": "good"} | given
    if "categories" in given:
        del answer["category"]
    return {"answers": [answer], "revisions": []}


def _audit(mine: Names, **more: Any) -> dict[str, Any]:
    given = {"name": "Audit", "question": mine.question_key, "aim": "estimate", "n": 1}
    return {**given, "auditors": [mine.username], **more}


def _decisions(**given: Any) -> Fields:
    return {"labels_digest": "0", "decisions": [{"category": "good", "revision": 0} | given]}


def _seen(names: Names) -> Fields:
    return {"revisions": [{"question": names.question_key, "revision": 1}]}


def _first_category(mine: World, names: Names) -> list[Any]:
    return [mine.project.slug, names.question, names.others[0]]


def _first_alone(mine: World, names: Names) -> list[Any]:
    return [mine.project.slug, names.others[0]]


def _two(mine: Names) -> Fields:
    return {"first": mine.report, "second": mine.first_report}


def _place(mine: World, names: Names) -> list[Any]:
    return [mine.project.slug, names.place]


_MATRIX = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
PLANNING = {
    "key": "smuggled", "design": "everyone", "raters_per_item": 2, "share": 20, "reference_use": "check", "repeats": 0,
    "idle_minutes": 60, "seed": 1, "kappa": 0.6, "prevalence": 50,
}  # fmt: skip
SETTINGS_OF_ROUND = {"idle_minutes": 60, "reference_use": "check"}
ADAPTIVE = {"until": "majority", "up_to": 3}
AGAIN = {"seed": 1, "kappa": 0.6, "prevalence": 50}
DECIDED = {"reason": "Rater slip", "revision": 0}

SENT = [
    Sent("log", lambda names, mine: {"person": names.username}),
    Sent("log_file", lambda names, mine: {"person": names.username}, has_control=False),
    Sent("api_events", lambda names, mine: {"person": names.username}),
    Sent("api_events_file", lambda names, mine: {"person": names.username}, has_control=False),
    Sent("label_changes", lambda names, mine: {"person": names.rater_key}, has_control=False),
    Sent("label_changes", lambda names, mine: {"item": names.item_key}, has_control=False),
    Sent("label_changes", lambda names, mine: {"question": names.question_key}),
    Sent("label_changes_file", lambda names, mine: {"item": names.item_key}, has_control=False),
    Sent("label_changes_file", lambda names, mine: {"question": names.question_key}, has_control=False),
    Sent("api_label_changes", lambda names, mine: {"person": names.username}, has_control=False),
    Sent("api_label_changes", lambda names, mine: {"item": names.item_key}, has_control=False),
    Sent("api_label_changes", lambda names, mine: {"question": names.question_key}),
    Sent("api_label_changes_file", lambda names, mine: {"person": names.username}, has_control=False),
    Sent("api_label_changes_file", lambda names, mine: {"item": names.item_key}, has_control=False),
    Sent("api_label_changes_file", lambda names, mine: {"question": names.question_key}, has_control=False),
    # For owners of the server alone, so that there is nothing for a lead.
    Sent("api_person_erase", lambda names, mine: {"username": names.username}, "post", has_control=False),
    Sent("api_disputes", lambda n, _: {"question": n.question_key}),
    Sent("api_disputes", lambda n, _: {"round": n.round_key}),
    Sent("api_case", lambda n, _: DECIDED | {"category": n.category_key}, "put"),
    # The question takes one category, so that a set is refused whatever is in it.
    Sent("api_case", lambda n, _: DECIDED | {"categories": [n.category_key]}, "put", has_control=False),
    Sent("api_adjudication_bulk", lambda n, _: {"rule": "majority", "question": n.question_key}, "post"),
    Sent("api_adjudication_bulk", lambda n, _: {"rule": "majority", "round": n.round_key}, "post"),
    Sent("api_adjudication_bulk", lambda n, _: {"rule": "majority", "list": n.question}, "post", has_control=False),
    Sent("api_adjudication_bulk", lambda n, _: {"rule": "rater", "rater": n.rater_key}, "post",
         has_control=False),
    Sent("api_adjudication_item", lambda n, _: _decisions(question=n.question_key), "put", has_control=False),
    Sent("api_adjudication_item", lambda n, m: _decisions(question=m.question_key, category=n.category_key), "put",
         has_control=False),
    Sent("api_adjudication_item", lambda n, m: _decisions(question=m.question_key, categories=[n.category_key]),
         "put", has_control=False),
    Sent("api_codebook_copy", lambda n, _: {"project": n.slug}, "post"),
    Sent("api_codebook_order", lambda n, _: {"ids": [n.question]}, "put"),
    Sent("api_category_order", lambda n, m: {"ids": [*m.others, n.category]}, "put"),
    Sent("api_category_merge", lambda n, _: {"into": n.category}, "post", args=_first_category),
    # Refused in any case: no endpoint is set.
    *(
        Sent(
            "api_model_runs",
            lambda n, _, name=name: {"model": "tiny", **_items_sent(n)[name]},
            "post",
            has_control=False,
        )
        for name in ("items_of_round", "items_of_list", "items", "round")
    ),
    Sent("api_finals", lambda n, _: {"round": n.round_key}),
    Sent("api_report_effect", lambda n, _: {"import": n.label_import}),
    Sent("api_label_exports", lambda n, _: {"question": n.question_key}),
    Sent("api_label_exports", lambda n, _: {"round": n.round_key}),
    Sent("api_label_export", lambda n, _: {"question": n.question_key}),
    Sent("api_label_export", lambda n, _: {"round": n.round_key}),
    Sent("export_labels", lambda n, _: {"question": n.question}),
    Sent("export_labels", lambda n, _: {"round": n.round}),
    Sent("labels_file", lambda n, _: {"question": n.question}),
    Sent("labels_file", lambda n, _: {"round": n.round}),
    Sent("api_items", lambda n, _: {"key": n.item_key}),
    Sent("api_items", lambda n, _: {"key_prefix": n.item_key}),
    Sent("api_items", lambda n, _: {"round": n.round_key}),
    Sent("api_raters", lambda n, _: {"key": n.rater_key}),
    Sent("api_labels", lambda n, _: {"question": n.question_key}),
    Sent("api_labels", lambda n, _: {"rater": n.rater_key}),
    Sent("api_labels", lambda n, _: {"round": n.round_key}),
    Sent("api_labels", lambda n, _: {"item": n.item_key}),
    Sent("api_missing_answers", lambda n, _: {"question": n.question_key}),
    Sent("api_missing_answers", lambda n, m: {"question": m.question_key, "rater": n.rater_key}),
    Sent("api_missing_answers", lambda n, m: {"question": m.question_key, "round": n.round_key}),
    Sent("api_media", lambda n, _: {"name": n.media}),
    Sent("api_rater", lambda n, _: {"user": n.username}, "patch"),
    # Whether there is an account of another's name is not told.
    Sent("api_invitations", lambda n, _: {"role": "rater", "user": n.username}, "post"),
    Sent(
        "invite",
        lambda n, _: {"role": "rater", "username": n.username, "max_uses": 1, "days": 7, "email": ""},
        "post",
    ),
    Sent("api_reports", lambda n, _: {"questions": [n.question_key]}, "post"),
    Sent("api_reports", lambda n, _: {"rounds": [n.round_key]}, "post"),
    Sent("api_reports", lambda n, _: {"reference": n.rater_key}, "post"),
    Sent("api_reports", lambda n, _: {"matrices": {n.question_key: _MATRIX}, "weights": "custom"}, "post"),
    Sent("api_comparison", lambda n, _: {"first": f"report:{n.report}", "second": "all"}),
    Sent("api_comparison", lambda n, _: {"first": "all", "second": f"report:{n.report}"}),
    Sent("api_comparison", lambda n, m: {"first": f"pair:{m.first_rater}:{n.rater}", "second": "all"}),
    Sent("api_pairs", lambda n, _: {"rater": n.rater_key}),
    Sent("api_statistics", lambda n, _: {"reference": n.rater_key}),
    Sent("api_report_rater", lambda n, _: {"reference": n.rater_key}),
    # No rater of the world is a model.
    Sent("report_models", lambda n, _: {"model": n.rater_key}, has_control=False),
    Sent("report_decisions", lambda n, _: {"model": n.rater_key}, has_control=False),
    Sent("report_decisions", lambda n, _: {"against": n.rater_key}, has_control=False),
    *(
        Sent(route, lambda n, _: {"model": n.rater_key}, has_control=False)
        for route in ("api_report_sampled_items", "report_sample_file")
    ),
    *(
        Sent(route, lambda n, _, name=name: {name: n.rater_key}, has_control=False)
        for route in ("api_report_decisions", "api_report_decided_items", "report_decisions_file")
        for name in ("model", "against")
    ),
    # No label of the world has a confidence.
    Sent("api_report_confidence", lambda n, _: {"reference": n.rater_key}, has_control=False),
    Sent("api_item_lists", lambda n, _: {"name": "new", "items": [n.item_key]}, "post"),
    Sent("api_audits", lambda n, m: _audit(m, question=n.question_key), "post", has_control=False),
    Sent("api_audits", lambda n, m: _audit(m, raters=[n.rater_key]), "post", has_control=False),
    Sent("api_audits", lambda n, m: _audit(m, rounds=[n.round_key]), "post", has_control=False),
    Sent("api_audits", lambda n, m: _audit(m, categories=[n.category_key]), "post", has_control=False),
    Sent("api_audits", lambda n, m: _audit(m, auditors=[n.username]), "post", has_control=False),
    Sent("api_rounds", lambda n, _: _on_items_of(n), "post"),
    Sent("api_rounds", lambda n, _: _on_unsure_items_of(n), "post"),
    Sent("api_round_preview", lambda n, _: _without_key(_on_unsure_items_of(n)), "post"),
    Sent("api_rounds", lambda n, _: {"key": "new", "design": "everyone", "raters": [n.username]}, "post"),
    Sent("api_round_preview", lambda n, _: {"design": "everyone", "raters": [n.username]}, "post"),
    Sent("api_round_raters", lambda n, _: {"raters": [n.username]}, "put"),
    Sent("api_round", lambda n, _: {"gates": [n.round]}, "patch", has_control=False),
    Sent("round_settings", lambda n, _: SETTINGS_OF_ROUND | {"gates": [n.round]}, "post", has_control=False),
    Sent("api_round_adaptive", lambda n, _: {"raters": [n.username]}, "put"),
    Sent("api_round_adaptive", lambda n, _: {"questions": [n.question_key]}, "put"),
    Sent("round_adaptive", lambda n, _: ADAPTIVE | {"raters": [n.user]}, "post"),
    Sent("round_adaptive", lambda n, _: ADAPTIVE | {"questions": [n.question]}, "post"),
    Sent("api_answers", lambda n, _: _answers(question=n.question_key), "put", "rater", args=_place),
    Sent("api_answers", lambda n, _: _answers(category=n.category_key), "put", "rater", args=_place),
    Sent(
        "api_answers", lambda n, _: _answers(categories=[n.category_key]), "put", "rater", has_control=False
    ),
    Sent("api_answers", lambda n, _: _answers() | _seen(n), "put", "rater", args=_place),
    Sent("api_undo", lambda n, _: _seen(n), "post", "rater", has_control=False),
    Sent("api_next_assignment", lambda n, m: {"held": [*m.waiting, n.place]}, "post", "rater"),
    Sent("codebook_copy", lambda n, _: {"source": n.project}, "post"),
    Sent("codebook_order", lambda n, _: {"id": [n.question]}, "post"),
    Sent("codebook_category_order", lambda n, m: {"id": [*m.others, n.category]}, "post"),
    Sent("codebook_category_merge", lambda n, _: {"into": n.category}, "post", args=_first_alone),
    Sent("rater_link", lambda n, _: {"username": n.username}, "post"),
    Sent("label", lambda n, m: {"held": [*m.waiting, n.place]}, by="rater"),
    Sent("label_item", lambda n, _: {"saved": n.done}, by="rater"),
    Sent("label_item", lambda n, m: {f"answer-{m.question}": n.category}, "post", "rater", args=_place),
    Sent("adjudicate", lambda n, _: {"question": n.question}),
    Sent("adjudicate", lambda n, _: {"round": n.round}),
    Sent("adjudicate_next", lambda n, _: {"question": n.question}),
    Sent("adjudicate_item", lambda n, _: {"round": n.round}),
    Sent("adjudicate_item", lambda n, _: {"decision": f"category-{n.category}"} | DECIDED, "post"),
    Sent("adjudicate_item", lambda n, _: {"decision": "other", "other_category": n.category}, "post",
         has_control=False),
    Sent("adjudicate_whole", lambda n, m: {f"decision-{m.question}": f"category-{n.category}"}, "post",
         has_control=False),
    Sent("adjudicate_bulk", lambda n, _: {"rule": "majority", "question": n.question}),
    Sent("adjudicate_bulk", lambda n, _: {"rule": "majority", "round": n.round}),
    Sent("finals", lambda n, _: {"round": n.round}),
    Sent("finals_file", lambda n, _: {"round": n.round}),
    Sent("progress_items", lambda n, _: {"what": "labels", "rater": n.rater}),
    Sent("progress_items", lambda n, _: {"what": "done", "rater": n.rater}),
    Sent("progress_items", lambda n, _: {"what": "labels", "round": n.round}),
    Sent("progress_items", lambda n, _: {"what": "labels", "question": n.question}),
    Sent("agreement", lambda n, _: {"weights": "unweighted", "questions": [n.question_key]}, "post"),
    Sent("agreement", lambda n, _: {"weights": "unweighted", "rounds": [n.round_key]}, "post"),
    Sent("agreement", lambda n, _: {"weights": "unweighted", "reference": n.rater_key}, "post"),
    Sent("round_new", lambda n, _: PLANNING | {"raters": [n.user]}, "post"),
    Sent("round_reassign", lambda n, _: AGAIN | {"raters": [n.user]}, "post"),
    Sent("report_compare", lambda n, _: {"first": f"report:{n.report}", "second": "all"}),
    Sent("report_compare", lambda n, m: {"a": m.first_rater, "b": n.rater, "c": m.rater, "d": n.rater}),
    Sent("report_compare", lambda n, m: {"first_rater": [n.rater], "second_rater": [m.first_rater]}),
    Sent("report_raters", lambda n, _: {"reference": n.rater_key}),
    Sent("report_rater", lambda n, _: {"reference": n.rater_key}),
    Sent("report_rater_items", lambda n, _: {"row": n.category_key}),
    Sent("api_two_reports", lambda n, m: {"first": m.report, "second": n.report}),
    Sent("api_two_reports", lambda n, m: {"first": n.report, "second": m.report}),
    Sent("api_two_reports", lambda n, m: _two(m) | {"question": n.question_key}),
    Sent("two_reports", lambda n, m: {"first": m.report, "second": n.report}),
    Sent("report_items", lambda n, _: {"rater": n.rater_key}),
    Sent("report_filter", lambda n, _: {"raters": n.rater_key}),
    Sent("report_filter", lambda n, _: {"round": n.round_key}),
    # Of so few pairs, every matrix is shown, whichever is chosen.
    Sent("report_filter", lambda n, m: {"pair": f"{m.first_rater}-{n.rater}"}, has_control=False),
    Sent("pair_items", lambda n, _: {"row": n.category_key}),
    Sent("pair_items", lambda n, m: {"row": m.category_key, "column": n.category_key}),
    Sent("report_items", lambda n, _: {"has": n.category_key}),
    Sent("report_items", lambda n, m: {"rater": m.rater_key, "label": n.category_key}),
    Sent("report_items", lambda n, _: {"abstains": n.rater_key}),
    Sent("report_items", lambda n, _: {"decided": "yes", "model": n.rater_key}, has_control=False),
    Sent("report_items", lambda n, _: {"also": f"report:{n.report}"}),
    Sent("report_items", lambda n, _: {"most": n.category_key}),
    Sent("report_items", lambda n, _: {"estimated": n.category_key}),
    Sent("report_items", lambda n, m: {"one_of": [m.rater_key, n.rater_key]}),
    Sent("report_items", lambda n, _: {"raters": n.rater}),
    Sent("report_items", lambda n, _: {"round": n.round_key}),
    Sent("report_items", lambda n, m: {"without": f"raters:{m.first_rater}:{n.rater}"}),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tried:
    """What is answered to names of nothing, of theirs and of mine, without the names; is_changed: theirs is."""

    nothing: str
    theirs: str
    mine: str
    is_changed: bool


def tried(two: Two, sent: Sent) -> Tried:
    with undone():
        mine, theirs = (names_of(two, world) for world in (two.mine, two.theirs))
        args = sent.args(two.mine, mine) if sent.args else sent.row.args(two.mine)
        named = (
            str(getattr(names, each.name)) for names in (mine, theirs, NOTHING) for each in fields(Names)
        )
        # A name may be a part of another one, and stands in addresses too.
        words = sorted((word for name in named for word in {name, quote_plus(name)}), key=len, reverse=True)
        before = fingerprint(two.theirs)
        answers, changed = [], False
        for names in (NOTHING, theirs, mine):
            with undone():
                answers.append(_answer(two, sent, sent.sent(names, mine), args, words))
                changed |= names is theirs and fingerprint(two.theirs) != before
        nothing, other, own = answers
        return Tried(nothing, other, own, changed)
    raise AssertionError("not reached")


NEW = re.compile(r'"id":\d+|\d{4}-\d\d-\d\dT[\d:.]+Z|/invitations/\d+/|\b\d\d:\d\d\b')


def _answer(two: Two, sent: Sent, given: Fields, args: list[Any], words: list[str]) -> str:
    row = replace(sent.row, method=sent.method, data={} if sent.method == "get" else given)
    query = "?" + urlencode(given, doseq=True) if sent.method == "get" else ""
    client = two.client(sent.by)
    answer = send(client, row, reverse(row.name, args=args) + query)
    # What a form did is said on the page that it leads to.
    led_to = body_of(client.get(answer["Location"]), words) if answer.status_code == 302 else ""
    # Of what was just made, the id and the moments say nothing; on a page the id stands in addresses.
    return NEW.sub("<new>", body_of(answer, words) + led_to)
