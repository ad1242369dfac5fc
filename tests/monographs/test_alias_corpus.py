"""The names of a whole formulary: what resolves, what is asked about, what is no drug."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from functools import cache
from itertools import islice

import pytest

from monographs.domain import AliasKind
from monographs.names import AliasEntry, AliasIndex, spelling_key
from monographs.text import fold
from tests.alias_corpus import SHORTEST_INN, entries_of, folded_key, looks_plain, misspelled, shared_lists
from tests.paths import SHARED, needs_shared

pytestmark = needs_shared

INVENTIONS = 500
INVENTED_ENDINGS = ("inol", "oxan", "ivyl", "umid", "etrol", "asyn", "opram", "udex")
SENTENCES = ("liều {} cho người lớn", "tương tác của {}", "{} uống mấy lần một ngày", "bà bầu dùng {} được không")
PLAIN_SENTENCES = ("trẻ bị {} ở da", "nguoi benh co {} nhieu", "be {} 3 tuoi bi sot", "bác sĩ nói {} là gì")
CUED_SENTENCES = (
    "thuốc {} liều bao nhiêu",
    "viên {} uống lúc nào",
    "biệt dược {}",
    "{} 500mg ngày mấy lần",
    "{} 0,5 g",
)
EXACT_SENTENCES = ("liều {} là bao nhiêu", "dùng {} cho trẻ", "{} uống lúc nào")


@cache
def _entries() -> tuple[AliasEntry, ...]:
    return tuple(entries_of(shared_lists(SHARED / "corpus")))


@cache
def _index() -> AliasIndex:
    return AliasIndex(_entries())


@cache
def _drugs_by_key() -> dict[str, frozenset[str]]:
    """Every drug that prints an alias, by the alias as it is keyed."""
    drugs: dict[str, set[str]] = defaultdict(set)
    for entry in _entries():
        drugs[folded_key(entry.text)].add(entry.drug.drug_id)
    return {key: frozenset(found) for key, found in drugs.items()}


def _colliding() -> list[AliasEntry]:
    return [entry for entry in _entries() if entry.kind is not AliasKind.NAME and looks_plain(entry.text)]


def _found(text: str) -> list[frozenset[str]]:
    return [frozenset(drug.drug_id for drug in span.drugs) for span in _index().resolve(text)]


def test_the_lists_are_those_of_a_whole_formulary() -> None:
    kinds = [entry.kind for entry in _entries()]
    assert kinds.count(AliasKind.TRADE_NAME) > 7300 and len({entry.drug.drug_id for entry in _entries()}) >= 1000


def test_every_alias_that_is_no_common_word_resolves_to_its_drugs() -> None:
    plain = {folded_key(entry.text) for entry in _colliding()}
    missed = []
    for number, entry in enumerate(_entries()):
        key = folded_key(entry.text)
        if key not in plain:
            sentence = SENTENCES[number % len(SENTENCES)]
            typed = (entry.text, entry.text.lower(), fold(entry.text), entry.text.upper())
            texts = [sentence.format(typed[0]), sentence.format(typed[1]), fold(sentence.format(typed[2])), typed[3]]
            missed += [text for text in texts if _found(text) != [_drugs_by_key()[key]]]
    assert missed == []


def test_a_shared_alias_keeps_all_its_drugs() -> None:
    shared = {key: drugs for key, drugs in _drugs_by_key().items() if len(drugs) > 1}
    assert len(shared) >= 17
    assert {key: _found(f"liều {key}") for key in shared} == {key: [drugs] for key, drugs in shared.items()}


def test_an_alias_like_plain_words_is_no_drug_among_plain_words() -> None:
    colliding = {folded_key(entry.text) for entry in _colliding()}
    assert len(colliding) >= 15
    taken = [s.format(key) for key in colliding for s in PLAIN_SENTENCES if _index().resolve(s.format(key))]
    assert taken == []


@pytest.mark.parametrize("sentence", EXACT_SENTENCES)
def test_an_alias_like_plain_words_is_a_drug_as_printed(sentence: str) -> None:
    missed = [e.text for e in _colliding() if _found(sentence.format(e.text)) != [_drugs_by_key()[folded_key(e.text)]]]
    assert missed == []


@pytest.mark.parametrize("sentence", CUED_SENTENCES)
def test_an_alias_like_plain_words_is_a_drug_beside_a_cue(sentence: str) -> None:
    keys = {folded_key(entry.text) for entry in _colliding()}
    missed = [key for key in keys for text in (sentence, fold(sentence)) if not _index().resolve(text.format(key))]
    assert missed == []


def test_inventions_are_no_drug() -> None:
    spelled = {spelling_key(key) for key in _drugs_by_key()}
    stems = sorted({folded_key(e.text) for e in _entries() if e.kind in {AliasKind.NAME, AliasKind.INN}})
    made = (
        name[:-cut] + ending
        for cut, ending in ((n % 4, INVENTED_ENDINGS[n % len(INVENTED_ENDINGS)]) for n in range(1, 8))
        if cut
        for name in stems
        if " " not in name and len(name) >= SHORTEST_INN
    )
    inventions = list(islice((word for word in made if spelling_key(word) not in spelled), INVENTIONS * 9))[::9]
    assert len(inventions) == INVENTIONS and len(set(inventions)) == INVENTIONS
    taken = [(word, found) for word in inventions for s in SENTENCES if (found := _found(s.format(word)))]
    assert taken == []
    assert _found("aspirinol 500 mg") == []


def test_a_letter_wrong_is_suggested_and_never_resolves_to_another_drug() -> None:
    rng = random.Random(5)
    names: dict[str, str] = {}
    for entry in _entries():
        key = folded_key(entry.text)
        if entry.kind is AliasKind.INN and len(key) >= SHORTEST_INN and " " not in key:
            names[key] = entry.drug.drug_id
    asked = first_three = 0
    wrong: list[tuple[str, str]] = []
    for name, drug_id in sorted(names.items()):
        for how in range(4):
            typed = misspelled(name, how, rng)
            if found := _found(typed):
                # A variant of its own spelling, or by chance another alias exactly as it is printed.
                wrong += [(name, typed)] if found != [{drug_id}] and typed not in _drugs_by_key() else []
                continue
            asked += 1
            first_three += drug_id in [suggestion.drug.drug_id for suggestion in _index().suggest(typed)[:3]]
    print(f"one letter wrong: {first_three} of {asked} among the first three suggestions")
    assert asked >= 1000 and first_three >= 0.95 * asked
    assert wrong == []


def test_public_questions_written_without_accents_name_no_more_drugs() -> None:
    more = []
    for line in (SHARED / "eval" / "questions.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)["question"]
        extra = set(_found(fold(question))) - set(_found(question))
        more += [question] if extra else []
    assert more == []
