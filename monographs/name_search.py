"""Monographs found by a name: those that hold what was typed, else those written like it, told apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rapidfuzz import fuzz, process

from monographs.differences import MarkedName, Segment, mark_name, plain_name
from monographs.models import Alias, Edition, Monograph
from monographs.names import look_alikes
from monographs.text import fold

MOST_FOUND = 60
MOST_MATCHED = 1000
# A name that holds the query somewhere within.
FARTHEST = 2
MOST_SUGGESTED = 6
# With the names that are taken for them.
MOST_OFFERED = 8
# A search with more nearest hits than this names no drug yet.
MOST_ASKED_FOR = 3
SUGGESTION_MIN_SCORE = 62
# A shorter name is within many a word by chance ("AM" in "dobutamon"): it has to be like the whole of it.
SHORTEST_WITHIN = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """A monograph found, with the names that matched unless they are its own.

    marked: a suggestion's name, then its names, with what tells them apart; empty where it looks like no other and
    not like the query. taken_for: what a hit is taken for and the search did not find.
    """

    monograph: Monograph
    names: tuple[str, ...]
    marked: tuple[MarkedName, ...] = ()
    taken_for: tuple[Monograph, ...] = ()

    @property
    def looks_alike(self) -> bool:
        """Whether it has to be told apart."""
        return bool(self.marked)

    @property
    def is_marked(self) -> bool:
        """Whether letters are marked in it."""
        return any(name.is_marked for name in self.marked)

    @property
    def shown_name(self) -> MarkedName:
        """The monograph's name."""
        return self.marked[0] if self.marked else plain_name(self.monograph.display_name)

    @property
    def shown_names(self) -> tuple[MarkedName, ...]:
        """The names that matched."""
        return self.marked[1:] or tuple(map(plain_name, self.names))


@dataclass(slots=True)
class _Matched:
    sort_key: str
    names: list[str] = field(default_factory=list)
    nearness: int = FARTHEST


@dataclass(frozen=True, slots=True)
class Names:
    """The names of an edition. written: folded name to monograph and name as printed; own: name and INN of each."""

    written: dict[str, list[tuple[int, str]]]
    own: dict[int, tuple[str, str]]

    def taken_for(self, names: Iterable[str]) -> dict[int, str]:
        """The monographs with a name that is taken for one of these, and that name."""
        found: dict[int, str] = {}
        for name in names:
            for other in look_alikes(name):
                for monograph_id, text in self.written.get(fold(other), ()):
                    found.setdefault(monograph_id, text)
        return found


def names_of(edition: Edition) -> Names:
    """What the process keeps of an edition's names, read at first use and again whenever its content changes."""
    return _names(edition.pk, edition.corpus_version)


def search_monographs(edition: Edition, query: str) -> tuple[Hit, ...]:
    """Monographs with a name that holds the query, accents and case aside: exact, then by its start, then within."""
    folded = fold(query)
    if not folded:
        return ()
    aliases = Alias.objects.filter(edition=edition, folded__contains=folded).order_by("monograph_id", "pk")
    rows = aliases.values_list("monograph_id", "text", "folded", "monograph__sort_key")[:MOST_MATCHED]
    matched: dict[int, _Matched] = {}
    for monograph_id, text, written, sort_key in rows:
        match = matched.setdefault(monograph_id, _Matched(sort_key))
        match.names.append(text)
        match.nearness = min(match.nearness, _nearness(written, folded))
    ranked = sorted(matched, key=lambda key: (matched[key].nearness, matched[key].sort_key))
    found = Monograph.objects.in_bulk(ranked[:MOST_FOUND])
    hits = tuple(
        Hit(found[key], _foreign_names(found[key], matched[key].names)) for key in ranked[:MOST_FOUND] if key in found
    )
    nearest = sum(matched[key].nearness == matched[ranked[0]].nearness for key in ranked)
    return _with_taken_for(edition, hits, nearest) if nearest <= MOST_ASKED_FOR else hits


def suggest_monographs(edition: Edition, query: str) -> tuple[Hit, ...]:
    """Names written like the query, for the reader to choose from; behind each those that are taken for it."""
    names = names_of(edition)
    like = _written_like(names, fold(query))
    offered: dict[int, str] = {}
    for monograph_id in list(like)[:MOST_SUGGESTED]:
        text = like[monograph_id]
        for key, name in ({monograph_id: text} | names.taken_for((*names.own[monograph_id], text))).items():
            offered.setdefault(key, like.get(key, name))
    wanted = list(offered)[:MOST_OFFERED]
    found = Monograph.objects.in_bulk(wanted)
    hits = [Hit(found[key], _foreign_names(found[key], [offered[key]])) for key in wanted if key in found]
    return tuple(_told_apart(hit, [other for other in hits if other is not hit], query) for hit in hits)


@lru_cache(maxsize=2)
def _names(edition_id: int, version: str) -> Names:
    written: dict[str, list[tuple[int, str]]] = {}
    own: dict[int, tuple[str, str]] = {}
    rows = Alias.objects.filter(edition_id=edition_id).order_by("pk")
    for key, text, folded, name, inn in rows.values_list(
        "monograph_id", "text", "folded", "monograph__name", "monograph__inn"
    ):
        written.setdefault(folded, []).append((key, text))
        own[key] = (name, inn)
    # As an alias a namesake's name stands with its subtitle: "Salbutamol (Dùng trong hô hấp)".
    for key, names in own.items():
        for name in filter(None, names):
            written.setdefault(fold(name), []).append((key, name))
    return Names(written, own)


def _written_like(names: Names, query: str) -> dict[int, str]:
    """The monographs with a name like a folded query, best first, and that name."""
    scored = process.extract(
        query, names.written.keys(), scorer=fuzz.WRatio, limit=30, score_cutoff=SUGGESTION_MIN_SCORE
    )
    like: dict[int, str] = {}
    for folded, _, _ in scored:
        if len(folded) >= SHORTEST_WITHIN or fuzz.ratio(folded, query) >= SUGGESTION_MIN_SCORE:
            for monograph_id, text in names.written[folded]:
                like.setdefault(monograph_id, text)
    return like


def _with_taken_for(edition: Edition, hits: tuple[Hit, ...], count: int) -> tuple[Hit, ...]:
    """The hits, the first of them with what they are taken for and is not among them."""
    asked_for = [(hit.monograph.name, hit.monograph.inn, *hit.names) for hit in hits[:count]]
    if not any(look_alikes(name) for names in asked_for for name in names):
        return hits
    listed = names_of(edition)
    shown = {hit.monograph.pk for hit in hits}
    taken = [[key for key in listed.taken_for(names) if key not in shown] for names in asked_for]
    found = Monograph.objects.in_bulk({key for keys in taken for key in keys})
    first = (
        replace(hit, taken_for=tuple(found[key] for key in keys if key in found))
        for hit, keys in zip(hits, taken, strict=False)
    )
    return (*first, *hits[count:])


def _told_apart(hit: Hit, others: Sequence[Hit], query: str) -> Hit:
    """A suggestion with its names marked, where one of them looks like another suggestion's or the query."""
    theirs = [name for other in others for name in (other.monograph.name, *other.names)]
    own = (hit.monograph.name, *hit.names)
    marked = [mark_name(name, theirs, query) for name in own]
    namesakes = any(fold(other.monograph.name) == fold(hit.monograph.name) for other in others)
    if not namesakes and not any(marked):
        return hit
    first, *rest = (found or plain_name(name) for found, name in zip(marked, own, strict=True))
    if hit.monograph.subtitle:
        subtitle = hit.monograph.display_name.removeprefix(hit.monograph.name).lstrip()
        first = MarkedName((*first.segments, Segment(" ", differs=False), Segment(subtitle, differs=namesakes)))
    return replace(hit, marked=(first, *rest))


def _nearness(written: str, wanted: str) -> int:
    return 0 if written == wanted else 1 if written.startswith(wanted) else FARTHEST


def _foreign_names(monograph: Monograph, names: Iterable[str]) -> tuple[str, ...]:
    own = {fold(monograph.name), fold(monograph.display_name), fold(monograph.inn)}
    return tuple(dict.fromkeys(name for name in names if fold(name) not in own))[:4]
