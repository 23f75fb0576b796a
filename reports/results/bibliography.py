"""The publications that the statistics come from, as BibTeX; the catalogue names them by author and year."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reports.analysis.catalogue import CATALOGUE


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """authors: as BibTeX takes them, with “and” between. inside: the journal, or the conference.

    title: with every word begun large; what keeps its letters in a sentence is in braces.
    """

    authors: str
    year: int
    title: str
    kind: str = "article"
    inside: str = ""
    volume: str = ""
    pages: str = ""
    doi: str = ""
    publisher: str = ""
    address: str = ""
    edition: str = ""
    url: str = ""


PSYCH_BULLETIN, EDUCATIONAL = "Psychological Bulletin", "Educational and Psychological Measurement"
EPIDEMIOLOGY = "Journal of Clinical Epidemiology"
JASA = "Journal of the American Statistical Association"
# By the words that the catalogue uses.
WORKS = {
    "Bhapkar 1966": Work(
        authors="Bhapkar, V. P.", year=1966, inside=JASA, volume="61(313)", pages="228--235",
        title="A Note on the Equivalence of Two Test Criteria for Hypotheses in Categorical Data",
        doi="10.1080/01621459.1966.10502021",
    ),
    "Bland & Altman 1986": Work(
        authors="Bland, J. Martin and Altman, Douglas G.", year=1986, inside="The Lancet", volume="327(8476)",
        pages="307--310", doi="10.1016/S0140-6736(86)90837-8",
        title="Statistical Methods for Assessing Agreement between Two Methods of Clinical Measurement",
    ),
    "Bland & Altman 1999": Work(
        authors="Bland, J. Martin and Altman, Douglas G.", year=1999, volume="8(2)", pages="135--160",
        inside="Statistical Methods in Medical Research", doi="10.1177/096228029900800204",
        title="Measuring Agreement in Method Comparison Studies",
    ),
    "Bowker 1948": Work(
        authors="Bowker, Albert H.", year=1948, inside=JASA, volume="43(244)", pages="572--574",
        title="A Test for Symmetry in Contingency Tables", doi="10.1080/01621459.1948.10483284",
    ),
    "Brennan & Prediger 1981": Work(
        authors="Brennan, Robert L. and Prediger, Dale J.", year=1981, inside=EDUCATIONAL, volume="41(3)",
        pages="687--699", title="Coefficient Kappa: Some Uses, Misuses, and Alternatives",
        doi="10.1177/001316448104100307",
    ),
    "Byrt, Bishop & Carlin 1993": Work(
        authors="Byrt, Ted and Bishop, Janet and Carlin, John B.", year=1993, inside=EPIDEMIOLOGY,
        volume="46(5)", pages="423--429", title="Bias, Prevalence and Kappa",
        doi="10.1016/0895-4356(93)90018-V",
    ),
    "Cicchetti & Feinstein 1990": Work(
        authors="Cicchetti, Domenic V. and Feinstein, Alvan R.", year=1990, inside=EPIDEMIOLOGY,
        volume="43(6)", pages="551--558", doi="10.1016/0895-4356(90)90159-M",
        title="High Agreement but Low Kappa: {II}. Resolving the Paradoxes",
    ),
    "Cohen 1960": Work(
        authors="Cohen, Jacob", year=1960, inside=EDUCATIONAL, volume="20(1)", pages="37--46",
        title="A Coefficient of Agreement for Nominal Scales", doi="10.1177/001316446002000104",
    ),
    "Cohen 1968": Work(
        authors="Cohen, Jacob", year=1968, inside=PSYCH_BULLETIN, volume="70(4)", pages="213--220",
        title="Weighted Kappa: Nominal Scale Agreement with Provision for Scaled Disagreement or Partial Credit",
        doi="10.1037/h0026256",
    ),
    "Conger 1980": Work(
        authors="Conger, Anthony J.", year=1980, inside=PSYCH_BULLETIN, volume="88(2)", pages="322--328",
        title="Integration and Generalization of Kappas for Multiple Raters", doi="10.1037/0033-2909.88.2.322",
    ),
    "Dawid & Skene 1979": Work(
        authors="Dawid, A. P. and Skene, A. M.", year=1979, volume="28(1)", pages="20--28",
        inside="Journal of the Royal Statistical Society. Series C (Applied Statistics)", doi="10.2307/2346806",
        title="Maximum Likelihood Estimation of Observer Error-Rates Using the {EM} Algorithm",
    ),
    "Dice 1945": Work(
        authors="Dice, Lee R.", year=1945, inside="Ecology", volume="26(3)", pages="297--302",
        title="Measures of the Amount of Ecologic Association between Species", doi="10.2307/1932409",
    ),
    "Edwards 1948": Work(
        authors="Edwards, Allen L.", year=1948, inside="Psychometrika", volume="13(3)", pages="185--187",
        title="Note on the ``Correction for Continuity'' in Testing the Significance of the Difference between"
        " Correlated Proportions", doi="10.1007/BF02289261",
    ),
    "Efron 1987": Work(
        authors="Efron, Bradley", year=1987, inside=JASA, volume="82(397)", pages="171--185",
        title="Better Bootstrap Confidence Intervals", doi="10.1080/01621459.1987.10478410",
    ),
    "Fleiss 1971": Work(
        authors="Fleiss, Joseph L.", year=1971, inside=PSYCH_BULLETIN, volume="76(5)", pages="378--382",
        title="Measuring Nominal Scale Agreement among Many Raters", doi="10.1037/h0031619",
    ),
    "Fleiss, Cohen & Everitt 1969": Work(
        authors="Fleiss, Joseph L. and Cohen, Jacob and Everitt, B. S.", year=1969, inside=PSYCH_BULLETIN,
        volume="72(5)", pages="323--327", title="Large Sample Standard Errors of Kappa and Weighted Kappa",
        doi="10.1037/h0028106",
    ),
    "Fleiss, Nee & Landis 1979": Work(
        authors="Fleiss, Joseph L. and Nee, John C. and Landis, J. Richard", year=1979, inside=PSYCH_BULLETIN,
        volume="86(5)", pages="974--977", doi="10.1037/0033-2909.86.5.974",
        title="Large Sample Variance of Kappa in the Case of Different Sets of Raters",
    ),
    "Gwet 2008": Work(
        authors="Gwet, Kilem Li", year=2008, volume="61(1)", pages="29--48",
        inside="British Journal of Mathematical and Statistical Psychology", doi="10.1348/000711006X126600",
        title="Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement",
    ),
    "Gwet 2014": Work(
        authors="Gwet, Kilem Li", year=2014, kind="book", publisher="Advanced Analytics", edition="4th",
        address="Gaithersburg, MD", title="Handbook of Inter-Rater Reliability: The Definitive Guide to Measuring the"
        " Extent of Agreement among Raters",
    ),
    "Kendall & Babington Smith 1939": Work(
        authors="Kendall, M. G. and {Babington Smith}, B.", year=1939, volume="10(3)", pages="275--287",
        inside="The Annals of Mathematical Statistics", title="The Problem of $m$ Rankings",
        doi="10.1214/aoms/1177732186",
    ),
    "Krippendorff 2004": Work(
        authors="Krippendorff, Klaus", year=2004, kind="book", publisher="Sage", edition="2nd",
        address="Thousand Oaks, CA", title="Content Analysis: An Introduction to Its Methodology",
    ),
    "Krippendorff 2011": Work(
        authors="Krippendorff, Klaus", year=2011, kind="misc", title="Computing {Krippendorff's} Alpha-Reliability",
        publisher="University of Pennsylvania, Annenberg School for Communication",
        url="https://repository.upenn.edu/asc_papers/43",
    ),
    "Light 1971": Work(
        authors="Light, Richard J.", year=1971, inside=PSYCH_BULLETIN, volume="76(5)", pages="365--377",
        title="Measures of Response Agreement for Qualitative Data: Some Generalizations and Alternatives",
        doi="10.1037/h0031643",
    ),
    "Lin 1989": Work(
        authors="Lin, Lawrence I-Kuei", year=1989, inside="Biometrics", volume="45(1)", pages="255--268",
        title="A Concordance Correlation Coefficient to Evaluate Reproducibility", doi="10.2307/2532051",
    ),
    "Maxwell 1970": Work(
        authors="Maxwell, A. E.", year=1970, inside="The British Journal of Psychiatry", volume="116(535)",
        pages="651--655", title="Comparing the Classification of Subjects by Two Independent Judges",
        doi="10.1192/bjp.116.535.651",
    ),
    "McGraw & Wong 1996": Work(
        authors="McGraw, Kenneth O. and Wong, S. P.", year=1996, inside="Psychological Methods", volume="1(1)",
        pages="30--46", title="Forming Inferences about Some Intraclass Correlation Coefficients",
        doi="10.1037/1082-989X.1.1.30",
    ),
    "McNemar 1947": Work(
        authors="McNemar, Quinn", year=1947, inside="Psychometrika", volume="12(2)", pages="153--157",
        title="Note on the Sampling Error of the Difference between Correlated Proportions or Percentages",
        doi="10.1007/BF02295996",
    ),
    "Passonneau 2006": Work(
        authors="Passonneau, Rebecca", year=2006, kind="inproceedings",
        inside="Proceedings of the Fifth International Conference on Language Resources and Evaluation (LREC'06)",
        publisher="European Language Resources Association (ELRA)", address="Genoa, Italy",
        url="https://aclanthology.org/L06-1392/",
        title="Measuring Agreement on Set-Valued Items ({MASI}) for Semantic and Pragmatic Annotation",
    ),
    "Randolph 2005": Work(
        authors="Randolph, Justus J.", year=2005, kind="misc",
        publisher="Paper presented at the Joensuu Learning and Instruction Symposium 2005, Joensuu, Finland",
        title="Free-Marginal Multirater Kappa (Multirater $\\kappa_{free}$): An Alternative to {Fleiss'}"
        " Fixed-Marginal Multirater Kappa", url="https://eric.ed.gov/?id=ED490661",
    ),
    "Scott 1955": Work(
        authors="Scott, William A.", year=1955, inside="Public Opinion Quarterly", volume="19(3)",
        pages="321--325", title="Reliability of Content Analysis: The Case of Nominal Scale Coding",
        doi="10.1086/266577",
    ),
    "Shrout & Fleiss 1979": Work(
        authors="Shrout, Patrick E. and Fleiss, Joseph L.", year=1979, inside=PSYCH_BULLETIN, volume="86(2)",
        pages="420--428", title="Intraclass Correlations: Uses in Assessing Rater Reliability",
        doi="10.1037/0033-2909.86.2.420",
    ),
    "Spitzer & Fleiss 1974": Work(
        authors="Spitzer, Robert L. and Fleiss, Joseph L.", year=1974, volume="125(587)", pages="341--347",
        inside="The British Journal of Psychiatry", doi="10.1192/bjp.125.4.341",
        title="A Re-analysis of the Reliability of Psychiatric Diagnosis",
    ),
    "Stuart 1955": Work(
        authors="Stuart, Alan", year=1955, inside="Biometrika", volume="42(3/4)", pages="412--416",
        title="A Test for Homogeneity of the Marginal Distributions in a Two-Way Classification",
        doi="10.1093/biomet/42.3-4.412",
    ),
}  # fmt: skip

_WITH_YEARS = re.compile(r"^(?:standard error of )?(?P<names>.+?) (?P<years>\d{4}(?:, \d{4})*)$")


def works_named(source: str) -> list[str]:
    """The names of the works in a source as the catalogue writes it: “Cohen 1960, 1968; Gwet 2014”."""
    found = []
    for part in filter(None, map(str.strip, source.split(";"))):
        match = _WITH_YEARS.match(part)
        if match is None:
            raise ValueError(f"a source must be names and years, got {part!r}")
        found += [f"{match['names']} {year}" for year in match["years"].split(", ")]
    return found


def works_of(statistics: Iterable[str]) -> list[str]:
    """The names of the works behind statistics, by their JSON names; each once, in order of the alphabet."""
    sources = (CATALOGUE[name].source for name in statistics if name in CATALOGUE)
    return sorted({work for source in sources for work in works_named(source)})


def cited_together(works: Iterable[str]) -> str:
    """As APA cites them in parentheses: Cohen, 1960, 1968; Fleiss et al., 1969. works: in order of the alphabet."""
    years: dict[str, list[str]] = {}
    for work in works:
        names, _, year = work.rpartition(" ")
        # Of three and more the first is named.
        first, more, _ = names.partition(", ")
        years.setdefault(f"{first} et al." if more else names, []).append(year)
    return "; ".join(f"{names}, {', '.join(found)}" for names, found in years.items())


def reference(name: str) -> str:
    """As APA lists it: Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and … ."""
    work = WORKS[name]
    parts = [f"{_listed_authors(work.authors)} ({work.year}).", _listed_title(work)]
    if work.kind == "article":
        parts.append(f"{work.inside}, {', '.join(filter(None, [work.volume, _dashed(work.pages)]))}.")
    elif work.kind == "inproceedings":
        parts += [f"In {work.inside}.", f"{work.publisher}."]
    else:
        parts.append(f"{work.publisher}.")
    link = f"https://doi.org/{work.doi}" if work.doi else work.url
    return " ".join([*parts, link] if link else parts)


def _listed_title(work: Work) -> str:
    edition = f" ({work.edition} ed.)" if work.edition else ""
    return f"{sentence_case(work.title)}{edition}."


def _listed_authors(authors: str) -> str:
    names = list(map(_initialled, authors.split(" and ")))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"


def _initialled(author: str) -> str:
    last, _, first = author.partition(", ")
    initials = " ".join(
        "-".join(f"{part[0]}." for part in name.split("-")) for name in first.replace(".", "").split()
    )
    return f"{last.strip('{}')}, {initials}"


def sentence_case(title: str) -> str:
    """A title as it stands in a sentence: small, but for its beginnings and for what is in braces."""
    small = "".join(
        part[1:-1] if part.startswith("{") else part.lower()
        for part in re.split(r"(\{[^}]*\})", _spoken(title))
    )
    return re.sub(r"(^|: |\. )([a-z])", lambda found: found[1] + found[2].upper(), small)


def _spoken(title: str) -> str:
    """Without the marks of TeX."""
    for tex, spoken in {"$\\kappa_{free}$": "κfree", "$m$": "m", "``": "“", "''": "”", "'": "’"}.items():
        title = title.replace(tex, spoken)
    return title


def _dashed(pages: str) -> str:
    return pages.replace("--", "–")


def bibtex(names: Iterable[str]) -> str:
    return "\n".join(_entry(name, WORKS[name]) for name in names)


def key_of(name: str) -> str:
    """The key of its entry: fleiss1971, blandaltman1986."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _entry(name: str, work: Work) -> str:
    volume, _, number = work.volume.partition("(")
    where = {"article": "journal", "inproceedings": "booktitle"}.get(work.kind, "")
    fields = {
        "author": work.authors,
        "title": work.title,
        where: work.inside,
        "volume": volume,
        "number": number.rstrip(")"),
        "pages": work.pages,
        "year": str(work.year),
        "edition": work.edition,
        "howpublished" if work.kind == "misc" else "publisher": work.publisher,
        "address": work.address,
        "doi": work.doi,
        "url": work.url,
    }
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items() if field and value]
    return "\n".join([f"@{work.kind}{{{key_of(name)},", *lines, "}", ""])
