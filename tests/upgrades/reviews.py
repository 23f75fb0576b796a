"""The project of a database that is kept for later versions to upgrade: every feature in use."""

from typing import Any
from uuid import uuid4


class Reviews:
    """A project from its first question to its shared reports."""

    def __init__(self, owner: Any, people: dict[str, Any]) -> None:
        self.owner, self.people = owner, people
        self.lena, self.rita, self.ravi, self.rosa, self.ada, self.otto = (
            people[name] for name in ("lena", "rita", "ravi", "rosa", "ada", "otto")
        )

    def fill(self) -> None:
        self.make()
        self.ask()
        self.add_items()
        self.import_labels()
        self.label_rounds()
        self.change_codebook()
        self.adjudicate()
        self.replace_contents()
        self.withdraw_items()
        self.report()

    def make(self) -> None:
        from projects import actions
        from projects.codebook.guidelines import write_guidelines
        from projects.members import actions as members
        from projects.members import invitations
        from raters.accounts.tokens import make_token, revoke

        self.project = actions.create_project(
            "Reviews – naïve κ", by=self.lena, slug="reviews", guidelines="# How to label\n\nRead it *twice*."
        )
        for name, role in (("rita", "rater"), ("ravi", "rater"), ("ada", "adjudicator"), ("otto", "auditor")):
            self.add(name, role)
        actions.change_project(
            self.project,
            by=self.lena,
            reading_scale="own",
            thresholds=[{"from": 0.0, "name": "poor"}, {"from": 0.6, "name": "good enough"}],
            thresholds_for="alpha",
            coefficient="krippendorff_alpha",
            shows_own_figures=True,
            adjudication_reasons=["Guideline gap", "Rater slip", "Ambiguous item"],
        )
        write_guidelines(self.project, "# How to label\n\nRead it *three times*.", by=self.lena)
        _, token = invitations.invite(self.project, by=self.lena, role="rater", max_uses=3)
        invitations.redeem(invitations.hashed(token), user=self.rosa, addresses=[])
        withdrawn, _ = invitations.invite(self.project, by=self.lena, role="auditor", email="x@example.org")
        invitations.revoke(withdrawn, by=self.lena)
        nina = self.add("nina", "rater")
        members.change_role(nina, by=self.lena, role="auditor")
        members.remove_member(nina, by=self.lena)
        make_token(self.rita, name="Script", scope="label")
        token_row, _ = make_token(self.lena, name="Script", scope="read")
        revoke(token_row.token_key, by=self.lena)

    def add(self, name: str, role: str) -> Any:
        from projects.members import invitations

        _, token = invitations.invite(self.project, by=self.lena, role=role, username=name)
        return invitations.redeem(invitations.hashed(token), user=self.people[name], addresses=[])

    def ask(self) -> None:
        from projects.codebook.questions import create_question

        common = {"project": self.project, "by": self.lena}
        tone = [
            {"key": "good", "name": "Good", "definition": "Praise.", "color": "green", "shortcut": "1"},
            {
                "key": "fair",
                "name": "Fair",
                "examples": "Fine, I guess.",
                "color": "yellow",
                "shortcut": "2",
            },
            {"key": "bad", "name": "Bad", "color": "red", "shortcut": "3"},
            {"key": "awful", "name": "Awful", "shortcut": "4"},
        ]
        create_question(**common, key="tone", prompt="How is the tone?", categories=tone)
        severity = [{"key": str(n), "name": f"Level {n}", "value": float(n)} for n in range(1, 5)]
        create_question(**common, key="severity", kind="single", level="interval", categories=severity)
        create_question(
            **common, key="rank", level="ordinal", categories=[{"key": key} for key in ("low", "mid", "high")]
        )
        topics = [{"key": key} for key in ("price", "delivery", "quality", "staff")]
        create_question(
            **common,
            key="topics",
            kind="multiple",
            prompt="Which topics?",
            is_required=False,
            categories=topics,
        )
        create_question(**common, key="length", kind="number", level="ratio", allows_abstention=True)

    def add_items(self) -> None:
        from projects.imports.read_options import ReadOptions
        from projects.items.item_columns import ItemOptions
        from raters.imports import actions

        rows = ["item,text,markdown:more,link:source"]
        rows += [
            f"r{n:03},Review number {n} – naïve,*more* of {n},https://example.org/{n}" for n in range(90)
        ]
        data = "\n".join(rows).encode()
        draft = actions.upload(self.project, "items.csv", [data], ItemOptions(), by=self.lena, kind="items")
        actions.confirm(draft, by=self.lena, seen=actions.digest_of_check(draft))
        table = b"question,prompt,scale,labels\nspam,Is it spam?,nominal,no|yes\n"
        draft = actions.upload(
            self.project, "questions.csv", [table], ReadOptions(), by=self.lena, kind="questions"
        )
        actions.confirm(draft, by=self.lena, seen=actions.digest_of_check(draft))

    def import_labels(self) -> None:
        from raters.imports.label_options import LabelOptions

        keys = ("good", "fair", "bad", "awful")
        rows = [
            f"r{n:03},{rater},{keys[(n * step + n // 7) % 4]},pilot,2026-01-{1 + n % 28:02}T12:00:00Z"
            for n in range(60)
            for step, rater in enumerate(("rater-a", "rater-b", "rater-c"), start=1)
        ]
        self._import("pilot.csv", ["item,rater,label,round,time", *rows], LabelOptions(question="tone"))
        # The same file with some labels changed, which replace the others.
        changed = [row.replace(",good,", ",fair,") if n % 9 == 0 else row for n, row in enumerate(rows)]
        self._import(
            "pilot-2.csv",
            ["item,rater,label,round,time", *changed],
            LabelOptions(question="tone", replace=True),
        )
        wide = ["item,rater-a,rater-b", *(f"r{n:03},{(n % 2 and 'yes') or 'no'},no" for n in range(60))]
        self._import("spam.csv", wide, LabelOptions(layout="wide", question="spam"))
        sets = [
            f"r{n:03},{rater},price|{'staff' if n % 2 else 'quality'}" for n in range(40) for rater in "ab"
        ]
        self._import(
            "topics.csv",
            ["item,rater,label", *sets],
            LabelOptions(question="topics", question_kind="multiple"),
        )
        numbers = [f"r{n:03},rater-{r},{n / 3 + (r == 'b')}" for n in range(40) for r in "abc"]
        self._import(
            "length.csv",
            ["item,rater,label", *numbers],
            LabelOptions(question="length", question_kind="number"),
        )
        for question, values in (("severity", ("1", "2", "3", "4")), ("rank", ("low", "mid", "high"))):
            rows = [
                f"r{n:03},rater-{r},{values[(n + (n % 5 == place)) % len(values)]}"
                for n in range(40)
                for place, r in enumerate("abc")
            ]
            self._import(f"{question}.csv", ["item,rater,label", *rows], LabelOptions(question=question))
        reference = [f"r{n:03},tone,{keys[n % 4]}" for n in range(0, 90, 5)]
        self._import(
            "gold.csv",
            ["item,question,label", *reference],
            LabelOptions(rater="reference", rater_kind="reference"),
        )
        model = [f"r{n:03},{keys[n * 7 % 4]}" for n in range(80)]
        self._import(
            "model.csv",
            ["item,label", *model],
            LabelOptions(rater="model-1", rater_kind="model", question="tone"),
        )
        from raters.imports import actions

        given_up = actions.upload(
            self.project, "bad.csv", [b"item,rater,label\nx,y\n"], LabelOptions(), by=self.lena
        )
        actions.give_up(given_up, by=self.lena)
        # One that waits for its preview to be confirmed.
        actions.upload(
            self.project, "draft.csv", [b"item,rater,label\nr001,x,good\n"], LabelOptions(), by=self.lena
        )

    def _import(self, name: str, lines: list[str], options: Any) -> None:
        from raters.imports import actions
        from raters.tasks import load_import

        content = "\n".join(lines).encode()
        draft = actions.upload(self.project, name, [content], options, by=self.lena)
        assert not draft.n_faults, draft.faults[:3]
        actions.confirm(draft, by=self.lena)
        load_import(draft.pk)
        draft.refresh_from_db()
        assert draft.state == "done", draft.failure

    def label_rounds(self) -> None:
        """One round that is revealed, one that trains, one that goes on, and one that was only planned."""
        from raters.rounds import states
        from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
        from raters.rounds.plan_storage import plan_round, replan
        from raters.rounds.round_plan import ReferenceItems, RoundPlan

        raters = [self.rita, self.ravi, self.rosa]
        some = Overlap(AssignmentDesign.SOME, 2)
        first = plan_round(
            self.project,
            "round 1",
            RoundPlan(
                overlap=some, seed=3, repeat_share=0.2, n_items=16, reference_items=ReferenceItems(number=2)
            ),
            raters,
            by=self.lena,
        )
        states.open_round(first, by=self.lena)
        self.label(first)
        states.close_round(first, by=self.lena)
        states.reveal_round(first, by=self.lena)
        training = plan_round(
            self.project,
            "training",
            RoundPlan(
                overlap=Overlap(AssignmentDesign.EVERYONE),
                seed=4,
                n_items=5,
                reference_items=ReferenceItems(number=3),
            ),
            raters,
            by=self.lena,
            reference_use="training",
        )
        states.open_round(training, by=self.lena)
        self.label(training)
        going_on = plan_round(
            self.project,
            "round 2",
            RoundPlan(
                overlap=Overlap(AssignmentDesign.SHARE_TWICE, share=0.5),
                seed=5,
                n_items=10,
                reference_items=ReferenceItems(share=0.2),
            ),
            raters[:2],
            by=self.lena,
            idle_minutes=30,
        )
        states.open_round(going_on, by=self.lena)
        self.label(going_on, most=6)
        replan(going_on, raters, by=self.lena, seed=9)
        plan_round(
            self.project,
            "later",
            RoundPlan(overlap=some, seed=6, is_on_demand=True, n_items=5),
            raters,
            by=self.lena,
        )

    def label(self, round_: Any, *, most: int = 1000) -> None:
        from raters.models import Assignment

        places = Assignment.objects.filter(round=round_, rater__isnull=False).order_by("rater", "position")
        for turn, place in enumerate(list(places.select_related("rater__user", "item"))[:most]):
            self.label_item(place, turn)

    def label_item(self, place: Any, turn: int) -> None:
        """Saved, and now and then skipped, changed or taken back."""
        from raters.labeling.saving import save_answers
        from raters.labeling.saving_records import ReferenceAlreadyShown, SubmittedAnswers
        from raters.labeling.skipping import skip
        from raters.labeling.undoing import undo

        rater, user = place.rater, place.rater.user
        if turn % 7 == 3:
            skip(rater, place.pk)
        saved = save_answers(
            rater,
            place.pk,
            SubmittedAnswers(self.answers(turn), {}, seconds=3.5 + turn, is_guideline_unclear=turn % 6 == 0),
            key=uuid4(),
            by=user,
        )
        try:
            if turn % 5 == 0:
                more = SubmittedAnswers(self.answers(turn + 1), saved.revisions, seconds=2.0, source="api")
                saved = save_answers(rater, place.pk, more, key=uuid4(), by=user)
            if turn % 10 == 0:
                saved = undo(rater, place.pk, saved.revisions, key=uuid4(), by=user)
            if turn % 20 == 0:
                saved = undo(rater, place.pk, saved.revisions, key=uuid4(), by=user)
        except ReferenceAlreadyShown:
            pass

    def answers(self, turn: int) -> dict[str, Any]:
        from raters.labeling.answers import Answer

        found = {
            "tone": Answer(
                category=("good", "fair", "bad", "awful")[turn % 4], note="Why? – ‘naïve’" * (turn % 2)
            ),
            "severity": Answer(category=str(1 + turn % 4)),
            "rank": Answer(category=("low", "mid", "high")[turn % 3]),
            "length": Answer(number=turn / 3),
            "spam": Answer(category="yes" if turn % 3 else "no"),
        }
        if turn % 4:
            found["topics"] = Answer(categories=("delivery", "price") if turn % 3 else ())
        if turn % 8 == 1:
            found["tone"] = Answer(is_abstention=True, reason="Unreadable", note="Blurred.")
        return found

    def change_codebook(self) -> None:
        from projects.codebook.categories import change_category, move_category
        from projects.codebook.guidelines import write_guidelines
        from projects.codebook.questions import change_question
        from projects.models import Category
        from raters.linking.actions import link, unlink
        from raters.merging.actions import merge_category
        from raters.models import Rater

        tone = self.project.questions.get(key="tone")
        by_key = {category.key: category for category in tone.categories.all()}
        merge_category(by_key["awful"], by_key["bad"], by=self.lena)
        topics = self.project.questions.get(key="topics")
        staff, quality = (Category.objects.get(question=topics, key=key) for key in ("staff", "quality"))
        merge_category(staff, quality, by=self.lena)
        change_category(by_key["good"], by=self.lena, name="Very good", definition="High praise.")
        move_category(by_key["fair"], 1, by=self.lena)
        change_question(tone, by=self.lena, prompt="How does it sound?")
        write_guidelines(self.project, "# How to label\n\nRead it once.", by=self.lena)
        rater = Rater.objects.get(project=self.project, key="rater-c")
        rater = link(rater, by=self.lena, user=self.lena)
        unlink(rater, by=self.lena)

    def adjudicate(self) -> None:
        from raters.adjudication.deciding import NewDecision, decide, withdraw
        from raters.labeling.answers import Answer

        tone = self.project.questions.get(key="tone")
        items = list(self.project.items.filter(key__in=[f"r{n:03}" for n in range(1, 9)]).order_by("key"))
        for place, item in enumerate(items):
            verdict = NewDecision(
                Answer(category=("good", "bad")[place % 2]),
                reason="Rater slip",
                note="Seen again.",
                is_for_guidelines=place % 3 == 0,
            )
            standing = decide(item, tone, verdict, seen=0, by=self.ada)
            if place == 1:
                again = NewDecision(Answer(category="good"), reason="Guideline gap")
                decide(item, tone, again, seen=standing.revision, by=self.lena)
            if place == 2:
                withdraw(item, tone, seen=standing.revision, by=self.ada)

    def replace_contents(self) -> None:
        from projects.items.item_columns import ItemOptions
        from raters.imports import actions

        data, options = b"item,text\nr010,Another text\nr011,A third\n", ItemOptions(replace=True)
        draft = actions.upload(self.project, "items-2.csv", [data], options, by=self.lena, kind="items")
        actions.confirm(draft, by=self.lena, seen=actions.digest_of_check(draft))

    def withdraw_items(self) -> None:
        from projects.items.actions import restore_item, withdraw_item

        items = list(self.project.items.order_by("key")[20:23])
        for item in items:
            withdraw_item(item, by=self.lena)
        restore_item(items[0], by=self.lena)

    def report(self) -> None:
        """Reports with every option, what is asked of them later, and links to them."""
        from django.test import Client

        from reports.analysis.windows import WindowGrouping
        from reports.store import links
        from reports.store.on_demand import (
            OnDemandNotReady,
            agreement_over_time,
            report_differences,
            side_differences,
        )
        from reports.store.over_time import OverTimeOptions
        from reports.store.requests import cancel_report, request_report
        from reports.tasks import compute_later_figures

        whole = report_on(self.project, self.lena)
        weighted = report_on(
            self.project,
            self.ada,
            questions=["tone", "rank", "severity"],
            weights="custom",
            matrices={
                "tone": [[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]],
                "rank": [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]],
                "severity": [[1, 0.7, 0.3, 0], [0.7, 1, 0.7, 0.3], [0.3, 0.7, 1, 0.7], [0, 0.3, 0.7, 1]],
            },
        )
        for weights, interval in (("linear", "bca"), ("quadratic", "percentile"), ("ordinal", "jackknife")):
            report_on(
                self.project,
                self.lena,
                questions=["rank", "tone"],
                weights=weights,
                interval=interval,
                confidence=0.9,
                **({"replicates": 1000, "seed": 7} if interval != "jackknife" else {}),
            )
        report_on(self.project, self.lena, rounds=["pilot"], questions=["tone"], smoothing=1.0)
        report_on(
            self.project,
            self.lena,
            reference="model-1",
            counted=["human", "model", "reference"],
            questions=["tone"],
        )
        waiting = request_report(self.project, by=self.lena, questions=["spam"], weights="linear")
        cancel_report(waiting, by=self.lena)
        request_report(self.project, by=self.lena, questions=["spam"], weights="quadratic")
        # What is asked of a report later is forgotten with a person.
        self.leave()
        tone = whole.questions.get(question__key="tone")
        pilot = self.project.reports.filter(scope__rounds=["pilot"]).get().questions.get()
        asked = (
            lambda: agreement_over_time(
                tone, OverTimeOptions(WindowGrouping.NUMBER, "fleiss_kappa", 4), by=self.lena
            ),
            lambda: report_differences(pilot, tone, by=self.lena),
            lambda: side_differences(tone, "round:pilot", "round:round 1", by=self.lena),
        )
        for ask in asked:
            try:
                ask()
            except OnDemandNotReady as waited:
                compute_later_figures(waited.figures.pk)
                waited.figures.refresh_from_db()
                assert waited.figures.state == "done", waited.figures.failure  # noqa: PT017
        _, token = links.share(whole, by=self.lena, days=365, note="For the board")
        assert Client().get(f"/r/{token}/").status_code == 200
        withdrawn, _ = links.share(weighted, by=self.lena)
        links.revoke(withdrawn, by=self.lena)

    def leave(self) -> None:
        """Somebody declines to come, and somebody who labeled is erased."""
        from projects.members import invitations
        from raters.accounts.erasing import erase

        declined, _ = invitations.invite(self.project, by=self.lena, role="rater", username="nina")
        invitations.decline(declined, by=self.people["nina"])
        erase(self.rosa, by=self.owner, username="rosa")


def report_on(project: Any, by: Any, **options: Any) -> Any:
    from reports.store.requests import request_report
    from reports.tasks import compute_report

    report = request_report(project, by=by, **options)
    compute_report(report.pk)
    report.refresh_from_db()
    assert report.state == "done", report.failure
    return report
