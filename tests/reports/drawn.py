"""Reading pictures: the marks and words of an SVG."""

import re
from xml.etree import ElementTree

from reports.drawing.picture import Picture

SPACE = ' xmlns="http://www.w3.org/2000/svg"'


def parsed(svg: str | bytes) -> ElementTree.Element:
    """Of a file, or of a picture in a page, which has no name of its language."""
    return ElementTree.fromstring((svg.decode() if isinstance(svg, bytes) else svg).replace(SPACE, "", 1))


def marks(svg: str | bytes | Picture, name: str) -> list[ElementTree.Element]:
    """The marks of a layer, by its name in the specification."""
    root = parsed(svg.file() if isinstance(svg, Picture) else svg)
    groups = (each for each in root.iter("g") if f"{name}_marks" in each.get("class", "").split())
    return [mark for group in groups for mark in group.iter() if mark.tag in _SHAPES]


_SHAPES = {"path", "line", "rect", "text"}


def place(mark: ElementTree.Element) -> tuple[float, float]:
    """Where it stands, or begins, within its part of the picture."""
    x, y = mark.get("transform", "translate(0,0)")[10:-1].split(",")
    return float(x), float(y)


def box(mark: ElementTree.Element) -> tuple[float, float, float, float]:
    """Left, top, width and height of a mark that is a rectangle."""
    found = re.fullmatch(r"M([-\d.e]+),([-\d.e]+)h([-\d.e]+)v([-\d.e]+)h[-\d.e]+Z", mark.get("d", ""))
    assert found, mark.attrib
    x, y, width, height = map(float, found.groups())
    return x, y, width, height


def words(svg: str | bytes | Picture) -> list[str]:
    """Every text, in the order in which they are drawn."""
    root = parsed(svg.file() if isinstance(svg, Picture) else svg)
    return ["".join(text.itertext()) for text in root.iter("text")]
