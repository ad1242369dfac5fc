"""Where no drug was recognised: which may have been meant, or why there is no answer."""

from __future__ import annotations

from itertools import pairwise

from chat.domain import QueryFrame, Reason, Stop, TurnType
from monographs.names import Corpus, Suggestion, is_syllable
from monographs.text import fold

# A name less like what was typed than this is no help to ask about, and a wrong one to tempt with: "Plavix" is no
# "Lasix", and "sitagliptin" no statin. One letter wrong of four, or two of eight, is as near.
_ASKED_SCORE = 0.75


def near_names(typed: str, corpus: Corpus) -> list[Suggestion]:
    """The names of the index near enough to one typed to ask about, best first."""
    return [suggestion for suggestion in corpus.names.suggest(typed) if suggestion.score >= _ASKED_SCORE]


def without_drug(frame: QueryFrame, corpus: Corpus) -> Stop:
    if frame.unknown_drugs:
        unknown = _unknown(frame, corpus)
        if frame.turn_type is not TurnType.OUT_OF_SCOPE or _is_bare_name(frame) or unknown.quick_replies:
            return unknown
    if frame.turn_type is TurnType.OUT_OF_SCOPE:
        return Stop(Reason.OUT_OF_SCOPE)
    return Stop(Reason.NEEDS_DRUG)


def _is_bare_name(frame: QueryFrame) -> bool:
    return len(frame.question_words) <= len(frame.unknown_drugs) + 1


def _with_next_word(frame: QueryFrame) -> list[str]:
    """Unknown names with the word behind them: "benzathin penicilin" is nearer to its drug than "benzathin"."""
    words = (frame.standalone_query or "").split()
    return [
        f"{word} {after}"
        for word, after in pairwise(words)
        if word in frame.unknown_drugs and not is_syllable(fold(after))
    ]


def _unknown(frame: QueryFrame, corpus: Corpus) -> Stop:
    detail = {"terms": ", ".join(frame.unknown_drugs)}
    typed = [*frame.unknown_drugs, *_with_next_word(frame)]
    suggestions = [suggestion for text in typed for suggestion in near_names(text, corpus)]
    names = tuple(dict.fromkeys(s.drug.name for s in sorted(suggestions, key=lambda s: -s.score)))[:4]
    of_class = tuple(drug.name for drug in corpus.of_class(frame.unknown_drugs))[:4]
    if of_class and not names:
        return Stop(Reason.AMBIGUOUS_DRUG, detail, of_class)
    return Stop(Reason.SUGGESTED_DRUG, detail, names) if names else Stop(Reason.UNKNOWN_DRUG, detail)
