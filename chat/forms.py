"""The form of a question."""

from __future__ import annotations

from django import forms

from chat.models import FeedbackReason
from chat.question import QuestionError, clean_question

NO_NUL = "Có ký tự không đọc được; hãy xóa rồi gõ lại."


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


class VerbatimForm(forms.Form):
    """A section to be read whole, by drug and anchor."""

    drug = forms.SlugField(max_length=120)
    section = forms.SlugField(max_length=60)
    conversation = forms.UUIDField(required=False)


class RenameForm(forms.Form):
    """A title of the asker's own."""

    title = forms.CharField(
        max_length=120,
        error_messages={
            "required": "Tên không được để trống.",
            "max_length": "Tên dài quá 120 ký tự.",
            "null_characters_not_allowed": NO_NUL,
        },
    )

    def clean_title(self) -> str:
        """The title, where there is something in it to be seen."""
        title: str = self.cleaned_data["title"]
        if not any(character.isprintable() and not character.isspace() for character in title):
            raise forms.ValidationError("Tên không được để trống.", code="required")
        return title


class FeedbackForm(forms.Form):
    """Useful or wrong, and why."""

    useful = forms.TypedChoiceField(choices=[("1", "hữu ích"), ("0", "sai")], coerce=lambda value: value == "1")
    reason = forms.ChoiceField(choices=[("", ""), *FeedbackReason.choices], required=False)
    comment = forms.CharField(
        required=False,
        max_length=1000,
        error_messages={"max_length": "Nhận xét dài quá 1 000 ký tự.", "null_characters_not_allowed": NO_NUL},
    )
