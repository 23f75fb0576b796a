"""The reports of the project of `reviews`, what is asked of them later, and links to them."""

from typing import Any


def make_reports(project: Any, lena: Any, ada: Any) -> tuple[Any, Any]:
    """Make reports with every option; return one on everything and one with weights of its own."""
    from reports.store.requests import cancel_report, request_report

    whole = report_on(project, lena)
    weighted = report_on(
        project,
        ada,
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
            project,
            lena,
            questions=["rank", "tone"],
            weights=weights,
            interval=interval,
            confidence=0.9,
            **({"replicates": 1000, "seed": 7} if interval != "jackknife" else {}),
        )
    report_on(project, lena, rounds=["pilot"], questions=["tone"], smoothing=1.0)
    report_on(
        project,
        lena,
        reference="model-1",
        counted=["human", "model", "reference"],
        questions=["tone"],
    )
    waiting = request_report(project, by=lena, questions=["spam"], weights="linear")
    cancel_report(waiting, by=lena)
    request_report(project, by=lena, questions=["spam"], weights="quadratic")
    return whole, weighted


def ask_of_reports(whole: Any, weighted: Any, *, by: Any) -> None:
    """Ask for figures that are computed later, and share links."""
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
    from reports.tasks import compute_on_demand

    tone = whole.questions.get(question__key="tone")
    pilot = whole.project.reports.filter(scope__rounds=["pilot"]).get().questions.get()
    asked = (
        lambda: agreement_over_time(tone, OverTimeOptions(WindowGrouping.NUMBER, "fleiss_kappa", 4), by=by),
        lambda: report_differences(pilot, tone, by=by),
        lambda: side_differences(tone, "round:pilot", "round:round 1", by=by),
    )
    for ask in asked:
        try:
            ask()
        except OnDemandNotReady as waited:
            compute_on_demand(waited.figures.pk)
            waited.figures.refresh_from_db()
            assert waited.figures.state == "done", waited.figures.failure  # noqa: PT017
    _, token = links.share(whole, by=by, days=365, note="For the board")
    assert Client().get(f"/r/{token}/").status_code == 200
    withdrawn, _ = links.share(weighted, by=by)
    links.revoke(withdrawn, by=by)


def report_on(project: Any, by: Any, **options: Any) -> Any:
    from reports.store.requests import request_report
    from reports.tasks import compute_report

    report = request_report(project, by=by, **options)
    compute_report(report.pk)
    report.refresh_from_db()
    assert report.state == "done", report.failure
    return report
