"""How the book is set on a page: unbreakable numbers, run-in labels, the edition being served."""

from __future__ import annotations

from functools import lru_cache

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from heroicons.templatetags.heroicons import heroicon_micro

from monographs.corpus import current_edition
from monographs.disclaimer import NO_EDITION_TITLE, disclaimer
from monographs.models import Edition, Passage
from monographs.reading import Line
from monographs.typography import split_run_in, unbreakable_groups

register = template.Library()


@register.filter
def typeset(text: str) -> SafeString:
    """The text, escaped, with every number held together with its unit."""
    return format_html_join(
        "",
        "{}",
        (
            (format_html('<span class="nowrap">{}</span>', piece) if kept else conditional_escape(piece),)
            for piece, kept in unbreakable_groups(str(text))
        ),
    )


@register.filter
def spaced(number: int) -> str:
    """A count with its thousands apart: "69 830"."""
    return f"{number:,}".replace(",", "\u00a0")


@register.filter
def heading(text: str) -> str:
    """A heading without the colon that the book prints after some."""
    return text.rstrip(" :")


@register.simple_tag
def typeset_passage(text: str, labels: tuple[str, ...] | list[str]) -> SafeString:
    """The text of a passage with the labels at its head set as the book sets them."""
    head, rest = split_run_in(text, labels)
    if not head:
        return typeset(rest)
    alone = "" if rest.strip() else " run-in-alone"
    return format_html('<span class="run-in{}">{}</span>{}', alone, typeset(head), typeset(rest))


@register.simple_tag
def passage_link(line: Line) -> SafeString:
    """The way to the printed page of a passage: its number where a page begins, else a picture. Stands in a long
    monograph hundreds of times, where a template of its own would be most of what the page costs."""
    url, page = reverse("passage-source", args=[line.passage.pk]), line.passage.printed_page
    if line.opens_page and page:
        said = format_html('<span class="visually-hidden">Mở ảnh </span>tr. {}', page)
    else:
        told = f"Mở ảnh trang in {page or ''} của đoạn này"
        said = format_html('{}<span class="visually-hidden">{}</span>', _photo(), told)
    quiet = "" if line.opens_page else " page-mark-quiet"
    html = '<a class="page-mark{}" href="{}" hx-get="{}" hx-target="#source-panel">{}</a>'
    return format_html(html, quiet, url, url, said)


@lru_cache(maxsize=1)
def _photo() -> str:
    return heroicon_micro("photo", size=16, aria_hidden="true")


@register.simple_tag(takes_context=True)
def served_edition(context: Context) -> Edition | None:
    """The published edition: the view's own look-up where there was one."""
    edition = context["current_edition"] if "current_edition" in context else current_edition()
    return edition if isinstance(edition, Edition) else None


@register.simple_tag
def disclaimer_of(edition: Edition | None) -> str:
    """The fixed notice of an edition."""
    if edition is None:
        return disclaimer(edition_title=NO_EDITION_TITLE, is_sample=False)
    return disclaimer(edition_title=edition.title, is_sample=edition.is_sample)


@register.filter
def held_back_notice(passage: Passage) -> str:
    """Why only the picture of a passage is shown."""
    return HELD_BACK.get((passage.kind, passage.state), HELD_BACK.get((passage.kind, ""), HELD_BACK["text", ""]))


HELD_BACK: dict[tuple[str, str], str] = {
    ("table", ""): "Bảng: xem ảnh trang in",
    ("formula", ""): "Công thức: xem ảnh trang in",
    ("figure", ""): "Hình: xem ảnh trang in",
    ("text", ""): "Đoạn chờ duyệt: xem ảnh trang in",
    ("text", "rejected"): "Chữ trích từ đoạn này đã bị loại khi duyệt: xem ảnh trang in",
}
