"""The sections of editions as they are compared: digests first, words only for what is shown."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from django.contrib.postgres.aggregates import StringAgg
from django.db.models import Case, CharField, F, TextField, Value, When
from django.db.models.functions import MD5, Cast, Coalesce, Concat

from ingest.comparison import (
    Comparison,
    Difference,
    SectionChange,
    SectionDigest,
    SectionPlace,
    compare_editions,
    doses_of,
)
from monographs.domain import PassageState
from monographs.models import Edition, Passage, Section
from monographs.text import fold

HELD_BACK = "⟦giữ lại⟧ "
_AT_ONCE = 2000


def compare(old: Edition, new: Edition) -> Comparison:
    """What differs between two editions; kept as long as neither changes."""
    return _compare(old.pk, old.corpus_version, new.pk, new.corpus_version)


def texts_of(section_ids: Iterable[int]) -> dict[int, str]:
    """The words of sections as they are compared: a line for each passage, marked where it is held back."""
    lines: dict[int, list[str]] = defaultdict(list)
    passages = Passage.objects.filter(section_id__in=list(section_ids)).annotate(compared=_line(""))
    for section_id, line in passages.order_by("section_id", "order").values_list("section_id", "compared"):
        lines[section_id].append(line)
    return {section_id: "\n".join(found) for section_id, found in lines.items()}


@lru_cache(maxsize=4)
def _compare(old: int, _old_version: str, new: int, _new_version: str) -> Comparison:
    compared = compare_editions(_digests(old), _digests(new))
    changed = [change for change in compared.changes if change.difference is Difference.CHANGED]
    doubtful = set()
    for start in range(0, len(changed), _AT_ONCE):
        doubtful |= _with_other_doses(changed[start : start + _AT_ONCE])
    return replace(
        compared,
        changes=tuple(replace(change, doses_differ=change.place in doubtful) for change in compared.changes),
    )


def _with_other_doses(changes: list[SectionChange]) -> set[SectionPlace]:
    pairs = [(change.place, change.old, change.new) for change in changes]
    texts = texts_of(digest.section_id for _, *both in pairs for digest in both if digest)
    return {
        place
        for place, old, new in pairs
        if old and new and doses_of(texts.get(old.section_id, "")) != doses_of(texts.get(new.section_id, ""))
    }


def _digests(edition_id: int) -> dict[SectionPlace, SectionDigest]:
    digest = MD5(Coalesce(StringAgg(_line("passages__"), Value("\n"), order_by="passages__order"), Value("")))
    sections = (
        Section.objects.filter(monograph__edition_id=edition_id)
        .annotate(digest=Cast(digest, CharField()))
        .select_related("monograph")
        .order_by("monograph__order", "order")
    )
    seen: Counter[tuple[str, str]] = Counter()
    found = {}
    for section in sections.iterator(chunk_size=_AT_ONCE):
        name = (section.monograph.slug, section.key or fold(section.heading))
        seen[name] += 1
        found[SectionPlace(*name, number=seen[name])] = SectionDigest(
            section_id=section.pk,
            monograph=section.monograph.display_name,
            heading=section.heading,
            digest=section.digest,
            order=section.order,
        )
    return found


def _line(path: str) -> Case:
    """What is compared of a passage; path: the way to it from the rows asked for."""
    return Case(
        When(**{f"{path}state": PassageState.CORRECTED}, then=F(f"{path}corrected_text")),
        When(**{f"{path}state": PassageState.SERVED}, then=F(f"{path}text")),
        default=Concat(Value(HELD_BACK), F(f"{path}text")),
        output_field=TextField(),
    )
