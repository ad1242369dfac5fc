"""Writing tasks made by hand: a drug, its passages, a question."""

from __future__ import annotations

from dataclasses import replace

from chat.domain import EvidenceBlock, QueryFrame, TurnType
from chat.generation.writing import Writing
from chat.selection import Selection
from monographs.domain import AliasKind, Box, DrugRef, PassageKind, PassageState, SectionKey
from monographs.names import AliasEntry, AliasIndex

DRUG = DrugRef("thuoc_thu", "Thuốc thử", 1, 1, 1)
OTHER = DrugRef("warfarin", "Warfarin", 2, 9, 9)
NAMES = AliasIndex(
    [
        AliasEntry("Thuốc thử", AliasKind.NAME, DRUG),
        AliasEntry("Thuthux", AliasKind.TRADE_NAME, DRUG),
        AliasEntry("Warfarin", AliasKind.NAME, OTHER),
        AliasEntry("Digoxin", AliasKind.NAME, DrugRef("digoxin", "Digoxin", 3, 9, 9)),
    ]
)


def passage(
    text: str, *labels: str, section: SectionKey = SectionKey.LIEU_DUNG, drug: DrugRef = DRUG, held: bool = False
) -> EvidenceBlock:
    """A served passage, or one that is held back."""
    return EvidenceBlock(
        passage_id=abs(hash((text, labels, drug.drug_id))) % 10**9,
        passage_uid=f"{drug.drug_id}-{text[:20]}",
        edition_id=1,
        drug=drug,
        section=section,
        section_heading=section.value,
        section_anchor=section.value,
        labels=labels,
        text=text,
        kind=PassageKind.TABLE if held else PassageKind.TEXT,
        state=PassageState.QUARANTINED if held else PassageState.SERVED,
        order=0,
        pdf_page=1,
        printed_page=1,
        printed_page_last=1,
        boxes=(Box(1, 0, 0, 1, 1),),
    )


def task(*blocks: EvidenceBlock, question: str = "thuốc thử dùng thế nào?", **frame: object) -> Writing:
    """The task of wording these passages; frame: values of its frame that are not the usual ones."""
    usual = QueryFrame(TurnType.DRUG_ATTRIBUTE, drugs=(DRUG,), attribute=blocks[0].section if blocks else None)
    return Writing(question, replace(usual, **frame), Selection(blocks), blocks, NAMES)  # type: ignore[arg-type]


ADULT = passage("Đường uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", "Người lớn", "Đường uống")
CHILD = passage("Trẻ 3 - 11 tháng: 60 mg/lần; trẻ 1 - 4 tuổi: 125 mg/lần. Cách 6 giờ một lần.", "Trẻ em")
TABLE = passage("bảng", "Trẻ em", held=True)
LABEL = passage("Người lớn:", "Người lớn")
CONTRA = passage("Quá mẫn với thuốc. Loét dạ dày tiến triển.", section=SectionKey.CHONG_CHI_DINH)
CAUTION = passage(
    "Thuốc thải qua thận. Không dùng quá 10 ngày nếu không có chỉ định của bác sĩ.", section=SectionKey.THAN_TRONG
)
STORAGE = passage("Bảo quản ở nhiệt độ dưới 30 độ C, tránh ánh sáng và ẩm.", section=SectionKey.BAO_QUAN)
