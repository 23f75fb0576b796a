"""The publications behind the statistics; the catalog cites them by author and year."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from reports.analysis.catalog import CATALOG
from reports.results.marked import italic, plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One entry of bibliography.bib, with its BibTeX fields. entry: its source text.

    title: in title case, with braces around what keeps its capitals in sentence case.
    """

    entry: str
    kind: str
    key: str
    author: str
    title: str
    year: str
    journal: str = ""
    booktitle: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    edition: str = ""
    howpublished: str = ""
    publisher: str = ""
    address: str = ""
    doi: str = ""
    url: str = ""

    @property
    def authors(self) -> list[str]:
        """The authors, last name first."""
        return self.author.split(" and ")

    @property
    def name(self) -> str:
        """The name in the catalog: “Fleiss, Cohen & Everitt 1969”."""
        *others, last = (author.partition(", ")[0].strip("{}") for author in self.authors)
        return f"{', '.join(others)} & {last} {self.year}" if others else f"{last} {self.year}"


# Parts of a larger work, whose own titles are not in italics.
_IN_OTHERS = {"article", "inproceedings"}
# Entries have one field per line and an empty line between them, so no BibTeX parser is needed.
_ENTRY = re.compile(r"@(?P<kind>\w+)\{(?P<key>\w+),\n(?P<fields>(?:  \w+ = \{.+\},\n)+)\}")
_FIELD = re.compile(r"  (\w+) = \{(.+)\},")
_FILE = Path(__file__).with_name("bibliography.bib")


def work_of(entry: str) -> Work:
    """Parse an entry. Raises ValueError if its layout differs."""
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise ValueError(f"{_FILE.name}: an entry has one field to a line, got {entry!r}")
    fields = dict(_FIELD.findall(found["fields"]))
    return Work(entry=entry, kind=found["kind"], key=found["key"], **fields)


_WORKS = map(work_of, _FILE.read_text(encoding="utf-8").strip().split("\n\n"))
WORKS = {work.name: work for work in _WORKS}

_WITH_YEARS = re.compile(r"^(?:standard error: )?(?P<names>.+?) (?P<years>\d{4}(?:, \d{4})*)$")


def works_named(source: str) -> list[str]:
    """Return the names of the works in a source as written in the catalog: “Cohen 1960, 1968; Gwet 2014”."""
    found = []
    for part in filter(None, map(str.strip, source.split(";"))):
        match = _WITH_YEARS.match(part)
        if match is None:
            raise ValueError(f"a source must be names and years, got {part!r}")
        found += [f"{match['names']} {year}" for year in match["years"].split(", ")]
    return found


def works_of(statistics: Iterable[str]) -> list[str]:
    """Return the names of the works behind statistics, given by their JSON names; unique and in alphabetical order."""
    sources = (CATALOG[name].source for name in statistics if name in CATALOG)
    return sorted({work for source in sources for work in works_named(source)})


def cited_together(works: Iterable[str]) -> str:
    """Return an APA citation in parentheses: Cohen, 1960, 1968; Fleiss et al., 1969. works: in alphabetical order."""
    years: dict[str, list[str]] = {}
    for work in works:
        names, _, year = work.rpartition(" ")
        # With three or more authors, only the first is named.
        first, more, _ = names.partition(", ")
        years.setdefault(f"{first} et al." if more else names, []).append(year)
    return "; ".join(f"{names}, {', '.join(found)}" for names, found in years.items())


def reference(name: str) -> str:
    """Return an APA reference: Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and … ."""
    return plain(marked_reference(name))


def marked_reference(name: str) -> str:
    """Return an APA reference with italics marked: a journal and its volume, or the title of a book."""
    work = WORKS[name]
    title = _listed_title(work) if work.kind in _IN_OTHERS else _listed_title(work, italic)
    parts = [f"{_listed_authors(work)} ({work.year}).", title]
    if work.kind == "article":
        pages = work.pages.replace("--", "–")
        parts.append(f"{italic(f'{work.journal}, {work.volume}')}({work.number}), {pages}.")
    elif work.kind == "inproceedings":
        parts += [f"In {italic(_spoken(work.booktitle))}.", f"{work.publisher}."]
    else:
        parts.append(f"{work.publisher or work.howpublished}.")
    link = f"https://doi.org/{work.doi}" if work.doi else work.url
    return " ".join([*parts, link] if link else parts)


# The group that wrote the program. Releases are identified by version, so it has no year.
SOFTWARE_AUTHOR = "Interrater developers"


def marked_software(version: str) -> str:
    """Return the APA reference of this program."""
    return f"{SOFTWARE_AUTHOR}. (n.d.). {italic('Interrater')} (Version {version}) [Computer software]."


def software_bibtex(version: str) -> str:
    fields = {
        "author": f"{{{SOFTWARE_AUTHOR}}}",
        "title": "{Interrater}",
        "note": f"Version {version}",
        "howpublished": "Computer software",
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{interrater,\n{lines}}}\n"


def _listed_title(work: Work, mark: Callable[[str], str] = str) -> str:
    edition = f" ({work.edition} ed.)" if work.edition else ""
    return f"{mark(sentence_case(work.title))}{edition}."


def _listed_authors(work: Work) -> str:
    *others, last = map(_initialled, work.authors)
    return f"{', '.join(others)}, & {last}" if others else last


def _initialled(author: str) -> str:
    last, _, first = author.partition(", ")
    initials = " ".join(
        "-".join(f"{part[0]}." for part in name.split("-")) for name in first.replace(".", "").split()
    )
    return f"{last.strip('{}')}, {initials}"


def sentence_case(title: str) -> str:
    """Return a title in sentence case: lower case except for first words and what is in braces."""
    small = "".join(
        part[1:-1] if part.startswith("{") else part.lower()
        for part in re.split(r"(\{[^}]*\})", _spoken(title))
    )
    return re.sub(r"(^|: |\. )([a-z])", lambda found: found[1] + found[2].upper(), small)


def _spoken(title: str) -> str:
    """Return the title without TeX markup."""
    for tex, spoken in {"$\\kappa_{free}$": "κfree", "$m$": "m", "``": "“", "''": "”", "'": "’"}.items():
        title = title.replace(tex, spoken)
    return title


def bibtex(names: Iterable[str]) -> str:
    """Return the entries as in bibliography.bib."""
    return "\n".join(f"{WORKS[name].entry}\n" for name in names)
