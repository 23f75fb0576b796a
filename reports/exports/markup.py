"""The table of a report for LaTeX (booktabs) and for web pages."""

from html import escape

from reports.models import Report
from reports.results.bibliography import bibtex, software_bibtex
from reports.results.paper import N_WORD_COLUMNS, PaperTable, table_of
from reports.results.prose import works_in_table

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
        "|": r"\textbar{}", '"': r"\symbol{34}", "−": r"$-$", "κ": r"$\kappa$", "α": r"$\alpha$", "–": "--",
        "’": "'", "“": "``", "”": "''", "\n": " ", "\r": " ",
    }
)  # fmt: skip


def latex_text(text: str) -> str:
    """Escape text for LaTeX."""
    return text.translate(_LATEX)


def latex_table(report: Report) -> str:
    table = table_of(report)
    # Names of coefficients wrap rather than run into the margin.
    columns = r"lp{0.26\linewidth}" + "r" * (len(table.columns) - N_WORD_COLUMNS)
    lines = [
        r"% Needs \usepackage{booktabs,textcomp} and, for names in other scripts, LuaLaTeX or XeLaTeX.",
        r"\begin{table}",
        rf"  \caption{{{latex_text(table.caption)}}}",
        r"  \small\setlength{\tabcolsep}{4pt}",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {_latex_row(table.columns)}",
        r"    \midrule",
        *(f"    {_latex_row(row)}" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"  \par\smallskip\footnotesize {latex_text(table.note)}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: tuple[str, ...]) -> str:
    # In braces, because a row that starts with [ would be read as an argument of the previous row's \\.
    return " & ".join(f"{{{latex_text(cell)}}}" for cell in cells) + r" \\"


def html_table(report: Report) -> str:
    table = table_of(report)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(table.caption)}</title>\n</head>\n<body>\n"
        f"{_table(table)}\n<p>{escape(table.note)}</p>\n</body>\n</html>\n"
    )


def _table(table: PaperTable) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    rows = "\n".join(f"<tr>{''.join(map(_cell, range(len(row)), row))}</tr>" for row in table.rows)
    return (
        f"<table>\n<caption>{escape(table.caption)}</caption>\n<thead>\n<tr>{head}</tr>\n</thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table>"
    )


def _cell(place: int, text: str) -> str:
    # Numbers are right-aligned on any page.
    align = "" if place < N_WORD_COLUMNS else ' style="text-align: right"'
    return f"<td{align}>{escape(text)}</td>"


def bibliography(report: Report) -> str:
    return "\n".join(filter(None, [bibtex(works_in_table(report)), software_bibtex(report.code_version)]))
