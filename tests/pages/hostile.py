"""PDFs made to do harm: always the same ones, in classes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.pages.harm import Harm, Hostile
from tests.pages.hostile_cargo import actions, nestings, pretenders
from tests.pages.hostile_content import bombs, fonts, operators, textless
from tests.pages.hostile_structure import boxes, broken_tables, encrypted, object_streams, page_counts, recursions


def crafted() -> Iterator[Hostile]:
    """Those written from nothing: none of them is a book."""
    for harm, made in (
        (Harm.XREF, broken_tables()),
        (Harm.OBJECT_STREAM, object_streams()),
        (Harm.ENCRYPTED, encrypted()),
        (Harm.RECURSION, recursions()),
        (Harm.PAGE_BOX, boxes()),
        (Harm.BOMB, bombs()),
        (Harm.OPERATORS, operators()),
        (Harm.PAGE_COUNT, page_counts()),
        (Harm.NO_TEXT, textless()),
        (Harm.FONT, fonts()),
        (Harm.NESTING, nestings()),
        (Harm.ACTIONS, actions()),
        (Harm.NOT_A_PDF, pretenders()),
    ):
        for name, make in made:
            yield Hostile(harm, name, make)
