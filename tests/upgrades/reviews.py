"""The project of a database that is kept for later versions to upgrade: every feature in use."""

from typing import Any

from tests.upgrades.review_labels import import_labels, label_rounds
from tests.upgrades.review_reports import ask_of_reports, make_reports


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
        import_labels(self.project, by=self.lena)
        label_rounds(self.project, [self.rita, self.ravi, self.rosa], by=self.lena)
        self.change_codebook()
        self.adjudicate()
        self.replace_contents()
        self.withdraw_items()
        whole, weighted = make_reports(self.project, self.lena, self.ada)
        # What is asked of a report later is forgotten with a person.
        self.leave()
        ask_of_reports(whole, weighted, by=self.lena)

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

    def leave(self) -> None:
        """Somebody declines to come, and somebody who labeled is erased."""
        from projects.members import invitations
        from raters.accounts.erasing import erase

        declined, _ = invitations.invite(self.project, by=self.lena, role="rater", username="nina")
        invitations.decline(declined, by=self.people["nina"])
        erase(self.rosa, by=self.owner, username="rosa")
