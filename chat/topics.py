"""Topics of use (crushing, missed dose, food, infusion rate…): what asks for them and which passages answer."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chat.cues import NO_CUE, CueTable
from chat.domain import EvidenceBlock
from monographs.domain import SectionKey
from monographs.text import words

# Conditions that only sound like a topic.
_NO_TOPIC = ["hội chứng cai rượu", "cai rượu", "cai nghiện rượu", "nghiện rượu", "ngộ độc rượu", "viêm gan do rượu"]
_DATA = Path(__file__).parent / "data" / "topics.toml"


@dataclass(frozen=True, slots=True)
class Topic:
    """title: Vietnamese; sections: where it may be answered, in the order they are shown; words: accented phrases."""

    key: str
    title: str
    sections: tuple[SectionKey, ...]
    words: tuple[str, ...]

    def answered_by(self, block: EvidenceBlock) -> bool:
        """Whether a passage speaks of the topic."""
        text = f" {' '.join(words(' '.join((*block.labels, block.text))))} "
        return block.section in self.sections and any(f" {word} " in text for word in self.words)


def find_topics(text: str) -> tuple[Topic, ...]:
    """The topics that a question asks for, in order."""
    return tuple(_topics()[meaning] for meaning in _cue_table().meanings(text))


def topic_named(key: str) -> Topic | None:
    """The topic with this key; None where an older version named it."""
    return _topics().get(key)


def passages_on(topic: Topic, blocks: Sequence[EvidenceBlock]) -> tuple[EvidenceBlock, ...]:
    """The passages that answer, section by section in the topic's order."""
    found = [block for block in blocks if topic.answered_by(block)]
    return tuple(sorted(found, key=lambda block: topic.sections.index(block.section)))


@cache
def _topics() -> dict[str, Topic]:
    return {
        key: Topic(
            key=key,
            title=entry["title"],
            sections=tuple(SectionKey(section) for section in entry["sections"]),
            words=tuple(" ".join(words(phrase)) for phrase in entry["words"]),
        )
        for key, entry in tomllib.loads(_DATA.read_text("utf-8")).items()
    }


@cache
def _cue_table() -> CueTable:
    cues = {key: entry["cues"] for key, entry in tomllib.loads(_DATA.read_text("utf-8")).items()}
    return CueTable({**cues, NO_CUE: _NO_TOPIC})
