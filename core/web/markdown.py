"""Renders people's Markdown as safe HTML."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from urllib.parse import unquote

import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

ALLOWED = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
# Guidelines are shown with every item, so that a process keeps the HTML of this many.
CACHE_SIZE = 50
_ELSEWHERE = ("http:", "https:", "//")
_NONE: Mapping[str, str] = MappingProxyType({})


def _heading(
    self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, _: EnvType
) -> str:
    """One level lower: the page has its own heading, and screen readers rely on the order of headings."""
    tokens[place].tag = f"h{min(int(tokens[place].tag[1]) + 1, 6)}"
    return self.renderToken(tokens, place, options, {})


def _image(
    self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    """Our own image, or its alternative text: our pages fetch nothing from other hosts."""
    source = str(tokens[place].attrs["src"])
    alt = self.renderInlineAsText(tokens[place].children, options, env)
    address = env["images"].get(_name(source), "")
    if address:
        return format_html('<img src="{}" alt="{}">', address, alt)
    if source.lower().startswith(_ELSEWHERE):
        return format_html('<a href="{}">{}</a>', source, alt or source)
    return format_html("{} (image {} is missing)", alt, _name(source))


def _parser_of(*more: str, without: str = "") -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough", *more])
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    parser.add_render_rule("image", _image)
    return parser.disable(without) if without else parser


# Images would be fetched from other hosts; their alternative text is shown instead.
_parser = _parser_of(without="image")
_parser_with_images = _parser_of()


def rendered(text: str) -> SafeString:
    """HTML in the text is shown as text; only allowed elements remain."""
    return _cleaned(_parser.render(text), _NONE)


def rendered_with_images(text: str, images: Mapping[str, str]) -> SafeString:
    """Like `rendered`, but with these images: our own URLs by the names used in the text."""
    return _rendered_with_images(text, tuple(images.items()))


@lru_cache(CACHE_SIZE)
def _rendered_with_images(text: str, images: tuple[tuple[str, str], ...]) -> SafeString:
    named = dict(images)
    return _cleaned(_parser_with_images.render(text, {"images": named}), named)


@lru_cache(CACHE_SIZE)
def image_names(text: str) -> frozenset[str]:
    """The names of the images that a text uses."""
    return frozenset(
        _name(str(token.attrs["src"]))
        for block in _parser_with_images.parse(text)
        for token in _inline(block)
        if token.type == "image"
    )


def _inline(token: Token) -> Iterator[Token]:
    for child in token.children or ():
        yield child
        yield from _inline(child)


def _name(source: str) -> str:
    return unquote(source)


def _cleaned(html: str, images: Mapping[str, str]) -> SafeString:
    addresses = set(images.values())

    def kept(tag: str, name: str, value: str) -> str | None:
        return None if (tag, name) == ("img", "src") and value not in addresses else value

    cleaned = nh3.clean(
        html,
        tags=ALLOWED | {"img"} if addresses else ALLOWED,
        attributes={"a": {"href"}, "img": {"src", "alt"}} if addresses else {"a": {"href"}},
        attribute_filter=kept,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(cleaned)  # noqa: S308
