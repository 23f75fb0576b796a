"""What an analysis finds: typed here, read from JSON and written to it here and nowhere else.

A figure that is undefined has no value and a reason; one without an interval has a value and a reason.
"""

from reports.analysis.results.checks import Checks, IdenticalPair, LowPair, Relabeled, Shifted
from reports.analysis.results.differences import (
    CategoryDifferences,
    ChangedItem,
    Differences,
    ModelBesidePeople,
    ModelsBesidePeople,
    MovedLabels,
    OverTime,
    PairDifference,
    PairsInBoth,
    TwoReports,
    TwoSides,
    WindowChange,
    WindowFigures,
)
from reports.analysis.results.effects import Effect, EffectSide
from reports.analysis.results.figures import (
    CategoryFigures,
    Figure,
    Figures,
    Json,
    SignificanceByName,
    SignificanceTest,
    figures_of,
    figures_of_kappas,
)
from reports.analysis.results.findings import CategoryUse, Contrast, Finding, FindingKind, Findings
from reports.analysis.results.models import (
    CategoryErrors,
    CorrectedShare,
    CorrectedShares,
    ErrorsByAttribute,
    ErrorsOfValue,
    EstimatedShare,
    ModelAgainstPeople,
    ModelErrors,
    ModelPrevalence,
    ModelsAgainstPeople,
    ModelsCompared,
    ModelStability,
    PersonBesideModel,
    PersonTested,
)
from reports.analysis.results.pairs import (
    AgainstReference,
    AllAgainstReference,
    FullPair,
    PairFigures,
    PairResult,
    ReferenceFigures,
    TwoSeries,
    pair_figures_of,
    two_series_of,
)
from reports.analysis.results.question import (
    Confused,
    Confusions,
    Consensus,
    CountedLabels,
    ItemConsensus,
    LatentClasses,
    MajorityVote,
    QuestionResult,
    RaterErrors,
)
from reports.analysis.results.raters import (
    SIGNIFICANT,
    AgainstConsensus,
    Drift,
    EstimatedErrors,
    Leaning,
    Leanings,
    Pace,
    Peer,
    RaterFigures,
    RaterWindow,
    Repeats,
    WithReference,
)
from reports.analysis.results.standings import RaterStanding, Standings
from reports.analysis.results.stored import SCHEMA, NotFound, for_programs, read_json, to_json
from reports.analysis.results.subgroups import GroupFigures, PairsBetween, Subgroups

__all__ = [
    "SCHEMA", "SIGNIFICANT", "AgainstConsensus", "AgainstReference", "AllAgainstReference",
    "CategoryDifferences", "CategoryErrors", "CategoryFigures", "CategoryUse", "ChangedItem", "Checks",
    "Confused", "Confusions", "Consensus", "Contrast", "CorrectedShare",
    "CorrectedShares", "CountedLabels", "Differences", "Drift", "Effect",
    "EffectSide", "ErrorsByAttribute", "ErrorsOfValue", "EstimatedErrors", "EstimatedShare", "Figure",
    "Figures", "Finding",
    "FindingKind", "Findings", "FullPair", "GroupFigures", "IdenticalPair", "ItemConsensus", "Json",
    "LatentClasses", "Leaning", "Leanings", "LowPair", "MajorityVote", "ModelAgainstPeople",
    "ModelBesidePeople", "ModelErrors", "ModelPrevalence", "ModelStability", "ModelsAgainstPeople",
    "ModelsBesidePeople",
    "ModelsCompared", "MovedLabels", "NotFound", "OverTime", "Pace", "PairDifference", "PairFigures",
    "PairResult", "PairsBetween", "PairsInBoth", "Peer", "PersonBesideModel", "PersonTested",
    "QuestionResult", "RaterErrors", "RaterFigures", "RaterStanding", "RaterWindow", "ReferenceFigures",
    "Relabeled", "Repeats", "Shifted", "SignificanceByName", "SignificanceTest", "Standings", "Subgroups",
    "TwoReports", "TwoSeries", "TwoSides", "WindowChange", "WindowFigures", "WithReference", "figures_of",
    "figures_of_kappas", "for_programs", "pair_figures_of", "read_json", "to_json", "two_series_of",
]  # fmt: skip
