"""Markdown of people, as HTML that can do no harm."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# Pictures would be fetched from other hosts; they are shown as their text.
ALLOWED = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip

_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


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
