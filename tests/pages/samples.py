"""Short monographs in our own words, to typeset with one fault or another. Nothing here is medical advice."""

from __future__ import annotations

from tests.pages.book import Book
from tests.pages.layout import Layout

LONG = (
    "Thuốc được hấp thu nhanh qua đường tiêu hóa, nồng độ đỉnh đạt sau 1 - 2 giờ; thức ăn làm chậm nhưng không làm "
    "giảm mức độ hấp thu. Nửa đời khoảng 2,5 giờ, dài hơn nếu Cl<sub>cr</sub> dưới 30 ml/phút/1,73 m<sup>2</sup>."
)
COUNTS = "Ngừng thuốc khi bạch cầu trung tính dưới 0,5 x 10<sup>9</sup>/lít hoặc tiểu cầu dưới 50 x 10<sup>9</sup>/lít."
DOSE = "<i>Người lớn:</i> Uống 250 - 500 mg, cách 6 giờ một lần, tối đa 4 000 mg mỗi ngày."
CHILD = "<i>Trẻ em:</i> Uống 10 - 15 mg/kg/lần, ngày 3 - 4 lần, không quá 60 mg/kg trong 24 giờ."


def monograph(book: Book, title: str, *, filler: int = 1) -> None:
    """A small but whole monograph."""
    book.title(title)
    book.opening(f"{title.capitalize()}.")
    book.heading("Dạng thuốc và hàm lượng")
    book.text("Viên nén: 250 mg, 500 mg.")
    book.heading("Dược lý và cơ chế tác dụng")
    for _ in range(filler):
        book.text(LONG, indent=True)
    book.heading("Chỉ định")
    book.text("Đau nhẹ và vừa; sốt trên 38,5 <sup>o</sup>C.")
    book.heading("Chống chỉ định")
    book.text("Quá mẫn với thuốc. Suy gan nặng.")
    book.heading("Thận trọng")
    book.text(COUNTS)
    book.heading("Liều lượng và cách dùng")
    book.text(DOSE)
    book.text(CHILD)
    book.heading("Tương tác thuốc")
    book.text("Dùng cùng warfarin làm tăng INR; theo dõi trong 5 ngày đầu.")


def small_book(
    layout: Layout | None = None, *, titles: tuple[str, ...] = ("ALVERIN", "BISACODYL", "CINARIZIN")
) -> Book:
    """A few monographs over several pages."""
    book = Book(layout)
    for title in titles:
        monograph(book, title, filler=6)
    return book
