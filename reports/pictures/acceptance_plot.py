"""The operating characteristic of an acceptance plan: the probability of acceptance by error rate."""

from typing import TypedDict

from reports.agreement.audits.sampling_plans import Performance
from reports.drawing.picture import Picture
from reports.plans.audit import AuditPlan

WIDTH, HEIGHT = 430, 230


class PointRow(TypedDict):
    """One point of the curve."""

    rate: float
    acceptance: float


class RiskRow(TypedDict):
    """One of the two rates that the plan was designed for."""

    rate: float
    name: str


def acceptance_picture(curve: Performance, plan: AuditPlan) -> Picture:
    points: list[PointRow] = [
        {"rate": rate, "acceptance": chance}
        for rate, chance in zip(curve.rates.tolist(), curve.acceptance.tolist(), strict=True)
    ]
    risks: list[RiskRow] = [
        {"rate": plan.acceptable, "name": "acceptable"},
        {"rate": plan.rejectable, "name": "rejectable"},
    ]
    x = {
        "field": "rate",
        "type": "quantitative",
        "scale": {"domain": [0, float(curve.rates[-1])], "nice": False},
        "axis": {"format": ".1~%", "title": "error rate", "grid": False, "tickCount": 6},
    }
    specification = {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": points},
        "layer": [
            {
                "name": "risks",
                "data": {"values": risks},
                "mark": {"type": "rule", "style": "here"},
                "encoding": {"x": x},
            },
            {
                "name": "acceptance",
                "mark": {"type": "line", "style": "bias", "strokeWidth": 2},
                "encoding": {
                    "x": x,
                    "y": {
                        "field": "acceptance",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1]},
                        "axis": {
                            "format": ".0%",
                            "title": "probability of acceptance",
                            "values": [0, 0.25, 0.5, 0.75, 1],
                        },
                    },
                },
            },
        ],
    }
    return Picture(
        specification,
        kind="curve",
        words="Probability of acceptance by error rate; the acceptable and the rejectable rate are marked. Same data "
        "in the table below",
    )


class NumberRow(TypedDict):
    """One point of the average sample number."""

    rate: float
    n: float


def sample_number_picture(curve: Performance) -> Picture:
    """Draw how many labels are audited on average until the decision, for a plan with several looks."""
    points: list[NumberRow] = [
        {"rate": rate, "n": n}
        for rate, n in zip(curve.rates.tolist(), curve.sample_number.tolist(), strict=True)
    ]
    specification = {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": points},
        "layer": [
            {
                "name": "sample_number",
                "mark": {"type": "line", "style": "bias", "strokeWidth": 2},
                "encoding": {
                    "x": {
                        "field": "rate",
                        "type": "quantitative",
                        "scale": {"domain": [0, float(curve.rates[-1])], "nice": False},
                        "axis": {"format": ".1~%", "title": "error rate", "grid": False, "tickCount": 6},
                    },
                    "y": {
                        "field": "n",
                        "type": "quantitative",
                        "scale": {"zero": True},
                        "axis": {"format": ",.0f", "title": "labels audited on average", "tickCount": 5},
                    },
                },
            }
        ],
    }
    return Picture(
        specification,
        kind="curve",
        words="Average number of labels audited by error rate. Same data in the table below",
    )
