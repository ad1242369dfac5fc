"""The form of a question."""

from __future__ import annotations

from django import forms

from chat.question import QuestionError, clean_question


class QuestionField(forms.CharField):
    """Text as typed; what makes it a question is said by clean_question alone."""

    def __init__(self) -> None:
        super().__init__(required=False, strip=False)
        self.validators = []

    def clean(self, value: object) -> str:
        """The cleaned question, or a ValidationError with the reader's sentence."""
        try:
            return clean_question(str(value or ""))
        except QuestionError as error:
            raise forms.ValidationError(str(error), code="question") from error


class AskForm(forms.Form):
    """A question, and the conversation it goes on with."""

    question = QuestionField()
    conversation = forms.UUIDField(required=False)
