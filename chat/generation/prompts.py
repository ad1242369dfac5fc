"""The prompts of the draft, its repair and the judge: files filled with the task, all that is untrusted fenced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chat.contract import AnswerPlan
from chat.domain import POPULATION_TITLES, ROUTE_TITLES, DraftClaim, EvidenceBlock, QueryFrame
from chat.generation.completeness import Objection
from chat.generation.payloads import draft_schema, judge_schema
from chat.generation.plan import plan_answer, suppresses_numbers
from chat.generation.writing import Writing
from chat.llm.domain import Prompt, Purpose
from chat.prompting import fence, fill_prompt, prompt_version, read_prompt
from monographs.domain import SECTION_FACTS
from monographs.text import normalise

_UNTRUSTED, _QUESTION, _FACTS, _EVIDENCE, _CLAIM, _LACKS, _DRUGS = (
    "untrusted", "CAU_HOI", "DU_KIEN", "DOAN", "Y", "CON_THIEU", "MA_THUOC",
)  # fmt: skip
_NONE = "(không có)"
_VERBOSITY = {"brief": "ngắn, đúng điều được hỏi", "full": "đầy đủ, mọi trường hợp kèm nhãn"}
_LAYOUT = {
    "dosage": "liều dùng, mỗi trường hợp một ý, nhãn đứng trước",
    "bullet_list": "danh sách, mỗi mục một ý",
    "prose": "vài câu văn liền mạch",
}


def draft_prompt(writing: Writing, purpose: Purpose = Purpose.DRAFT) -> Prompt:
    """What a draft is asked for with. purpose: DRAFT, or RETRY for the identical second asking."""
    return _prompt(writing, purpose, ())


def repair_prompt(writing: Writing, objections: Sequence[Objection]) -> Prompt:
    """The same, with what the draft before left out."""
    lines = [f"[{writing.sources.index(each.index) + 1}] {each.quote}" for each in objections]
    return _prompt(writing, Purpose.REPAIR, [("repair", {"missing": fence(_LACKS, "\n".join(lines))})])


def judge_prompt(writing: Writing, claims: Sequence[DraftClaim]) -> Prompt:
    """Each claim with only the passages that it cites; those that none cites apart, for what is missing."""
    cited = {index for claim in claims for index in claim.citations}
    shown = [_claim(number, claim, writing.evidence) for number, claim in enumerate(claims, start=1)]
    others = [_passage(writing.evidence[index]) for index in writing.sources if index not in cited]
    names = ("judge", _UNTRUSTED, "judge_input")
    return Prompt(
        purpose=Purpose.JUDGE,
        version=prompt_version(*names),
        system=_system("judge"),
        user=fill_prompt(
            "judge_input",
            question=fence(_QUESTION, writing.question),
            claims="\n\n".join(shown),
            others="\n".join(fence(_EVIDENCE, text) for text in others) or _NONE,
        ),
        schema=judge_schema(len(claims)),
    )


def _prompt(writing: Writing, purpose: Purpose, added: Sequence[tuple[str, dict[str, str]]]) -> Prompt:
    plan = plan_answer(writing)
    extra = [*_extra(writing, plan), *added]
    names = ("draft", _UNTRUSTED, "draft_input", "draft_plan", *(name for name, _ in extra))
    return Prompt(
        purpose=purpose,
        version=prompt_version(*names),
        system=_system("draft"),
        user=fill_prompt(
            "draft_input",
            plan=_plan(plan),
            facts=fence(_FACTS, "\n".join(facts_of(writing.frame)) or _NONE),
            evidence="\n".join(_source(number, block) for number, block in enumerate(writing.shown, start=1)),
            question=fence(_QUESTION, writing.question),
            extra="".join(f"\n{fill_prompt(name, **values)}\n" for name, values in extra),
        ),
        schema=draft_schema(len(writing.sources), is_list=writing.is_list),
    )


def _system(name: str) -> str:
    return f"{read_prompt(name)}\n\n{read_prompt(_UNTRUSTED)}"


def _extra(writing: Writing, plan: AnswerPlan) -> Iterator[tuple[str, dict[str, str]]]:
    """The instructions that only some questions need."""
    if suppresses_numbers(plan, writing.question):
        yield "draft_no_numbers", {}
    if writing.is_list:
        yield "draft_list", {"drugs": fence(_DRUGS, "\n".join(f"- {drug_id}" for drug_id in writing.drug_ids))}
        if writing.tells_patient:
            yield "draft_list_patient", {}


def _plan(plan: AnswerPlan) -> str:
    return fill_prompt(
        "draft_plan",
        verbosity=_VERBOSITY[plan.verbosity],
        layout=_LAYOUT[plan.layout],
        heading="có, chương trình tự đặt" if plan.show_heading else "không",
        warning="có đoạn cảnh báo: nói trước" if plan.needs_warning else "không có đoạn cảnh báo riêng",
    )


def facts_of(frame: QueryFrame) -> Iterator[str]:
    """What is known of the question, a line for each fact; data, never a transcript."""
    told = (
        ("Câu hỏi đầy đủ", frame.standalone_query or ""),
        ("Thuốc", ", ".join(drug.name for drug in frame.drugs)),
        ("Mục", ", ".join(SECTION_FACTS[key].title for key in (frame.attribute, *frame.also) if key)),
        ("Đối tượng", ", ".join(sorted(POPULATION_TITLES[each] for each in frame.populations))),
        ("Đường dùng", ROUTE_TITLES[frame.route] if frame.route else ""),
        ("Tuổi", frame.age_text or ""),
        ("Cân nặng", f"{frame.weight_kg} kg" if frame.weight_kg is not None else ""),
        ("Độ thanh thải creatinin", f"{frame.clearance_ml_min} ml/phút" if frame.clearance_ml_min is not None else ""),
        ("Dị ứng", ", ".join(frame.allergies)),
        ("Thuốc đang dùng", ", ".join(drug.name for drug in frame.medicines)),
    )
    return (f"{title}: {normalise(value)}" for title, value in told if value)


def _source(number: int, block: EvidenceBlock) -> str:
    return f"[{number}]\n{fence(_EVIDENCE, _passage(block))}"


def _passage(block: EvidenceBlock) -> str:
    """A passage under its own metadata, a line each, which no name and no label can add to: a section often calls its
    drug by its class only."""
    labels = f"\nnhãn: {normalise(' › '.join(block.labels))}" if block.labels else ""
    return (
        f"drug_id: {block.drug.drug_id}\nthuốc: {normalise(block.drug.name)}\n"
        f"mục: {normalise(block.section_heading)}{labels}\nnội dung: {block.text}"
    )


def _claim(number: int, claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> str:
    cited = "\n".join(fence(_EVIDENCE, _passage(evidence[index])) for index in claim.citations)
    return f"Ý {number}:\n{fence(_CLAIM, claim.text)}\nDẫn:\n{cited}"
