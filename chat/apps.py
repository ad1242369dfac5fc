"""The chat app: from a question to a stored turn."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """Conversations, turns and feedback."""

    name = "chat"
    verbose_name = "Hỏi đáp"
    default_auto_field = "django.db.models.BigAutoField"
