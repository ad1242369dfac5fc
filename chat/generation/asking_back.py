"""A question back that a model wrote: gated like a claim, and asked in the book's own labels where there are some.

A check is a function of a text and its task. To add one: write the function, add its row to QUESTION_CHECKS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from chat.branch_replies import reply_labels
from chat.branches import branches_of, outermost
from chat.cues import cue_table, filler_words
from chat.domain import EvidenceBlock, Reason, Stop
from chat.dose import CLARIFY_LIMIT
from chat.gate_words import gate_words
from chat.generation.bounds import text_of
from chat.generation.writing import Writing
from chat.numbers import numeric_tokens
from chat.segments import CONDITION_UNITS
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.names import tokenise
from monographs.text import fold, folded_words, normalise, words

QuestionCheck = Callable[[str, Writing], Reason | None]
_LEAST_CHOICE = 2
_SENTENCE = re.compile(r"(?<=[.?!…])\s+")
# "Dược thư không nêu…", "chưa thấy đề cập…": that the book says nothing.
_SILENT = re.compile(
    r"\b(?:không|chưa|chẳng)\s+(?:hề\s+|có\s+|thấy\s+|được\s+)*"
    r"(?:nêu|đề cập|ghi|nói|in|nhắc|quy định|hướng dẫn|thông tin|mục|khuyến cáo|dữ liệu)\b"
)
# Where a sentence parts into what asks and what does not; not at a decimal comma.
_CLAUSE = re.compile(r"[;:()]|[,.]\s|\s[–—]\s")
_INTERROGATIVES = frozenset(("nào", "gì", "nhiêu", "mấy", "ai", "đâu", "sao", "không", "chưa"))
_CHOICE = "hay"
# "Có phải … không?", "…, đúng không?": a statement with a question mark.
_LEADING = re.compile(r"\b(?:có phải|phải chăng|phải không|đúng không|đúng chứ|chứ gì)\b")
# What may end or join a question without denying anything: "có uống được không?", "hay chưa?".
_ASKING_END = re.compile(r"\s*(?:hay\s+)?(?:không|chưa)\s*\?$")


def ask_back(question: str, replies: Sequence[str], writing: Writing) -> Stop:
    """The end of a turn that asks back; or why the question may not be shown, or is one too many.

    Where the choice is between doses, the book's own labels are offered, in the program's own words.
    """
    if writing.streak >= CLARIFY_LIMIT:
        return Stop(Reason.CLARIFY_NOT_CONVERGING)
    asked = [
        (question, (*QUESTION_CHECKS, check_shape)),
        *((reply, (*QUESTION_CHECKS, check_choice)) for reply in replies),
    ]
    for text, checks in asked:
        reason = next((reason for check in checks if (reason := check(text, writing)) is not None), None)
        if reason is not None:
            return Stop(reason, {"claim": text})
    labels = _dose_labels(writing) if replies else ()
    if labels:
        section = SECTION_FACTS[SectionKey.LIEU_DUNG].title.lower()
        return Stop(Reason.NEEDS_BRANCH, {"drug": writing.shown[0].drug.name, "section": section}, labels)
    return Stop(Reason.NEEDS_DETAIL, {"terms": question}, tuple(replies))


def states_silence(text: str) -> bool:
    """Whether a text says, somewhere, that the book says nothing of something."""
    return _SILENT.search(text.lower()) is not None


def check_asked_numbers(text: str, writing: Writing) -> Reason | None:
    """Every number, with its unit, stands in a passage; of the question's own only those that tell of a patient: a dose
    that an asker names is not said back."""
    told = [number for source in _told(writing) for number in numeric_tokens(source)]
    known = [number for source in _printed(writing) for number in numeric_tokens(source)]
    known += [number for number in told if number.unit in CONDITION_UNITS]
    asked = {(number.text, number.unit) for number in numeric_tokens(text)}
    return None if asked <= {(number.text, number.unit) for number in known} else Reason.UNGROUNDED_NUMBER


def check_asked_drugs(text: str, writing: Writing) -> Reason | None:
    """No drug is named that neither the question that was asked names nor a passage."""
    known = [f" {' '.join(folded_words(source))} " for source in (*_told(writing), *_printed(writing))]
    named = {drug for span in writing.names.resolve(writing.question) for drug in span.drugs} | set(writing.frame.drugs)
    foreign = any(
        named.isdisjoint(span.drugs) and not any(f" {' '.join(folded_words(span.text))} " in text for text in known)
        for span in writing.names.resolve(text)
    )
    return Reason.UNSUPPORTED_DRUG if foreign else None


def check_asked_ranking(text: str, _writing: Writing) -> Reason | None:
    """No first choice is suggested, be it printed: what a passage says is quoted with its place, and not asked."""
    return Reason.UNSUPPORTED_RANKING if _says("ranking", text) else None


def check_asked_absence(text: str, writing: Writing) -> Reason | None:
    """Nothing is called safe, be it printed; that the book names no harm is never said; and of several drugs no silence
    is stated, which their statuses tell."""
    several = writing.is_list or len(writing.frame.drugs) > 1
    silent = states_silence(text) and (several or _says("harm", text))
    return Reason.ABSENCE_AS_SAFETY if silent or _says("absence", text) else None


def check_silence(text: str, writing: Writing) -> Reason | None:
    """That the book says nothing of something is so: all of the drug's sections were read, and no passage of them
    has its words."""
    for sentence in _SENTENCE.split(text):
        if states_silence(sentence) and not _is_silent_on(sentence, writing):
            return Reason.UNSUPPORTED_CLAIM
    return None


def check_asked_words(text: str, writing: Writing) -> Reason | None:
    """Every word is a passage's, or one by which questions are asked and patients are told of. The question's own stand
    only behind "the book does not say", where they are looked up: nothing that it claims is said back."""
    printed = {word for source in _printed(writing) for word in words(source)}
    told = {word for source in _told(writing) for word in words(source)}
    for sentence in _SENTENCE.split(text):
        silence = _SILENT.search(sentence.lower())
        asking, silent_on = (sentence[: silence.start()], sentence[silence.end() :]) if silence else (sentence, "")
        if _content(asking, writing) - (set() if silence else printed) or _matter(silent_on, writing) - printed - told:
            return Reason.UNSUPPORTED_CLAIM
    return None


QUESTION_CHECKS: tuple[QuestionCheck, ...] = (
    check_asked_numbers,
    check_asked_drugs,
    check_asked_ranking,
    check_asked_absence,
    check_silence,
    check_asked_words,
)


def check_shape(text: str, writing: Writing) -> Reason | None:
    """Each sentence asks, states nothing on the way, leads to no answer and denies nothing; or it says that the book is
    silent, on one thing, which is checked apart."""
    for sentence in _SENTENCE.split(text):
        if states_silence(sentence):
            if _CLAUSE.search(sentence):
                return Reason.UNSUPPORTED_CLAIM
            continue
        if not sentence.endswith("?") or _leads(sentence, writing) or _states_something(sentence, writing):
            return Reason.UNSUPPORTED_CLAIM
        if set(words(_ASKING_END.sub("", sentence))) & gate_words("negations"):
            return Reason.POLARITY_MISMATCH
    return None


def check_choice(text: str, writing: Writing) -> Reason | None:
    """What is offered to choose from names a patient or a case of the book by its labels; no statement of a passage
    stands on a button, without its place."""
    labels = " ; ".join(label for block in writing.shown for label in (*block.labels, block.section_heading))
    amounts = {number.text for number in numeric_tokens(text) if number.unit not in CONDITION_UNITS}
    foreign = _content(text, writing) - set(words(labels)) or amounts - {
        number.text for number in numeric_tokens(labels)
    }
    return Reason.UNSUPPORTED_CLAIM if foreign else None


def _is_silent_on(sentence: str, writing: Writing) -> bool:
    """Whether what a sentence speaks of stands in no passage; unknown, and so False, where one of them is only a
    picture or where the sentence speaks of nothing."""
    named = {word for drug in writing.frame.drugs for word in words(drug.name)}
    topic = set(words(sentence)) - gate_words("connectives") - _asking_words() - gate_words("silence") - named
    read = [block for block in writing.retrieved if block.drug in writing.frame.drugs]
    if not topic or not read or any(block.is_held for block in read):
        return False
    return not any(topic <= set(words(text_of(block))) for block in read)


def _leads(sentence: str, writing: Writing) -> bool:
    """Whether a sentence puts a statement as a question, or an amount that is not one of several to choose from."""
    if _LEADING.search(sentence.lower()):
        return bool(_content(sentence, writing) or _amounts(sentence))
    return _CHOICE not in words(sentence) and bool(_amounts(sentence))


def _amounts(text: str) -> set[str]:
    """The numbers of a text that do not tell of a patient."""
    return {number.text for number in numeric_tokens(text) if number.unit not in CONDITION_UNITS}


def _states_something(sentence: str, writing: Writing) -> bool:
    """Whether a clause that does not ask says more than for whom; what is listed to choose from may."""
    clauses = [clause for clause in _CLAUSE.split(sentence) if not _INTERROGATIVES & set(words(clause))]
    return _CHOICE not in words(sentence) and any(_content(clause, writing) for clause in clauses)


def _content(text: str, writing: Writing) -> set[str]:
    """The words of a text that say something: not those that ask, join, or tell of a drug or a patient."""
    return _matter(text, writing) - _patient_words(text)


def _matter(text: str, writing: Writing) -> set[str]:
    """The same with those that tell of a patient, of which the book may be silent too."""
    named = {word for drug in writing.frame.drugs for word in words(drug.name)}
    matter = {word for word in words(text) if not word[0].isdigit()} - named - _asking_words()
    return {word for word in matter if fold(word) not in filler_words()}


def _patient_words(text: str) -> set[str]:
    tokens = tokenise(normalise(text))
    hits = [hit for kind in ("population", "route") for hit in cue_table(kind).find(text)]
    return {word for hit in hits for token in tokens[hit.first : hit.last] for word in words(token.text)}


def _told(writing: Writing) -> list[str]:
    return [writing.question, writing.frame.standalone_query or ""]


def _printed(writing: Writing) -> list[str]:
    return [*(drug.name for drug in writing.frame.drugs), *map(text_of, writing.shown)]


def _says(kind: str, text: str) -> bool:
    said = f" {' '.join(words(text))} "
    return any(f" {phrase} " in said for phrase in gate_words(kind))


def _asking_words() -> frozenset[str]:
    return gate_words("connectives") | gate_words("asking") | gate_words("silence")


def _dose_labels(writing: Writing) -> tuple[str, ...]:
    """The labels at which the shown doses part, where there is a choice."""
    doses: list[EvidenceBlock] = [block for block in writing.shown if block.section is SectionKey.LIEU_DUNG]
    branches = outermost([branch for branch in branches_of(doses) if not branch.is_general])
    labels = reply_labels(branches) if len(branches) >= _LEAST_CHOICE else ()
    return labels if len(labels) >= _LEAST_CHOICE else ()
