"""Whether a branch is for the patient of a question: age group, condition, route, and every value that is told."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from chat.bands import Band, BandKind, bands_of
from chat.branches import AGE_GROUPS, ORGANS, Branch, facets
from chat.domain import Population, QueryFrame, Route

ELDERLY = frozenset({Population.NGUOI_CAO_TUOI})


def fits_patient(labels: tuple[str, ...], frame: QueryFrame) -> bool:
    """Whether labels name no other patient than the question's: by age group, and by age and weight where known."""
    populations, _ = facets(" ; ".join(labels))
    bands = tuple(band for label in labels for band in bands_of(label))
    return population_fits(populations & AGE_GROUPS, frame) and all(band_fits(b, bands, frame) for b in bands)


def fits(branch: Branch, frame: QueryFrame) -> bool:
    """Whether nothing that a branch names rules the patient or the route out."""
    return (
        population_fits(branch.populations, frame)
        # Sentences for kidneys or liver speak of several routes, and hold for all that their label does not rule out.
        and route_fits(branch.labelled_routes if branch.populations & ORGANS else branch.routes, frame)
        and all(band_fits(band, branch.bands, frame) for band in branch.bands)
    )


def population_fits(populations: frozenset[Population], frame: QueryFrame) -> bool:
    """Whether the populations named hold the patient; a condition named is one that the patient must have."""
    ages, asked_ages = populations & AGE_GROUPS, frame.populations & AGE_GROUPS
    conditions, asked_conditions = populations - AGE_GROUPS, frame.populations - AGE_GROUPS
    if ages == ELDERLY and conditions:
        # "Người cao tuổi, suy gan, suy thận": any of them.
        return not (ages | conditions).isdisjoint(frame.populations)
    if Population.NGUOI_CAO_TUOI in asked_ages:
        asked_ages |= {Population.NGUOI_LON}
    if ages and asked_ages and ages.isdisjoint(asked_ages):
        return False
    return not conditions or not conditions.isdisjoint(asked_conditions)


def route_fits(routes: frozenset[Route], frame: QueryFrame) -> bool:
    """Whether the route asked for is among those named, where any is."""
    return frame.route is None or not routes or frame.route in routes


def values_of(frame: QueryFrame) -> dict[BandKind, Decimal]:
    """The values told of the patient: kg, months, ml/minute, laboratory values."""
    values = {
        BandKind.WEIGHT: frame.weight_kg,
        BandKind.AGE: frame.age_months,
        BandKind.CLEARANCE: frame.clearance_ml_min,
        **{BandKind(kind): value for kind, value in frame.labs},
    }
    return {kind: value for kind, value in values.items() if value is not None}


def band_fits(band: Band, bands: Sequence[Band], frame: QueryFrame) -> bool:
    """Whether the patient's value lies in one of the branch's bands of this kind, where it is known."""
    value = values_of(frame).get(band.kind)
    return value is None or any(other.holds(value) for other in bands if other.kind is band.kind)
