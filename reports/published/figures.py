"""What was printed: by its publication where we know the printed figure, by other software otherwise."""

from dataclasses import dataclass
from itertools import chain

from reports.published import statistics as ours
from reports.published.statistics import Compute

VCD = "R vcd, psych and DescTools; statsmodels"
SKLEARN = "scikit-learn, statsmodels, R vcd"
IRR = "R irr 0.84.1"
IRR_CAC = "R irrCAC 1.4"
KAPPA_SIZE = "R kappaSize 1.2"

# Two figures that many quote were rounded before they were divided.
ROUNDED_KAPPA = (
    "The article divides rounded shares, (.69 - .51) / (1 - .51) = .37. From the counts, observed agreement is 35 / 51 "
    "and expected agreement 1,339 / 2,601, so that kappa is 446 / 1,262 = .353407."
)
ROUNDED_MAX = (
    "The article rounds the shares of the table before it divides. From the counts, 290 of 300 items can agree at most "
    "and .793333 are expected to, so that kappa max is (.966667 - .793333) / (1 - .793333) = .838710."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """One figure: of which example, of which statistic, as printed, and how we compute it.

    by: the software that gives the figure, "" for the publication of the example itself. note: why a printed figure is
    not the exact one; it may differ then.
    """

    example: str
    title: str
    printed: str
    compute: Compute
    by: str = ""
    note: str = ""

    @property
    def value(self) -> float:
        return float(self.printed)

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit."""
        return 0.5 * 10.0 ** -len(self.printed.partition(".")[2])


def _two_raters() -> list[Printed]:
    figures = [
        ("cohen1960_ex1", "κ max", "0.85", ours.pair_kappa("cohen1960_ex1", "kappa_max"), ""),
        ("cohen1960_ex1", "Cohen’s κ", "-0.092308", ours.pair_kappa("cohen1960_ex1"), SKLEARN),
        ("cohen1960_ex2", "Cohen’s κ", "0.492", ours.pair_kappa("cohen1960_ex2"), ""),
        ("cohen1960_ex2", "κ max", "0.831", ours.pair_kappa("cohen1960_ex2", "kappa_max"), ""),
        ("cohen1960_ex2", "Standard error of κ", "0.051002", ours.pair_kappa("cohen1960_ex2", "se"), VCD),
        (
            "cohen1960_ex2",
            "Scott’s π",
            "0.487179",
            ours.pair_coefficient("cohen1960_ex2", "scott_pi"),
            IRR_CAC,
        ),
        ("cohen1960_ex2", "AC1", "0.575972", ours.pair_coefficient("cohen1960_ex2", "gwet_ac"), IRR_CAC),
        (
            "cohen1960_ex2",
            "Linearly weighted κ",
            "0.473684",
            ours.pair_kappa("cohen1960_ex2", weights="linear"),
            SKLEARN,
        ),
        (
            "cohen1960_ex2",
            "Quadratically weighted κ",
            "0.454545",
            ours.pair_kappa("cohen1960_ex2", weights="quadratic"),
            SKLEARN,
        ),
        (
            "fleiss_cohen_everitt1969",
            "Weighted κ, the authors’ weights",
            "0.507070",
            ours.pair_kappa("fleiss_cohen_everitt1969", weights="custom"),
            VCD,
        ),
        (
            "fleiss_cohen_everitt1969",
            "Standard error of weighted κ",
            "0.056994",
            ours.pair_kappa("fleiss_cohen_everitt1969", "se", weights="custom"),
            VCD,
        ),
        (
            "fleiss_cohen_everitt1969",
            "Standard error for testing κ = 0",
            "0.065336",
            ours.pair_null_se("fleiss_cohen_everitt1969", weights="custom"),
            "statsmodels",
        ),
        ("landis_koch1977_ms", "Cohen’s κ", "0.207942", ours.pair_kappa("landis_koch1977_ms"), SKLEARN),
        (
            "landis_koch1977_ms",
            "Linearly weighted κ",
            "0.379731",
            ours.pair_kappa("landis_koch1977_ms", weights="linear"),
            SKLEARN,
        ),
        ("landis_koch1977_carcinoma", "Cohen’s κ", "0.493", ours.pair_kappa("landis_koch1977_carcinoma"), ""),
        (
            "landis_koch1977_carcinoma",
            "Standard error of κ",
            "0.057",
            ours.pair_kappa("landis_koch1977_carcinoma", "se"),
            "",
        ),
        (
            "landis_koch1977_carcinoma",
            "Quadratically weighted κ",
            "0.783822",
            ours.pair_kappa("landis_koch1977_carcinoma", weights="quadratic"),
            SKLEARN,
        ),
        ("brennan_prediger1981", "Cohen’s κ", "0.27", ours.pair_kappa("brennan_prediger1981"), ""),
        (
            "brennan_prediger1981",
            "Brennan–Prediger",
            "0.40",
            ours.pair_coefficient("brennan_prediger1981", "brennan_prediger"),
            "",
        ),
        (
            "stuart_vision",
            "Stuart–Maxwell χ²",
            "11.956570",
            ours.pair_test("stuart_vision", "stuart_maxwell"),
            "R",
        ),
        ("stuart_vision", "Bhapkar χ²", "11.975720", ours.pair_test("stuart_vision", "bhapkar"), "R"),
        ("stuart_vision", "Bowker χ²", "19.106550", ours.pair_test("stuart_vision", "bowker"), "R"),
    ]
    return _rows(figures)


PARADOXES = {"1a": ("0.85", "0.70"), "1b": ("0.85", "0.32"), "2a": ("0.60", "0.13"), "2b": ("0.60", "0.26")}


def _paradoxes() -> list[Printed]:
    figures = []
    for number, (observed, kappa) in PARADOXES.items():
        name = f"feinstein_cicchetti1990_{number}"
        figures.append((name, "Agreement", observed, ours.pair_kappa(name, "observed"), ""))
        figures.append((name, "Cohen’s κ", kappa, ours.pair_kappa(name), ""))
    return _rows(figures)


def _articles() -> list[Printed]:
    rounded = Printed(
        example="cats_dogs_2",
        title="Cohen’s κ",
        printed="0.37",
        compute=ours.pair_kappa("cats_dogs_2"),
        note=ROUNDED_KAPPA,
    )
    rounded_max = Printed(
        example="credit_balanced",
        title="κ max",
        printed="0.853",
        compute=ours.pair_kappa("credit_balanced", "kappa_max"),
        note=ROUNDED_MAX,
    )
    first = [
        ("cats_dogs_1", "Cohen’s κ", "0.20", ours.pair_kappa("cats_dogs_1"), ""),
        ("cats_dogs_2", "Cohen’s κ", "0.353407", ours.pair_kappa("cats_dogs_2"), SKLEARN),
    ]
    rest = [
        ("cats_dogs_3", "Cohen’s κ", "0.470179", ours.pair_kappa("cats_dogs_3"), SKLEARN),
        ("cats_dogs_3", "AC1", "0.973716", ours.pair_coefficient("cats_dogs_3", "gwet_ac"), IRR_CAC),
        ("credit_baseline", "Cohen’s κ", "0.244", ours.pair_kappa("credit_baseline"), ""),
        ("credit_baseline", "κ max", "0.942", ours.pair_kappa("credit_baseline", "kappa_max"), ""),
        ("credit_balanced", "Cohen’s κ", "0.451613", ours.pair_kappa("credit_balanced"), SKLEARN),
        (
            "credit_balanced",
            "κ max",
            "0.838710",
            ours.pair_kappa("credit_balanced", "kappa_max"),
            "statsmodels",
        ),
    ]
    return [*_rows(first), rounded, *_rows(rest), rounded_max]


def _all_raters() -> list[Printed]:
    four, krippendorff, hayes = "gwet_four_raters", "krippendorff2011", "hayes_krippendorff2007"
    alpha = "krippendorff_alpha"
    figures = [
        ("fleiss1971", "Fleiss’ κ", "0.430245", ours.coefficient("fleiss1971", "fleiss_kappa"), IRR),
        (
            "fleiss1971",
            "Standard error of Fleiss’ κ",
            "0.054199",
            ours.coefficient("fleiss1971", "fleiss_kappa", "se"),
            IRR_CAC,
        ),
        (
            "fleiss1971",
            "Standard error for testing κ = 0",
            "0.024374",
            ours.fleiss_null_se("fleiss1971"),
            IRR,
        ),
        *(
            (
                "fleiss1971",
                f"Fleiss’ κ of {name}",
                value,
                ours.category("fleiss1971", "fleiss_kappa", place),
                IRR,
            )
            for place, (name, value) in enumerate(FLEISS_CATEGORIES.items())
        ),
        (
            "fleiss_wikipedia",
            "Fleiss’ κ",
            "0.209931",
            ours.coefficient("fleiss_wikipedia", "fleiss_kappa"),
            IRR,
        ),
        (krippendorff, "α nominal", "0.743", ours.coefficient(krippendorff, alpha), ""),
        (krippendorff, "α ordinal", "0.815", ours.coefficient(krippendorff, alpha, level="ordinal"), ""),
        (krippendorff, "α interval", "0.849", ours.coefficient(krippendorff, alpha, level="interval"), ""),
        (krippendorff, "α ratio", "0.797", ours.coefficient(krippendorff, alpha, level="ratio"), ""),
        (hayes, "α ordinal", "0.7598", ours.coefficient(hayes, alpha, level="ordinal"), ""),
        (hayes, "α nominal", "0.476510", ours.coefficient(hayes, alpha), IRR_CAC),
        (hayes, "Fleiss’ κ", "0.469685", ours.coefficient(hayes, "fleiss_kappa"), IRR_CAC),
        (hayes, "Conger’s κ", "0.472608", ours.coefficient(hayes, "conger_kappa"), IRR_CAC),
        ("gwet_two_raters", "AC1", "0.700779", ours.coefficient("gwet_two_raters", "gwet_ac1"), IRR_CAC),
        (four, "AC1", "0.77544", ours.coefficient(four, "gwet_ac1"), ""),
        (four, "Standard error of AC1", "0.14295", ours.coefficient(four, "gwet_ac1", "se"), ""),
        (four, "Agreement, item mean", "0.818182", ours.coefficient(four, "percent_agreement"), IRR_CAC),
        (four, "Fleiss’ κ", "0.761169", ours.coefficient(four, "fleiss_kappa"), IRR_CAC),
        (four, "Conger’s κ", "0.762817", ours.coefficient(four, "conger_kappa"), IRR_CAC),
        (four, "Brennan–Prediger", "0.772727", ours.coefficient(four, "brennan_prediger"), IRR_CAC),
        *(
            (four, f"AC2, {weights}", value, ours.coefficient(four, "gwet_ac2", weights=weights), IRR_CAC)
            for weights, value in AC2.items()
        ),
    ]
    return _rows(figures)


FLEISS_CATEGORIES = {
    "depression": "0.244755",
    "personality disorder": "0.244755",
    "schizophrenia": "0.520000",
    "neurosis": "0.471127",
    "other": "0.566118",
}
AC2 = {
    "linear": "0.858739",
    "quadratic": "0.914001",
    "ordinal": "0.898940",
    "radical": "0.819812",
    "ratio": "0.857368",
    "circular": "0.830195",
    "bipolar": "0.900373",
}
ICC = {
    "ICC(1,1)": ("icc_1_1", ".17"),
    "ICC(A,1)": ("icc_a_1", ".29"),
    "ICC(C,1)": ("icc_c_1", ".71"),
    "ICC(1,k)": ("icc_1_k", ".44"),
    "ICC(A,k)": ("icc_a_k", ".62"),
    "ICC(C,k)": ("icc_c_k", ".91"),
}
TRUE_SHARES = ("0.399969", "0.421576", "0.111788", "0.066667")


def _numbers_sets_and_consensus() -> list[Printed]:
    shrout, bland, dawid = "shrout_fleiss1979", "bland_altman1986", "dawid_skene1979"
    figures = [
        *((shrout, title, f"0{value}", ours.icc(shrout, name), "") for title, (name, value) in ICC.items()),
        (
            shrout,
            "ICC(A,k), lower limit",
            "0.071137",
            ours.icc(shrout, "icc_a_k", "ci_low"),
            "R psych; pingouin",
        ),
        (shrout, "Kendall’s W", "0.887037", ours.concordance_of_ranks(shrout), "R, SciPy"),
        (bland, "Mean difference", "-2.1", ours.limit(bland, "bias"), ""),
        (bland, "Standard deviation of differences", "38.8", ours.limits_sd(bland), ""),
        (bland, "Lower limit of agreement", "-78.097302", ours.limit(bland, "lower"), "R"),
        (bland, "Upper limit of agreement", "73.862007", ours.limit(bland, "upper"), "R"),
        (bland, "Lin’s concordance", "0.942742", ours.concordance(bland), "R epiR and DescTools"),
        (
            "sets",
            "α with MASI distance",
            "0.273081",
            ours.alpha_of_sets("sets", "masi"),
            "krippendorff 0.9.0",
        ),
        (
            "sets",
            "α with Jaccard distance",
            "0.315620",
            ours.alpha_of_sets("sets", "jaccard"),
            "krippendorff 0.9.0",
        ),
        *(
            (
                dawid,
                f"Share of true category {place + 1}",
                share,
                ours.true_share(dawid, place),
                "crowd-kit 1.4.2",
            )
            for place, share in enumerate(TRUE_SHARES)
        ),
    ]
    return _rows(figures)


def _plans_and_readings() -> list[Printed]:
    three = [0.3, 0.3, 0.4]
    figures = [
        ("plans", "κ .8 against .4, rates .3", "30", ours.kappa_items([0.3, 0.7], 0.8, 0.4, n_sides=1), IRR),
        ("plans", "κ .6 against .4, rates .5", "119", ours.kappa_items([0.5, 0.5], 0.6, 0.4, n_sides=1), IRR),
        (
            "plans",
            "κ .6 against .4, rates .5, power .9, two-sided",
            "200",
            ours.kappa_items([0.5, 0.5], 0.6, 0.4, power=0.9),
            IRR,
        ),
        ("plans", "κ .9 against .6, rates .1, two-sided", "120", ours.kappa_items([0.1, 0.9], 0.9, 0.6), IRR),
        (
            "plans",
            "κ .6 against .4, three categories",
            "83",
            ours.kappa_items(three, 0.6, 0.4, n_sides=1),
            IRR,
        ),
        (
            "plans",
            "Lower limit .4 for κ .6, prevalence .3",
            "66",
            ours.limit_items([0.3, 0.7], 0.6, 0.4),
            KAPPA_SIZE,
        ),
        (
            "plans",
            "Fit of κ .6 against .4, prevalence .3",
            "191",
            ours.fit_items([0.3, 0.7], 0.6, 0.4),
            KAPPA_SIZE,
        ),
        (
            "plans",
            "Fit of κ .6 against .4, three categories",
            "108",
            ours.fit_items(three, 0.6, 0.4),
            KAPPA_SIZE,
        ),
        (
            "readings",
            "κ .67, error .15: moderate or better",
            "0.96356",
            ours.certainty(0.67, 0.15, "landis_koch", 2),
            IRR_CAC,
        ),
        (
            "readings",
            "κ .67, error .15: fair to good or better",
            "0.96356",
            ours.certainty(0.67, 0.15, "fleiss", 1),
            IRR_CAC,
        ),
    ]
    return _rows(figures)


def _rows(figures: list[tuple[str, str, str, Compute, str]]) -> list[Printed]:
    return [
        Printed(example=example, title=title, printed=printed, compute=compute, by=by)
        for example, title, printed, compute, by in figures
    ]


# Examples without data of their own: their title, and where they come from.
WITHOUT_DATA = {
    "plans": (
        "Numbers of items",
        "Cantor 1996; Flack et al. 1988; Donner & Eliasziw 1992; Rotondi & Donner 2012",
    ),
    "readings": ("Probabilistic benchmarking", "Gwet 2014, chapter 6"),
}
FIGURES: tuple[Printed, ...] = tuple(
    chain(
        _two_raters(),
        _paradoxes(),
        _articles(),
        _all_raters(),
        _numbers_sets_and_consensus(),
        _plans_and_readings(),
    )
)
