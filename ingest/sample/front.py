"""The unnumbered front pages: title, notice, abbreviations and contents."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.sample.ink import Strip
from ingest.sample.lines import Composer, Setting
from ingest.sample.pages import LEFT, RIGHT, TOP, Page, Pager
from ingest.sample.source import Edition, Face, Run
from ingest.sample.typeset import FLUSH, FULL, text_strips

NOTICE_SETTING = Setting(11.0, 14.0, FULL, 12.0)
NOTICE = """
Tập sách này là bản mẫu do nhóm phát triển phần mềm Dược thư tự biên soạn, nhằm thử nghiệm việc đọc, tra cứu và trích \
dẫn một cuốn dược thư. Đây không phải là Dược thư Quốc gia Việt Nam và không thay thế cho sách đó.
Nội dung được viết bằng lời văn của nhóm, đối chiếu với các tài liệu dược lý thông dụng nêu trong tệp nguồn của từng \
chuyên luận. Nội dung không được cơ quan có thẩm quyền thẩm định.
Không dùng bản mẫu này để kê đơn, cấp phát, tư vấn hay điều trị. Khi hành nghề, phải tra cứu ấn bản hiện hành của \
Dược thư Quốc gia Việt Nam và tờ thông tin sản phẩm đã được phê duyệt.
"""
ABBREVIATIONS = (
    ("ADR", "Tác dụng không mong muốn của thuốc"),
    ("ALT, AST", "Alanin aminotransferase, aspartat aminotransferase"),
    ("ATC", "Hệ thống phân loại giải phẫu - điều trị - hóa học"),
    ("Clcr", "Độ thanh thải creatinin"),
    ("COPD", "Bệnh phổi tắc nghẽn mạn tính"),
    ("CYP", "Cytochrom P450"),
    ("đvqt", "Đơn vị quốc tế"),
    ("ECG", "Điện tâm đồ"),
    ("eGFR", "Mức lọc cầu thận ước tính"),
    ("G6PD", "Glucose-6-phosphat dehydrogenase"),
    ("INR", "Tỷ số chuẩn hóa quốc tế"),
    ("MIC", "Nồng độ ức chế tối thiểu"),
    ("NSAID", "Thuốc chống viêm không steroid"),
)


def front_pages(edition: Edition, composer: Composer, printed: dict[str, int]) -> list[Page]:
    """Title page, notice, abbreviations, contents."""
    return [
        _title_page(edition, composer),
        _page(composer, "Về bản mẫu này", [Run(text) for text in NOTICE.strip().splitlines()]),
        _list_page(composer, "Chữ viết tắt", [f"{short}: {long}." for short, long in ABBREVIATIONS]),
        _list_page(composer, "Các chuyên luận", _contents(edition, printed)),
    ]


def _contents(edition: Edition, printed: dict[str, int]) -> list[str]:
    return [f"{_name(m.running_head, m.subtitle)} . . . {printed[m.slug]}" for m in edition.monographs]


def _name(head: str, subtitle: str) -> str:
    return f"{head} ({subtitle[0].lower()}{subtitle[1:]})" if subtitle else head


def _centred(page: Page, composer: Composer, text: str, y: float, size: float, face: Face = Face.BOLD) -> None:
    setting = Setting(size, size * 1.3, RIGHT - LEFT, 0.0)
    for strip in text_strips(composer, [Run(text, face)], setting, justify=False):
        page.put(strip, LEFT + (RIGHT - LEFT - composer.width([Run(text, face)], size)) / 2, y)


def _title_page(edition: Edition, composer: Composer) -> Page:
    page = Page()
    _centred(page, composer, edition.title.upper(), 230.0, 30.0)
    _centred(page, composer, str(edition.year), 275.0, 22.0)
    _centred(page, composer, "Bản mẫu do nhóm phát triển phần mềm tự biên soạn", 330.0, 13.0, Face.REGULAR)
    _centred(page, composer, "KHÔNG DÙNG CHO LÂM SÀNG", 360.0, 18.0)
    return page


def _heading(composer: Composer, text: str) -> Strip:
    setting = Setting(14.0, 26.0, FULL, 0.0)
    return text_strips(composer, [Run(text, Face.BOLD)], setting, justify=False)[0]


def _page(composer: Composer, heading: str, paragraphs: Sequence[Run]) -> Page:
    page = Page()
    page.put(_heading(composer, heading), LEFT, TOP)
    y = TOP + 30.0
    for paragraph in paragraphs:
        for strip in text_strips(composer, [paragraph], NOTICE_SETTING):
            page.put(strip, LEFT, y)
            y += strip.height
        y += 4.0
    return page


def _list_page(composer: Composer, heading: str, lines: Sequence[str]) -> Page:
    pager = Pager()
    pager.pages[0].put(_heading(composer, heading), LEFT, TOP)
    pager.y = TOP + 30.0
    pager.lay([strip for line in lines for strip in text_strips(composer, [Run(line)], FLUSH, justify=False)])
    return pager.pages[0]


def index_title(composer: Composer) -> list[Strip]:
    """The heading of the brand index, over both columns."""
    setting = Setting(14.0, 26.0, FULL, 0.0)
    runs = [Run("MỤC LỤC TRA CỨU TÊN THƯƠNG MẠI", Face.BOLD)]
    strips = text_strips(composer, runs, setting, justify=False)
    return [Strip(strip.height, strip.ink, wide=True) for strip in strips]
