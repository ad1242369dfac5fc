"""A reviewer at work, as a program on the embedded database: corrects, approves and rejects passages of the book."""

from __future__ import annotations

import django

MARK = "Quá mẫn với thuốc (bản sửa của người duyệt)."


def main() -> None:
    """Decisions of each kind on the edition served; nothing where there are some already."""
    django.setup()
    from django.contrib.auth import get_user_model

    from ingest.models import Review
    from ingest.reviews import decide
    from monographs.domain import PassageKind, PassageState
    from monographs.models import EditionState, Passage

    if Review.objects.exists():
        return
    reviewer = get_user_model().objects.create_superuser("nguoi-duyet")
    texts = Passage.objects.filter(
        section__monograph__edition__state=EditionState.PUBLISHED,
        section__key="chong_chi_dinh",
        kind=PassageKind.TEXT,
        state=PassageState.SERVED,
    )
    corrected, withheld, rejected = texts.order_by("pk")[:3]
    decide(corrected.pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text=MARK, reason="bản in mờ")
    decide(rejected.pk, reviewer=reviewer, decision=PassageState.REJECTED, reason="thử")
    decide(withheld.pk, reviewer=reviewer, decision=PassageState.QUARANTINED, reason="chờ đọc lại")
    held = Passage.objects.filter(section__monograph=corrected.section.monograph, state=PassageState.QUARANTINED)
    for passage in held.filter(kind=PassageKind.TEXT).exclude(pk=withheld.pk)[:2]:
        decide(passage.pk, reviewer=reviewer, decision=PassageState.SERVED)


if __name__ == "__main__":
    main()
