"""Questions of one conversation asked in order, without storing anything: for the shell, batches and evaluation."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from chat.answer import Answered, Prior, answer_question
from chat.contract import Answer
from chat.domain import Decision
from chat.masking import mask_personal_data
from chat.prior import offered_labels
from chat.question import QuestionError, clean_question
from chat.ways import current_ways


def ask_in_order(questions: Sequence[str]) -> Answer:
    """The answer to the last of the questions, each asked after the ones before it. Raises QuestionError."""
    prior, streak, ways = Prior(), 0, current_ways()
    answered: Answered | None = None
    for question in questions:
        text = mask_personal_data(clean_question(question))
        answered = answer_question(text, trace_id=str(uuid.uuid4()), prior=prior, ways=ways)
        clarified = answered.answer.decision is Decision.CLARIFY
        streak = streak + 1 if clarified else 0
        prior = Prior(answered.frame, clarified, streak, offered_labels(answered.answer), (*prior.history, text))
    if answered is None:
        raise QuestionError("Chưa có câu hỏi.")
    return answered.answer
