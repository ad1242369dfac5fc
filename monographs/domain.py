"""The words of the book: section keys, passages, labels and boxes, as values without a database."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """How a section is presented when it is quoted in an answer."""

    FACT_LIST = "fact_list"
    WARNING = "warning"
    DOSAGE = "dosage"


class SectionKey(StrEnum):
    """The nineteen sections a monograph may have, in the book's order."""

    TEN_CHUNG_QUOC_TE = "ten_chung_quoc_te"
    MA_ATC = "ma_atc"
    LOAI_THUOC = "loai_thuoc"
    DANG_THUOC_HAM_LUONG = "dang_thuoc_ham_luong"
    DUOC_LY_CO_CHE = "duoc_ly_co_che"
    CHI_DINH = "chi_dinh"
    CHONG_CHI_DINH = "chong_chi_dinh"
    THAN_TRONG = "than_trong"
    MANG_THAI = "mang_thai"
    CHO_CON_BU = "cho_con_bu"
    ADR = "adr"
    XU_TRI_ADR = "xu_tri_adr"
    LIEU_DUNG = "lieu_dung"
    TUONG_TAC = "tuong_tac"
    BAO_QUAN = "bao_quan"
    TUONG_KY = "tuong_ky"
    QUA_LIEU = "qua_lieu"
    QUY_CHE = "quy_che"
    TEN_THUONG_MAI = "ten_thuong_mai"


@dataclass(frozen=True, slots=True)
class SectionFacts:
    """What the program knows of a section key beyond its name.

    title: the heading as the book prints it; block: how it is presented in an answer;
    expected: whether a monograph without it is worth a (served) warning at ingest;
    embedded: whether questions are compared with its passages by meaning.
    """

    title: str
    block: BlockKind
    expected: bool = False
    embedded: bool = False


SECTION_FACTS: dict[SectionKey, SectionFacts] = {
    SectionKey.TEN_CHUNG_QUOC_TE: SectionFacts("Tên chung quốc tế", BlockKind.FACT_LIST, expected=True),
    SectionKey.MA_ATC: SectionFacts("Mã ATC", BlockKind.FACT_LIST, expected=True),
    SectionKey.LOAI_THUOC: SectionFacts("Loại thuốc", BlockKind.FACT_LIST, expected=True, embedded=True),
    SectionKey.DANG_THUOC_HAM_LUONG: SectionFacts("Dạng thuốc và hàm lượng", BlockKind.FACT_LIST, expected=True),
    SectionKey.DUOC_LY_CO_CHE: SectionFacts(
        "Dược lý và cơ chế tác dụng", BlockKind.FACT_LIST, expected=True, embedded=True
    ),
    SectionKey.CHI_DINH: SectionFacts("Chỉ định", BlockKind.FACT_LIST, expected=True, embedded=True),
    SectionKey.CHONG_CHI_DINH: SectionFacts("Chống chỉ định", BlockKind.WARNING, expected=True),
    SectionKey.THAN_TRONG: SectionFacts("Thận trọng", BlockKind.WARNING, expected=True),
    SectionKey.MANG_THAI: SectionFacts("Thời kỳ mang thai", BlockKind.WARNING, expected=True),
    SectionKey.CHO_CON_BU: SectionFacts("Thời kỳ cho con bú", BlockKind.WARNING, expected=True),
    SectionKey.ADR: SectionFacts("Tác dụng không mong muốn (ADR)", BlockKind.FACT_LIST, expected=True),
    SectionKey.XU_TRI_ADR: SectionFacts("Hướng dẫn cách xử trí ADR", BlockKind.FACT_LIST),
    SectionKey.LIEU_DUNG: SectionFacts("Liều lượng và cách dùng", BlockKind.DOSAGE, expected=True),
    SectionKey.TUONG_TAC: SectionFacts("Tương tác thuốc", BlockKind.WARNING, expected=True),
    SectionKey.BAO_QUAN: SectionFacts("Độ ổn định và bảo quản", BlockKind.FACT_LIST),
    SectionKey.TUONG_KY: SectionFacts("Tương kỵ", BlockKind.WARNING),
    SectionKey.QUA_LIEU: SectionFacts("Quá liều và xử trí", BlockKind.WARNING),
    SectionKey.QUY_CHE: SectionFacts("Thông tin quy chế", BlockKind.FACT_LIST),
    SectionKey.TEN_THUONG_MAI: SectionFacts("Tên thương mại", BlockKind.FACT_LIST),
}


class PassageKind(StrEnum):
    """What a passage is on the page."""

    TEXT = "text"
    TABLE = "table"
    FORMULA = "formula"
    FIGURE = "figure"


class PassageState(StrEnum):
    """Whether a passage's text may be shown, or only its crop."""

    SERVED = "served"
    QUARANTINED = "quarantined"
    CORRECTED = "corrected"
    REJECTED = "rejected"

    @property
    def shows_text(self) -> bool:
        """True where the text itself may be quoted; otherwise only the crop of the page is shown."""
        return self in {PassageState.SERVED, PassageState.CORRECTED}


class MonographKind(StrEnum):
    """Only a drug is ever a candidate for a question about drugs."""

    DRUG = "drug"
    CHAPTER = "chapter"
    APPENDIX = "appendix"


class AliasKind(StrEnum):
    """Where an alias comes from."""

    NAME = "name"
    INN = "inn"
    SYNONYM = "synonym"
    TRADE_NAME = "trade_name"
    BRAND_INDEX = "brand_index"


@dataclass(frozen=True, slots=True, order=True)
class Box:
    """One printed line, or one region, on a page.

    page: PDF page counted from 1; x0, y0, x1, y1: PDF points, origin at the top left of the page as it is
    displayed (crop box and rotation applied), x0 <= x1 and y0 <= y1.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float

    def as_list(self) -> list[float]:
        """[page, x0, y0, x1, y1], the form in which boxes are stored and exported."""
        return [self.page, self.x0, self.y0, self.x1, self.y1]

    @classmethod
    def from_list(cls, values: list[float]) -> Box:
        """The inverse of as_list."""
        page, x0, y0, x1, y1 = values
        return cls(int(page), x0, y0, x1, y1)


@dataclass(frozen=True, slots=True)
class DrugRef:
    """A monograph of a drug as indexes and answers refer to it; drug_id is the monograph's slug."""

    drug_id: str
    name: str
    monograph_id: int
    pdf_page: int
    printed_page: int | None
