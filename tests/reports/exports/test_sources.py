"""The publications as BibTeX and as a list of references."""

import re
from pathlib import Path

import pytest

from reports.analysis.catalog import CATALOG
from reports.results import bibliography as sources
from reports.results.audits import prose
from reports.results.bibliography import WORKS, bibtex, reference, sentence_case, works_of
from reports.results.prose_measure import METHODS

NEEDED = {
    "article": {"author", "title", "journal", "volume", "number", "pages", "year", "doi"},
    "book": {"author", "title", "publisher", "address", "edition", "year"},
    "inproceedings": {"author", "title", "booktitle", "publisher", "address", "year", "url"},
    "misc": {"author", "title", "howpublished", "year", "url"},
}
# The journal of the first gives its articles none; those of the others could not be looked up.
WITHOUT_DOI = {
    *("korngraubard1998", "buonaccorsi1987", "rogangladen1978", "wald1945", "yansu2010"),
    "zouhuangzhang2009",
}


def entries() -> dict[str, tuple[str, dict[str, str]]]:
    """Kind and fields of each entry by its key, as a reader of BibTeX sees them."""
    found = {}
    for kind, key, body in re.findall(r"^@(\w+)\{(\w+),\n(.*?)^\}$", bibtex(WORKS), re.M | re.S):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.M))
        assert len(fields) == len(body.splitlines())
        found[key] = (kind, fields)
    return found


def test_every_entry_has_the_fields_of_its_kind():
    found = entries()

    assert list(found) == [re.sub(r"[^a-z0-9]", "", name.lower()) for name in WORKS]
    assert {key: set(fields) for key, (_, fields) in found.items()} == {
        key: NEEDED[kind] - ({"doi"} if key in WITHOUT_DOI else set()) for key, (kind, _) in found.items()
    }


def test_every_source_of_the_catalog_has_an_entry_and_every_entry_is_cited():
    # What a report cites beside its statistics: where its intervals were published.
    of_intervals = {work for *_, works in METHODS.values() for work in works}
    of_audits = {*prose.EXACT, *prose.STRATA, *prose.ESTIMATED, *prose.CORRECTED, *prose.SEQUENTIAL}
    assert {*works_of(CATALOG), *of_intervals, *of_audits} == set(WORKS)


def test_what_is_exported_is_the_file_in_the_order_of_the_alphabet():
    file = Path(sources.__file__).with_name("bibliography.bib")

    assert bibtex(WORKS) == file.read_text(encoding="utf-8")
    assert list(WORKS) == sorted(WORKS, key=str.casefold)


def test_an_entry_in_another_layout_is_refused():
    entry = bibtex(["Cohen 1960"]).strip()

    with pytest.raises(ValueError, match="one field to a line, got '@article"):
        sources.work_of(entry.replace(" of Agreement", "\n    of Agreement"))


def test_fields_have_their_forms():
    for key, (_, fields) in entries().items():
        assert fields["year"] in key
        assert all(
            "{" not in name.partition(",")[2] and ", " in name for name in fields["author"].split(" and ")
        )
        assert re.fullmatch(r"10\.\d{4,5}/\S+", fields.get("doi", "10.1234/x"))
        assert re.fullmatch(r"\d+--\d+", fields.get("pages", "1--2"))
        assert fields["title"].count("{") == fields["title"].count("}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "Cohen 1960",
            "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological"
            " Measurement, 20(1), 37–46. https://doi.org/10.1177/001316446002000104",
        ),
        (
            "Fleiss, Cohen & Everitt 1969",
            "Fleiss, J. L., Cohen, J., & Everitt, B. S. (1969). Large sample standard errors of kappa and weighted"
            " kappa. Psychological Bulletin, 72(5), 323–327. https://doi.org/10.1037/h0028106",
        ),
        (
            "Gwet 2014",
            "Gwet, K. L. (2014). Handbook of inter-rater reliability: The definitive guide to measuring the extent of"
            " agreement among raters (4th ed.). Advanced Analytics.",
        ),
        (
            "Lin 1989",
            "Lin, L. I.-K. (1989). A concordance correlation coefficient to evaluate reproducibility. Biometrics,"
            " 45(1), 255–268. https://doi.org/10.2307/2532051",
        ),
        (
            "Kendall & Babington Smith 1939",
            "Kendall, M. G., & Babington Smith, B. (1939). The problem of m rankings. The Annals of Mathematical"
            " Statistics, 10(3), 275–287. https://doi.org/10.1214/aoms/1177732186",
        ),
    ],
)  # fmt: skip
def test_a_reference_is_as_apa_lists_it(name, expected):
    assert reference(name) == expected


def test_every_work_can_be_listed_without_marks_of_tex():
    assert [name for name in WORKS if set("{}$\\") & set(reference(name))] == []


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Low Kappa: {II}. Resolving the Paradoxes", "Low kappa: II. Resolving the paradoxes"),
        ("Computing {Krippendorff's} Alpha-Reliability", "Computing Krippendorff’s alpha-reliability"),
    ],
)  # fmt: skip
def test_sentence_case_keeps_what_is_in_braces(title, expected):
    assert sentence_case(title) == expected
