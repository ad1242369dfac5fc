"""Turns monographs into strips: titles, headings, labelled paragraphs, tables and formulas in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.sample.figures import formula_strip, table_strip
from ingest.sample.ink import Ink, Strip
from ingest.sample.lines import Composer, Setting
from ingest.sample.source import (
    RUN_IN_KEYS,
    Face,
    Formula,
    Item,
    Monograph,
    Paragraph,
    Run,
    Section,
    SourceError,
    Table,
)

COLUMN = 247.6
FULL = 511.3
BODY = Setting(width=COLUMN)
FLUSH = Setting(width=COLUMN, indent=0.0)
TITLE = Setting(size=11.5, leading=13.6, width=COLUMN, indent=0.0)
TITLE_GAP, HEADING_GAP = 13.0, 2.0


def monograph_strips(monograph: Monograph, composer: Composer) -> list[Strip]:
    """Every strip of a monograph, the white above its title included."""
    strips = list(_title_strips(monograph, composer))
    for section in monograph.sections:
        try:
            strips += _section_strips(section, composer)
        except ValueError as problem:
            raise SourceError(monograph.path, section.line, str(problem)) from None
    return [replace(strip, owner=monograph.slug) for strip in strips]


def _title_strips(monograph: Monograph, composer: Composer) -> Iterator[Strip]:
    title = text_strips(composer, [Run(monograph.title, Face.BOLD)], TITLE, gap=TITLE_GAP, justify=False)
    yield from _kept(_marked(title, "title"))
    for synonym in monograph.synonyms:
        yield from _kept(text_strips(composer, [Run(f"({synonym})", Face.BOLD)], FLUSH, justify=False))
    if monograph.subtitle:
        yield from _kept(text_strips(composer, [Run(monograph.subtitle)], FLUSH, justify=False))


def _section_strips(section: Section, composer: Composer) -> Iterator[Strip]:
    items = section.items
    if section.key in RUN_IN_KEYS and isinstance(items[0], Paragraph):
        runs = [Run(f"{section.heading}:", Face.BOLD), Run(" "), *_paragraph_runs(items[0])]
        yield from _kept(_marked(text_strips(composer, runs, FLUSH), section.key or section.heading))
        items = items[1:]
    else:
        heading = text_strips(composer, [Run(section.heading, Face.BOLD)], FLUSH, gap=HEADING_GAP)
        yield from _kept(_marked(heading, section.key or section.heading))
    for item in items:
        yield from _item_strips(item, composer)


def _item_strips(item: Item, composer: Composer) -> list[Strip]:
    if isinstance(item, Table):
        width = FULL if item.wide else COLUMN
        return [replace(table_strip(item, composer, width), wide=item.wide)]
    if isinstance(item, Formula):
        return [formula_strip(item, composer, COLUMN)]
    strips = text_strips(composer, _paragraph_runs(item), BODY)
    return _kept(strips) if _is_label_alone(item) else strips


def _is_label_alone(paragraph: Paragraph) -> bool:
    return all(run.face in {Face.BOLD_ITALIC, Face.ITALIC} for s in paragraph.segments for run in s.runs)


def _paragraph_runs(paragraph: Paragraph) -> list[Run]:
    runs: list[Run] = []
    for segment in paragraph.segments:
        runs += [*([Run(" ")] if runs else []), *segment.runs]
    return runs


def text_strips(
    composer: Composer, runs: Sequence[Run], setting: Setting, *, gap: float = 0.0, justify: bool = True
) -> list[Strip]:
    """A paragraph as strips of one line; its first two and its last two lines stay together."""
    lines = composer.lines(runs, setting, justify=justify)
    return [_line_strip(line, n, len(lines), setting, gap) for n, line in enumerate(lines)]


def _line_strip(line: tuple[Ink, ...], index: int, count: int, setting: Setting, gap: float) -> Strip:
    keep = count > 1 and index in {0, count - 2}
    return Strip(setting.leading, line, gap=gap if index == 0 else 0.0, keep=keep)


def _marked(strips: list[Strip], mark: str) -> list[Strip]:
    return [replace(strips[0], mark=mark), *strips[1:]]


def _kept(strips: list[Strip]) -> list[Strip]:
    return [replace(strip, keep=True) for strip in strips]
