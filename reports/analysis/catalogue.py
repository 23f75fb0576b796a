"""Every statistic that is shown: what it is called, what it says, where it comes from, and what it is for."""

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    ALL = "all"
    PAIRS = "pairs"
    CATEGORIES = "categories"
    TESTS = "tests"
    REFERENCE = "reference"
    CONSENSUS = "consensus"
    NUMBERS = "numbers"
    SETS = "sets"


FAMILIES = {
    Family.ALL: "All raters",
    Family.PAIRS: "Two raters",
    Family.CATEGORIES: "By category",
    Family.TESTS: "Tests",
    Family.REFERENCE: "Against the reference",
    Family.CONSENSUS: "Consensus of the raters",
    Family.NUMBERS: "Numbers",
    Family.SETS: "Sets of categories",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One statistic under its JSON name.

    title: what people call it. what: what it says, in a sentence. source: where it was published. families: the
    tables that it stands in. section: the heading about it in docs/statistics.md, as an anchor. is_share: whether it
    is read as a percentage.
    """

    name: str
    title: str
    what: str
    source: str
    families: tuple[Family, ...]
    section: str
    is_share: bool = False

    @property
    def plain(self) -> str:
        """The title in letters that every terminal has."""
        return self.title.translate(PLAIN)


PLAIN = str.maketrans(
    {"κ": "kappa", "α": "alpha", "π": "pi", "χ": "chi", "²": "2", "×": "x", "–": "-", "−": "-"}
    | {"’": "'", "“": '"', "”": '"'}
)

BOTH = (Family.ALL, Family.PAIRS)
ENTRIES = (
    Entry(
        name="percent_agreement",
        title="Agreement",
        what="How often two labels of one item agree, averaged over items.",
        source="Fleiss 1971; Gwet 2014",
        families=(*BOTH, Family.SETS),
        section="percent-agreement",
        is_share=True,
    ),
    Entry(
        name="percent_agreement_weighted",
        title="Agreement, weighted",
        what="The same with credit for near misses.",
        source="Gwet 2014",
        families=BOTH,
        section="percent-agreement",
        is_share=True,
    ),
    Entry(
        name="percent_agreement_by_labels",
        title="Agreement, by labels",
        what="The same with each item counted by its number of labels: one minus the observed disagreement of α.",
        source="Krippendorff 2011",
        families=(Family.ALL,),
        section="percent-agreement",
        is_share=True,
    ),
    Entry(
        name="percent_agreement_by_labels_weighted",
        title="Agreement, by labels, weighted",
        what="The same with credit for near misses.",
        source="Krippendorff 2011; Gwet 2014",
        families=(Family.ALL,),
        section="percent-agreement",
        is_share=True,
    ),
    Entry(
        name="percent_agreement_by_pairs",
        title="Agreement, by pairs",
        what="The share of all pairs of labels of one item that agree, so that items with many labels count most.",
        source="",
        families=(Family.ALL,),
        section="percent-agreement",
        is_share=True,
    ),
    Entry(
        name="percent_agreement_by_pairs_weighted",
        title="Agreement, by pairs, weighted",
        what="The same with credit for near misses.",
        source="",
        families=(Family.ALL,),
        section="percent-agreement",
        is_share=True,
    ),
    Entry(
        name="all_agree",
        title="All raters agree",
        what="On which share of the items with two labels or more all labels are the same.",
        source="",
        families=(Family.ALL,),
        section="percent-agreement",
        is_share=True,
    ),
    Entry(
        name="cohen_kappa",
        title="Cohen’s κ",
        what="Agreement of two raters beyond what their own totals would give by chance.",
        source="Cohen 1960, 1968; standard error of Fleiss, Cohen & Everitt 1969",
        families=(Family.PAIRS,),
        section="cohens-kappa",
    ),
    Entry(
        name="cohen_kappa_weighted",
        title="Cohen’s κ, weighted",
        what="The same with credit for near misses.",
        source="Cohen 1968; standard error of Fleiss, Cohen & Everitt 1969",
        families=(Family.PAIRS,),
        section="cohens-kappa",
    ),
    Entry(
        name="kappa_max",
        title="κ max",
        what="The highest κ that the totals of the two raters allow.",
        source="Cohen 1960",
        families=(Family.PAIRS, Family.REFERENCE),
        section="kappa-max",
    ),
    Entry(
        name="share_of_max",
        title="κ / κ max",
        what="How much of the highest possible κ was reached.",
        source="Cohen 1960",
        families=(Family.PAIRS,),
        section="kappa-max",
    ),
    Entry(
        name="kappa_max_weighted",
        title="κ max, weighted",
        what="The highest weighted κ that the totals of the two raters allow.",
        source="Cohen 1960, 1968",
        families=(Family.PAIRS,),
        section="kappa-max",
    ),
    Entry(
        name="share_of_max_weighted",
        title="κ / κ max, weighted",
        what="How much of the highest possible weighted κ was reached.",
        source="Cohen 1960, 1968",
        families=(Family.PAIRS,),
        section="kappa-max",
    ),
    Entry(
        name="mean_pairwise_kappa",
        title="Mean κ",
        what="The mean of Cohen’s κ over the pairs of raters where it is defined, with the weights of the report.",
        source="Light 1971",
        families=(Family.ALL,),
        section="lights-kappa",
    ),
    Entry(
        name="light_kappa",
        title="Light’s κ",
        what="The mean of Cohen’s κ over all pairs of raters where it is defined.",
        source="Light 1971",
        families=(Family.ALL,),
        section="lights-kappa",
    ),
    Entry(
        name="light_kappa_weighted",
        title="Light’s κ, weighted",
        what="The mean of weighted κ over all pairs of raters where it is defined.",
        source="Light 1971",
        families=(Family.ALL,),
        section="lights-kappa",
    ),
    Entry(
        name="fleiss_kappa",
        title="Fleiss’ κ",
        what="Agreement of all raters beyond chance, where chance draws from all labels together.",
        source="Fleiss 1971; standard error of Gwet 2014",
        families=(Family.ALL, Family.CATEGORIES),
        section="fleiss-kappa",
    ),
    Entry(
        name="fleiss_kappa_weighted",
        title="Fleiss’ κ, weighted",
        what="The same with credit for near misses.",
        source="Gwet 2014",
        families=(Family.ALL,),
        section="fleiss-kappa",
    ),
    Entry(
        name="conger_kappa",
        title="Conger’s κ",
        what="Agreement of all raters beyond chance, where each rater’s own totals make the chance; Cohen’s κ for two.",
        source="Conger 1980",
        families=(Family.ALL,),
        section="congers-kappa",
    ),
    Entry(
        name="conger_kappa_weighted",
        title="Conger’s κ, weighted",
        what="The same with credit for near misses.",
        source="Conger 1980; Gwet 2014",
        families=(Family.ALL,),
        section="congers-kappa",
    ),
    Entry(
        name="scott_pi",
        title="Scott’s π",
        what="Agreement of two raters beyond chance, where chance draws from the labels of both together.",
        source="Scott 1955",
        families=(Family.PAIRS,),
        section="scotts-pi",
    ),
    Entry(
        name="scott_pi_weighted",
        title="Scott’s π, weighted",
        what="The same with credit for near misses.",
        source="Gwet 2014",
        families=(Family.PAIRS,),
        section="scotts-pi",
    ),
    Entry(
        name="krippendorff_alpha",
        title="Krippendorff’s α",
        what="One minus observed over expected disagreement, on the level of measurement of the question.",
        source="Krippendorff 2004, 2011",
        families=(*BOTH, Family.CATEGORIES, Family.NUMBERS, Family.SETS),
        section="krippendorffs-alpha",
    ),
    Entry(
        name="krippendorff_alpha_weighted",
        title="Krippendorff’s α, weighted",
        what="α with the weights of the report in the place of the differences of the level.",
        source="Gwet 2014",
        families=(Family.ALL,),
        section="krippendorffs-alpha",
    ),
    Entry(
        name="gwet_ac1",
        title="Gwet’s AC1",
        what="Agreement beyond chance, where only hard items are labelled by chance; steady if one category dominates.",
        source="Gwet 2008",
        families=BOTH,
        section="gwets-ac1-and-ac2",
    ),
    Entry(
        name="gwet_ac2",
        title="Gwet’s AC2",
        what="AC1 with credit for near misses.",
        source="Gwet 2014",
        families=BOTH,
        section="gwets-ac1-and-ac2",
    ),
    Entry(
        name="brennan_prediger",
        title="Brennan–Prediger",
        what="Agreement beyond chance, where chance takes every declared category equally often (Randolph’s κ).",
        source="Brennan & Prediger 1981; Randolph 2005",
        families=BOTH,
        section="brennan-prediger",
    ),
    Entry(
        name="brennan_prediger_weighted",
        title="Brennan–Prediger, weighted",
        what="The same with credit for near misses.",
        source="Gwet 2014",
        families=BOTH,
        section="brennan-prediger",
    ),
    Entry(
        name="pabak",
        title="PABAK",
        what="Agreement of two raters on two categories, with prevalence and bias set aside: 2 po − 1.",
        source="Byrt, Bishop & Carlin 1993",
        families=(Family.PAIRS,),
        section="prevalence-and-bias",
    ),
    Entry(
        name="prevalence_index",
        title="Prevalence index",
        what="How far one of two categories dominates, from −1 to 1; far from 0, κ is low at the same agreement.",
        source="Byrt, Bishop & Carlin 1993",
        families=(Family.PAIRS,),
        section="prevalence-and-bias",
    ),
    Entry(
        name="bias_index",
        title="Bias index",
        what="How much more often one of two raters chooses the first of two categories.",
        source="Byrt, Bishop & Carlin 1993",
        families=(Family.PAIRS,),
        section="prevalence-and-bias",
    ),
    Entry(
        name="specific_agreement",
        title="Specific agreement",
        what="When one rater chose this category, how often another did too (positive and negative agreement).",
        source="Dice 1945; Spitzer & Fleiss 1974; Cicchetti & Feinstein 1990",
        families=(Family.PAIRS, Family.CATEGORIES),
        section="specific-agreement",
        is_share=True,
    ),
    Entry(
        name="kendall_w",
        title="Kendall’s W",
        what="How alike complete rankings of the items are, from 0 to 1.",
        source="Kendall & Babington Smith 1939",
        families=(Family.ALL, Family.NUMBERS),
        section="kendalls-w",
    ),
    Entry(
        name="kendall_w_uncorrected",
        title="Kendall’s W, ties not corrected",
        what="The same without the correction for ties: it cannot reach 1 where raters tie items.",
        source="Kendall & Babington Smith 1939",
        families=(Family.ALL, Family.NUMBERS),
        section="kendalls-w",
    ),
    Entry(
        name="fleiss_zero",
        title="Fleiss’ κ = 0",
        what="Whether all raters agree beyond chance at all; its standard error is for this test only.",
        source="Fleiss, Nee & Landis 1979",
        families=(Family.TESTS,),
        section="fleiss-kappa",
    ),
    Entry(
        name="cochran_q",
        title="Cochran’s Q",
        what="Whether the raters choose the first of two categories equally often.",
        source="",
        families=(Family.TESTS,),
        section="cochrans-q",
    ),
    Entry(
        name="kendall_w_zero",
        title="Kendall’s W = 0",
        what="Whether the rankings have anything in common; the test of Friedman.",
        source="Kendall & Babington Smith 1939",
        families=(Family.TESTS,),
        section="kendalls-w",
    ),
    Entry(
        name="kappa_zero",
        title="κ = 0",
        what="Whether the two agree beyond chance at all; its standard error is for this test only.",
        source="Fleiss, Cohen & Everitt 1969",
        families=(Family.TESTS,),
        section="cohens-kappa",
    ),
    Entry(
        name="mcnemar",
        title="McNemar",
        what="Whether two raters choose the first of two categories equally often.",
        source="McNemar 1947",
        families=(Family.TESTS,),
        section="marginal-homogeneity",
    ),
    Entry(
        name="mcnemar_exact",
        title="McNemar, exact",
        what="The same with the probabilities of the binomial distribution, however many disagree.",
        source="McNemar 1947",
        families=(Family.TESTS,),
        section="marginal-homogeneity",
    ),
    Entry(
        name="mcnemar_chi_squared",
        title="McNemar, χ²",
        what="The same by χ², however few disagree.",
        source="McNemar 1947",
        families=(Family.TESTS,),
        section="marginal-homogeneity",
    ),
    Entry(
        name="mcnemar_corrected",
        title="McNemar, χ² corrected",
        what="The same by χ² with the correction for continuity.",
        source="Edwards 1948",
        families=(Family.TESTS,),
        section="marginal-homogeneity",
    ),
    Entry(
        name="bowker",
        title="Bowker",
        what="Whether the table of counts is symmetric: each two categories are mixed up both ways equally often.",
        source="Bowker 1948",
        families=(Family.TESTS,),
        section="marginal-homogeneity",
    ),
    Entry(
        name="stuart_maxwell",
        title="Stuart–Maxwell",
        what="Whether the two raters use all categories equally often.",
        source="Stuart 1955; Maxwell 1970",
        families=(Family.TESTS,),
        section="marginal-homogeneity",
    ),
    Entry(
        name="bhapkar",
        title="Bhapkar",
        what="The same question as Stuart–Maxwell, with more power.",
        source="Bhapkar 1966",
        families=(Family.TESTS,),
        section="marginal-homogeneity",
    ),
    Entry(
        name="hit_rate",
        title="Hit rate",
        what="Of the items that the reference puts in this category, the share that the rater does too (sensitivity).",
        source="",
        families=(Family.REFERENCE,),
        section="against-a-reference",
        is_share=True,
    ),
    Entry(
        name="specificity",
        title="Specificity",
        what="Of the items that the reference puts elsewhere, the share that the rater does too.",
        source="",
        families=(Family.REFERENCE,),
        section="against-a-reference",
        is_share=True,
    ),
    Entry(
        name="precision",
        title="Precision",
        what="Of the items that the rater puts in this category, the share that the reference does too.",
        source="",
        families=(Family.REFERENCE,),
        section="against-a-reference",
        is_share=True,
    ),
    Entry(
        name="negative_predictive_value",
        title="Negative predictive value",
        what="Of the items that the rater puts elsewhere, the share that the reference does too.",
        source="",
        families=(Family.REFERENCE,),
        section="against-a-reference",
        is_share=True,
    ),
    Entry(
        name="f1",
        title="F1",
        what="The harmonic mean of hit rate and precision; equal to specific agreement.",
        source="Dice 1945",
        families=(Family.REFERENCE,),
        section="against-a-reference",
        is_share=True,
    ),
    Entry(
        name="accuracy",
        title="Accuracy",
        what="The share of items on which the rater agrees with the reference.",
        source="",
        families=(Family.REFERENCE,),
        section="against-a-reference",
        is_share=True,
    ),
    Entry(
        name="balanced_accuracy",
        title="Balanced accuracy",
        what="The mean hit rate over the categories that the reference uses.",
        source="",
        families=(Family.REFERENCE,),
        section="against-a-reference",
        is_share=True,
    ),
    Entry(
        name="matthews",
        title="Matthews correlation",
        what="The correlation between rater and reference, over all categories.",
        source="",
        families=(Family.REFERENCE,),
        section="against-a-reference",
    ),
    Entry(
        name="expected_accuracy",
        title="Expected accuracy",
        what="The accuracy that the totals alone would give by chance; accuracy is this + κ × (1 − this).",
        source="",
        families=(Family.REFERENCE,),
        section="against-a-reference",
        is_share=True,
    ),
    Entry(
        name="kappa",
        title="Cohen’s κ with the reference",
        what="How far accuracy lies on the way from chance to perfect.",
        source="Cohen 1960",
        families=(Family.REFERENCE,),
        section="against-a-reference",
    ),
    Entry(
        name="dawid_skene",
        title="Dawid & Skene",
        what="The category of each item and how each rater mixes categories up, estimated together from all labels.",
        source="Dawid & Skene 1979",
        families=(Family.CONSENSUS,),
        section="consensus",
    ),
    Entry(
        name="majority_vote",
        title="Majority",
        what="The category that most raters of an item chose; ties are counted, not broken.",
        source="",
        families=(Family.CONSENSUS,),
        section="consensus",
    ),
    Entry(
        name="icc_1_1",
        title="ICC(1,1)",
        what="Which share of the variation of single numbers is between items, if each item has raters of its own.",
        source="Shrout & Fleiss 1979; McGraw & Wong 1996",
        families=(Family.NUMBERS,),
        section="intraclass-correlations",
    ),
    Entry(
        name="icc_a_1",
        title="ICC(A,1)",
        what="The same if all raters label all items: how far single numbers agree absolutely.",
        source="Shrout & Fleiss 1979; McGraw & Wong 1996",
        families=(Family.NUMBERS,),
        section="intraclass-correlations",
    ),
    Entry(
        name="icc_c_1",
        title="ICC(C,1)",
        what="How consistent single numbers are: raters may differ by a constant.",
        source="Shrout & Fleiss 1979; McGraw & Wong 1996",
        families=(Family.NUMBERS,),
        section="intraclass-correlations",
    ),
    Entry(
        name="icc_1_k",
        title="ICC(1,k)",
        what="ICC(1,1) of the mean of all raters.",
        source="Shrout & Fleiss 1979; McGraw & Wong 1996",
        families=(Family.NUMBERS,),
        section="intraclass-correlations",
    ),
    Entry(
        name="icc_a_k",
        title="ICC(A,k)",
        what="ICC(A,1) of the mean of all raters.",
        source="Shrout & Fleiss 1979; McGraw & Wong 1996",
        families=(Family.NUMBERS,),
        section="intraclass-correlations",
    ),
    Entry(
        name="icc_c_k",
        title="ICC(C,k)",
        what="ICC(C,1) of the mean of all raters.",
        source="Shrout & Fleiss 1979; McGraw & Wong 1996",
        families=(Family.NUMBERS,),
        section="intraclass-correlations",
    ),
    Entry(
        name="krippendorff_alpha_interval",
        title="Krippendorff’s α, interval",
        what="α with squared differences of the numbers, whatever the level of the question.",
        source="Krippendorff 2004, 2011",
        families=(Family.NUMBERS,),
        section="krippendorffs-alpha",
    ),
    Entry(
        name="lin_concordance",
        title="Lin’s concordance",
        what="How close two raters’ numbers lie to each other, and not only to some line.",
        source="Lin 1989",
        families=(Family.NUMBERS,),
        section="lins-concordance",
    ),
    Entry(
        name="pearson_correlation",
        title="Pearson’s r",
        what="How close two raters’ numbers lie to some line.",
        source="",
        families=(Family.NUMBERS,),
        section="lins-concordance",
    ),
    Entry(
        name="lin_bias_correction",
        title="Bias correction",
        what="What concordance loses because raters differ in place or spread: concordance over r.",
        source="Lin 1989",
        families=(Family.NUMBERS,),
        section="lins-concordance",
    ),
    Entry(
        name="bland_altman_bias",
        title="Bias",
        what="The mean difference of two raters, the first minus the second.",
        source="Bland & Altman 1986, 1999",
        families=(Family.NUMBERS,),
        section="limits-of-agreement",
    ),
    Entry(
        name="bland_altman_sd",
        title="SD of differences",
        what="The standard deviation of the differences of two raters.",
        source="Bland & Altman 1986, 1999",
        families=(Family.NUMBERS,),
        section="limits-of-agreement",
    ),
    Entry(
        name="bland_altman_lower",
        title="Lower limit",
        what="Below this lie some 2.5 % of the differences: bias − 1.96 SD.",
        source="Bland & Altman 1986, 1999",
        families=(Family.NUMBERS,),
        section="limits-of-agreement",
    ),
    Entry(
        name="bland_altman_upper",
        title="Upper limit",
        what="Above this lie some 2.5 % of the differences: bias + 1.96 SD.",
        source="Bland & Altman 1986, 1999",
        families=(Family.NUMBERS,),
        section="limits-of-agreement",
    ),
    Entry(
        name="mean_a",
        title="Mean of the first",
        what="The mean number of the first rater on the shared items.",
        source="",
        families=(Family.NUMBERS,),
        section="limits-of-agreement",
    ),
    Entry(
        name="mean_b",
        title="Mean of the second",
        what="The mean number of the second rater on the shared items.",
        source="",
        families=(Family.NUMBERS,),
        section="limits-of-agreement",
    ),
    Entry(
        name="krippendorff_alpha_jaccard",
        title="Krippendorff’s α, Jaccard",
        what="α of sets, where sets differ by the share of their categories that only one holds.",
        source="Krippendorff 2004, 2011",
        families=(Family.SETS,),
        section="sets-of-categories",
    ),
    Entry(
        name="mean_jaccard",
        title="Mean Jaccard",
        what="How much of two sets of one item is in both, averaged over items.",
        source="",
        families=(Family.SETS,),
        section="sets-of-categories",
        is_share=True,
    ),
    Entry(
        name="mean_masi",
        title="Mean MASI",
        what="The same, with less credit where neither set holds the other.",
        source="Passonneau 2006",
        families=(Family.SETS,),
        section="sets-of-categories",
        is_share=True,
    ),
    Entry(
        name="identical_sets",
        title="Identical sets",
        what="The share of shared items on which two raters chose the same set.",
        source="",
        families=(Family.SETS,),
        section="sets-of-categories",
        is_share=True,
    ),
    Entry(
        name="jaccard",
        title="Jaccard",
        what="How much of two raters’ sets is in both, averaged over shared items.",
        source="",
        families=(Family.SETS,),
        section="sets-of-categories",
        is_share=True,
    ),
    Entry(
        name="masi",
        title="MASI",
        what="The same, with less credit where neither set holds the other.",
        source="Passonneau 2006",
        families=(Family.SETS,),
        section="sets-of-categories",
        is_share=True,
    ),
    Entry(
        name="share_chosen",
        title="Chosen",
        what="The share of labels that hold this category.",
        source="",
        families=(Family.SETS,),
        section="sets-of-categories",
        is_share=True,
    ),
)  # fmt: skip

CATALOGUE = {entry.name: entry for entry in ENTRIES}


def by_family() -> dict[str, list[Entry]]:
    """The catalogue as it is read: the names of the families, each with those of which it is the first family."""
    found: dict[str, list[Entry]] = {}
    for entry in ENTRIES:
        found.setdefault(FAMILIES[entry.families[0]], []).append(entry)
    return {title: found[title] for title in FAMILIES.values() if title in found}


def title_of(name: str) -> str:
    """What people call the statistic of this JSON name."""
    entry = CATALOGUE.get(name)
    return entry.title if entry else name.replace("_", " ").capitalize()


def plain_title_of(name: str) -> str:
    entry = CATALOGUE.get(name)
    return entry.plain if entry else name.replace("_", " ").capitalize()
