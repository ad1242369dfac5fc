"""Whatever a model returns becomes a frame within its bounds, or is called malformed; nothing else ever."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.domain import ContextAction, Population, QueryFrame, Reason, Relation, Route, TurnType
from chat.frame import dump_frame, load_frame
from chat.frame_payload import FramePayload, frame_schema
from chat.frame_validation import MalformedFrame, read_payload, storable, valid_frame
from chat.understand import understand
from monographs.domain import SectionKey
from tests.chat.saying import saying, tuned_turns, understood
from tests.sample_corpus import sample_corpus

_SHOWN = {key: sample_corpus().drugs[key] for key in ("paracetamol", "warfarin", "calci_gluconat")}
_RIGHT: dict[str, object] = {"turn_type": "drug_attribute", "drugs": ["paracetamol"]}


def _read(**values: object) -> QueryFrame:
    return read_payload({**_RIGHT, **values}, _SHOWN)


# --- values that are not known, one by one ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", ["", "lieu", "dosage", "LIEU DUNG!?x", 7, True, None, [], {}, ["lieu_dung"], "x" * 9999]
)
def test_an_unknown_section_is_none(value: object) -> None:
    assert _read(attribute=value).attribute is None


@pytest.mark.parametrize("value", ["lieu_dung", "lieu dung", "LIEU_DUNG", "Liều dùng", " lieu-dung "])
def test_a_section_is_read_with_underscores_or_spaces(value: str) -> None:
    assert _read(attribute=value).attribute is SectionKey.LIEU_DUNG


@pytest.mark.parametrize("value", ["dose", "", None, 3, [], {}, "DRUG"])
@pytest.mark.parametrize(
    ("drugs", "kind"),
    [(["paracetamol"], TurnType.DRUG_ATTRIBUTE), ([], TurnType.OUT_OF_SCOPE), (["xyz"], TurnType.OUT_OF_SCOPE)],
)
def test_an_unknown_kind_is_about_the_drug_that_was_resolved(value: object, drugs: list[str], kind: TurnType) -> None:
    assert _read(turn_type=value, drugs=drugs).turn_type is kind


@pytest.mark.parametrize(
    "value",
    [0, -1, 500.01, 10**400, -(10**400), float("nan"), float("inf"), -0.0, True, False, "12", "12 kg", [12], {}, None],
)
def test_a_weight_outside_its_range_is_none(value: object) -> None:
    assert _read(weight_kg=value).weight_kg is None


@pytest.mark.parametrize(("value", "kg"), [(500, "500"), (0.6, "0.6"), (12, "12"), (3.25, "3.25")])
def test_a_weight_inside_it_is_kept_exactly(value: float, kg: str) -> None:
    assert _read(weight_kg=value).weight_kg == Decimal(kg)


@pytest.mark.parametrize("value", ["iv", "tiem", "", 5, None, [], ["uong"]])
def test_an_unknown_route_is_none(value: object) -> None:
    assert _read(route=value).route is None


def test_several_populations_are_read_and_unknown_ones_left_out() -> None:
    said = _read(populations=["mang thai", "suy_than", "đàn ông", 5, None, ["x"], "mang_thai"])
    assert said.populations == {Population.MANG_THAI, Population.SUY_THAN}


@pytest.mark.parametrize(
    ("third", "pregnant"), [(1, True), (3, True), (0, False), (4, False), (True, False), ("2", False)]
)
def test_a_third_of_a_pregnancy_tells_of_one(third: object, pregnant: bool) -> None:
    assert (Population.MANG_THAI in _read(trimester=third).populations) is pregnant


@pytest.mark.parametrize("value", ["", "yes", "tiếp", None, 1, []])
def test_an_unknown_context_is_none_of_both(value: object) -> None:
    assert _read(context_action=value).context_action is ContextAction.NONE


@pytest.mark.parametrize("value", ["cause", "", 1, None, {}])
def test_an_unknown_relation_is_none(value: object) -> None:
    assert _read(condition_relation=value).condition_relation is None
    assert _read(condition_relation="adverse_effect").condition_relation is Relation.ADVERSE_EFFECT


@pytest.mark.parametrize("value", ["true", 1, "có", None, [], "false"])
def test_only_true_is_true(value: object) -> None:
    said = _read(section_overview=value, depends_on_previous_turn=value)
    assert (said.section_overview, said.depends_on_previous_turn) == (False, False)


@pytest.mark.parametrize(
    ("replies", "kept"),
    [
        (["a", "b", "c", "d", "e"], ("a", "b", "c", "d")),
        (["a", "a", "b"], ("a", "b")),
        (["x" * 41, "x" * 40], ("x" * 40,)),
        (["", "  ", "a"], ("a",)),
        (["dòng\nhai", "có\x00nul"], ("dòng hai", "cónul")),
        (None, ()),
    ],
)
def test_replies_are_few_short_and_distinct(replies: object, kept: tuple[str, ...]) -> None:
    assert _read(quick_replies=replies).quick_replies == kept


# --- drugs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["calci_gluconat", "calci gluconat", "Calci gluconat", "CALCI_GLUCONAT"])
def test_an_id_is_accepted_with_underscores_or_spaces(typed: str) -> None:
    assert [drug.drug_id for drug in _read(drugs=[typed]).drugs] == ["calci_gluconat"]


@pytest.mark.parametrize("typed", ["aspirin", "para", "paracetamol_2", "paracetamo", "calci", "gluconat", "thuoc_la"])
def test_an_id_that_was_not_shown_is_unknown_and_never_another_drug(typed: str) -> None:
    said = _read(drugs=[typed])
    assert (said.drugs, said.unknown_drugs) == ((), (typed.replace("_", " "),))


def test_a_drug_is_there_once() -> None:
    said = _read(drugs=["warfarin", "Warfarin", "paracetamol"])
    assert [drug.drug_id for drug in said.drugs] == ["warfarin", "paracetamol"]


# --- payloads of another shape ---------------------------------------------------------------------------------

_MALFORMED: dict[str, dict[str, object]] = {
    "nothing": {},
    "something else": {"answer": "500 mg", "claims": []},
    "a schema": {"type": "object", "properties": {}},
    "drugs as text": {**_RIGHT, "drugs": "paracetamol"},
    "drugs as objects": {**_RIGHT, "drugs": [{"drug_id": "paracetamol"}]},
    "drugs with a number": {**_RIGHT, "drugs": ["paracetamol", 5]},
    "drugs with null": {**_RIGHT, "drugs": [None]},
    "drugs as an object": {**_RIGHT, "drugs": {"paracetamol": 1}},
    "unknown drugs as text": {**_RIGHT, "unknown_drugs": "xyz"},
    "populations as text": {**_RIGHT, "populations": "tre_em"},
    "populations as an object": {**_RIGHT, "populations": {"tre_em": True}},
    "also as text": {**_RIGHT, "also": "adr"},
    "replies as text": {**_RIGHT, "quick_replies": "có"},
    "a condition as text": {**_RIGHT, "condition": "hen"},
    "a condition as a list": {**_RIGHT, "condition": ["hen"]},
    "a patient as text": {**_RIGHT, "patient_context": "suy thận"},
    "allergies as text": {**_RIGHT, "patient_context": {"allergies": "penicilin"}},
    "labs as an object": {**_RIGHT, "patient_context": {"labs": {"INR": 9}}},
}


@pytest.mark.parametrize("payload", _MALFORMED.values(), ids=_MALFORMED)
def test_a_payload_of_another_shape_is_malformed(payload: dict[str, object]) -> None:
    with pytest.raises(MalformedFrame):
        read_payload(payload, _SHOWN)
    frame = understood("liều paracetamol", payload)
    assert frame.system_error is Reason.UNDERSTANDING_MALFORMED_OUTPUT
    assert frame.needs_clarify is None and frame.quick_replies == ()


@pytest.mark.parametrize(
    "payload",
    [
        {"turn_type": "drug_attribute"},
        {"drugs": ["paracetamol"]},
        {"turn_type": None, "drugs": None},
        {**_RIGHT, "populations": None, "also": None, "condition": None, "patient_context": None},
        {**_RIGHT, "note": "thừa một khoá", "patient_context": {"other": [1]}},
    ],
    ids=["no drugs", "no kind", "both null", "null lists", "more keys"],
)
def test_what_is_left_out_or_added_malforms_nothing(payload: dict[str, object]) -> None:
    assert understood("liều paracetamol", payload).system_error is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
_KNOWN_WORDS = st.sampled_from(
    [*SectionKey, *Population, *Route, *TurnType, *ContextAction, "paracetamol", "warfarin", "aspirin", "10 kg", ""]
)
_LIKELY = st.dictionaries(
    st.sampled_from(sorted(FramePayload.model_fields)),
    _JSON | _KNOWN_WORDS | st.lists(_KNOWN_WORDS | st.text(max_size=9), max_size=5),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(payload=_LIKELY | st.dictionaries(st.text(max_size=12), _JSON, max_size=6), at=st.integers(0, 10**6))
def test_any_json_object_at_all_gives_a_frame_or_is_malformed(payload: dict[str, object], at: int) -> None:
    question, history, before = tuned_turns()[at % len(tuned_turns())]
    rules = understand(question, sample_corpus())
    frame = understood(question, payload, before=before, history=history)
    assert frame.system_error in {None, Reason.UNDERSTANDING_MALFORMED_OUTPUT}
    assert (frame.weight_kg, frame.harm, frame.allergies) == (rules.weight_kg, rules.harm, rules.allergies)
    kept = json.dumps(dump_frame(frame), allow_nan=False)
    assert "\\u0000" not in kept and kept.encode("utf-8")
    assert load_frame(json.loads(kept)) == frame


@settings(max_examples=200, deadline=None)
@given(_JSON)
def test_what_is_kept_of_a_payload_can_be_stored(value: object) -> None:
    kept = json.dumps(storable({"x": value}), allow_nan=False, ensure_ascii=False)
    assert "\\u0000" not in kept and kept.encode("utf-8")


# --- the bounds of both understanders --------------------------------------------------------------------------


@pytest.mark.parametrize(("kg", "kept"), [("0", None), ("-3", None), ("500", "500"), ("500.1", None), ("7.5", "7.5")])
def test_the_bounds_hold_whoever_understood(kg: str, kept: str | None) -> None:
    frame = replace(understand("liều paracetamol", sample_corpus()), weight_kg=Decimal(kg))
    assert valid_frame(frame).weight_kg == (Decimal(kept) if kept else None)


def test_replies_and_names_are_bounded_whoever_understood() -> None:
    frame = understand("liều Alaxan", sample_corpus())
    many = replace(frame, quick_replies=("a", "a", "b", "x" * 41, "c", "d", "e"), unknown_drugs=("x", "x"))
    bounded = valid_frame(replace(many, drugs=(*_SHOWN.values(), *_SHOWN.values())))
    assert (bounded.quick_replies, bounded.unknown_drugs) == (("a", "b", "c", "d"), ("x",))
    assert bounded.drugs == tuple(_SHOWN.values())


def test_no_frame_of_the_rules_leaves_its_bounds() -> None:
    frames = [understand(question, sample_corpus()) for question, _, _ in tuned_turns()[::3]]
    assert [frame.standalone_query for frame in frames if valid_frame(frame) != frame] == []


# --- the schema ------------------------------------------------------------------------------------------------


def _objects(schema: object) -> list[dict[str, object]]:
    if isinstance(schema, list):
        return [found for item in schema for found in _objects(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + [found for item in schema.values() for found in _objects(item)]


def test_every_object_of_the_schema_is_closed_and_requires_all_its_keys() -> None:
    found = _objects(frame_schema())
    assert len(found) == 3
    for schema in found:
        properties = schema["properties"]
        assert isinstance(properties, dict)
        assert schema["additionalProperties"] is False
        assert schema["required"] == [*properties]


@pytest.mark.parametrize("kind", [TurnType, SectionKey, Population, Route, ContextAction, Relation])
def test_the_schema_lists_every_member(kind: type[TurnType]) -> None:
    listed = json.dumps([member.value for member in kind])
    assert listed in json.dumps(frame_schema())


def test_the_schema_holds_no_drug_so_that_no_name_is_bent_to_one() -> None:
    properties = frame_schema()["properties"]
    assert isinstance(properties, dict)
    assert properties["drugs"]["items"] == {"type": "string"}
    assert frame_schema() is frame_schema()


def test_what_a_frame_says_is_read_back() -> None:
    question = "liều tối đa paracetamol uống cho bé 3 tuổi 12 kg suy thận"
    frame = understand(question, sample_corpus())
    read = read_payload(saying(frame), {drug.drug_id: drug for drug in frame.drugs})
    same = ("turn_type", "drugs", "attribute", "populations", "weight_kg", "route", "age_text", "context_action")
    assert {name: getattr(read, name) for name in same} == {name: getattr(frame, name) for name in same}
