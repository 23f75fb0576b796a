"""Markdown of people, as HTML that can do no harm."""

from collections.abc import Sequence

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

# Pictures would be fetched from other hosts; they are shown as their text.
ALLOWED = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip

_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def _heading(
    self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, _: EnvType
) -> str:
    """A step lower: the page that shows it has a heading of its own, and who listens goes by their order."""
    tokens[place].tag = f"h{min(int(tokens[place].tag[1]) + 1, 6)}"
    return self.renderToken(tokens, place, options, {})


_parser.add_render_rule("heading_open", _heading)
_parser.add_render_rule("heading_close", _heading)


def rendered(text: str) -> SafeString:
    """HTML in the text is shown as text; nothing outside the allowed elements comes through."""
    html = nh3.clean(
        _parser.render(text),
        tags=ALLOWED,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(html)  # noqa: S308
