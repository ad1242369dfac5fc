"""Hand-written stand-ins, passed as arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from chat.llm.domain import Budget, Fault, ModelError, Prompt, Purpose, Reply, Usage


class CountingEmbedder:
    """An embedder that remembers which texts it was given; a vector is the length of its text."""

    def __init__(self, space: str = "counting") -> None:
        self.space = space
        self.at_once = 16
        self.seen: list[str] = []

    def embed_query(self, text: str) -> list[float]:
        """One dimension."""
        return [float(len(text))]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """One dimension for each."""
        self.seen += texts
        return [self.embed_query(text) for text in texts]


Answer = Mapping[str, object] | Fault | Callable[[Prompt], Mapping[str, object]]


class ScriptedModel:
    """A language model that says what it was given to say, in order, for each purpose; a fault is raised, a function
    is asked with the prompt. The last answer of a purpose is said again. It remembers every prompt."""

    def __init__(self, script: Mapping[Purpose, Answer | Iterable[Answer]]) -> None:
        self._script = {purpose: _listed(answers) for purpose, answers in script.items()}
        self.seen: list[Prompt] = []

    def ask(self, prompt: Prompt, budget: Budget) -> Reply:
        """The next answer of the prompt's purpose. Raises KeyError where none was written."""
        budget.need()
        self.seen.append(prompt)
        answers = self._script[prompt.purpose]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        usage = Usage(prompt.purpose, "scripted", len(prompt.user), 1)
        if isinstance(answer, Fault):
            raise ModelError(answer, "scripted", usage)
        return Reply(answer(prompt) if callable(answer) else answer, usage)

    def purposes(self) -> list[Purpose]:
        """What it was asked for, in order."""
        return [prompt.purpose for prompt in self.seen]


def _listed(answers: Answer | Iterable[Answer]) -> list[Answer]:
    return [answers] if isinstance(answers, Fault | Mapping) or callable(answers) else list(answers)
