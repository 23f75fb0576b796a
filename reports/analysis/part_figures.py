"""The primary coefficient of some of a question's labels: of a window, a group, or one side of a comparison."""

from dataclasses import replace

from reports.agreement.counting import all_pairs
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.progress_callbacks import ReportProgress
from reports.agreement.results import FITTED, NORMAL
from reports.analysis.comparison import requested_statistics
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.pairs import weighted_name
from reports.analysis.results import Figure
from reports.analysis.results.figures import figures_of_kappas

# Of two raters, Light's kappa is Cohen's.
LIGHT = frozenset({"light_kappa", weighted_name("light_kappa")})


def figure_of_part(
    kind: QuestionKind, name: str, part: LabelSubset, report_progress: ReportProgress | None = None
) -> Figure:
    """Return a coefficient of this part; Light's kappa of two raters with the interval that reports give Cohen's.

    Its error remains Light's, by which parts are compared.
    """
    found = kind.figure(name, part, report_progress)
    if name not in LIGHT or part.size.n_raters != 2 or found.value is None:
        return found
    _, scale = requested_statistics(kind.scope.scale)[name]
    tables = all_pairs(part.sample.ratings).tables
    kappas = cohen_kappa(tables, scale.weighting, confidence=kind.scope.options.confidence)
    [pair] = figures_of_kappas(kappas)
    return replace(
        found,
        ci_low=pair.ci_low,
        ci_high=pair.ci_high,
        is_clipped=pair.is_clipped,
        reason=pair.reason,
        interval_method=FITTED if kappas.is_fitted.all() else NORMAL,
        n_replicates=None,
        n_undefined_replicates=None,
    )
