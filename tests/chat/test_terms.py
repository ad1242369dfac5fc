"""What a question speaks of: its terms, what is none, and where a text speaks of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chat.cues import NO_CUE, cue_table
from chat.domain import Term
from chat.terms import is_name_like, question_terms, runs_of, stands_in, terms_of
from chat.understand import understand
from monographs.text import WordSet, fold
from tests.chat.faults import fault
from tests.sample_corpus import sample_corpus


def _terms(text: str) -> tuple[Term, ...]:
    return question_terms(text, sample_corpus().vocabulary, sample_corpus().accents)


def _said(text: str) -> list[str]:
    return [str(term) for term in _terms(text)]


def _term(typed: str, book: str = "") -> Term:
    return Term(tuple(typed.split(" ")), tuple(book.split(" ")) if book else (), 0)


SYNONYMS = [
    ("tiểu đường", "đái tháo đường"),
    ("cao huyết áp", "tăng huyết áp"),
    ("huyết áp cao", "tăng huyết áp"),
    ("hạ áp", "tăng huyết áp"),
    ("tụt huyết áp", "hạ huyết áp"),
    ("tiêu chảy", "ỉa chảy"),
    ("đi ngoài", "ỉa chảy"),
    ("tào tháo", "ỉa chảy"),
    ("suyễn", "hen"),
    ("hen phế quản", "hen"),
    ("hạ sốt", "sốt"),
    ("giảm đau", "đau"),
    ("đau họng", "viêm họng"),
    ("co giật", "động kinh"),
    ("sốc phản vệ", "phản vệ"),
    ("khó ngủ", "mất ngủ"),
    ("đau dạ dày", "loét dạ dày"),
    ("bao tử", "dạ dày"),
    ("nhiễm trùng", "nhiễm khuẩn"),
    ("nhiễm trùng tiểu", "nhiễm khuẩn tiết niệu"),
    ("viêm đường tiết niệu", "nhiễm khuẩn tiết niệu"),
    ("nhược giáp", "suy giáp"),
    ("mề đay", "mày đay"),
    ("nổi mẩn", "ban"),
    ("nổi ban", "ban da"),
    ("mắc ói", "buồn nôn"),
    ("buồn ói", "buồn nôn"),
    ("kali máu", "kali huyết"),
    ("đường huyết", "glucose huyết"),
    ("xuất huyết", "chảy máu"),
    ("chưa xuất huyết", "không chảy máu"),
    ("nhịp nhanh", "tim nhanh"),
    ("hồi hộp", "đánh trống ngực"),
    ("sưng nướu", "phì đại lợi"),
    ("tanh như kim loại", "vị kim loại"),
    ("nghe kém", "giảm thính lực"),
    ("yếu sinh lý", "rối loạn cương dương"),
    ("sưng mắt cá", "phù cổ chân"),
    ("phù hai chân", "phù"),
    ("ngừng tim", "ngừng tuần hoàn"),
    ("chạy thận nhân tạo", "thẩm phân máu"),
    ("lọc máu", "thẩm phân máu"),
    ("mới bắt đầu", "khởi đầu"),
    ("phóng thích chậm", "phóng thích kéo dài"),
    ("trước mổ", "phẫu thuật"),
    ("tan đờm", "tiêu chất nhầy"),
]


@pytest.mark.parametrize(("typed", "book"), SYNONYMS, ids=[typed for typed, _ in SYNONYMS])
def test_what_the_book_calls_otherwise_is_one_term_with_the_books_words(typed: str, book: str) -> None:
    for text in {typed, typed.upper(), fold(typed)}:
        assert _terms(text) == (Term(tuple(text.lower().split(" ")), tuple(book.split(" ")), 0),)


@pytest.mark.parametrize(("typed", "book"), [("MR", "phóng thích kéo dài"), ("sr", "phóng thích kéo dài")])
def test_a_code_of_a_formulation_is_one_too(typed: str, book: str) -> None:
    assert _terms(f"viên {typed}") == (Term((typed.lower(),), tuple(book.split(" ")), 1),)


@pytest.mark.parametrize(
    ("accented", "book"), [("mổ", "phẫu thuật"), ("ói", "nôn"), ("đàm", "đờm"), ("xỉu", "bất tỉnh"), ("bón", "táo bón")]
)
def test_a_synonym_that_counts_only_with_its_accents(accented: str, book: str) -> None:
    assert [term.book for term in _terms(accented)] == [tuple(book.split(" "))]
    assert not any(term.book for term in _terms(fold(accented)))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("bị ho khan", "ho khan"),
        ("bị tiểu đường và cao huyết áp", "tiểu đường cao huyết áp"),
        ("uống thuốc hạ áp bị ho", "hạ áp ho"),
        ("HLA-B dương tính", "hla-b dương tính"),
        ("INR 3,5", "inr"),
        ("2 ngày nay sốt 39 độ", "sốt"),
        ("vitamin B12", "vitamin b12"),
        ("ho có đàm", "ho có đàm"),
        ("chân tay run", "chân tay run"),
        ("đau ở đâu", "đau"),
        ("nghiện", "nghiện"),
        ("hội chứng Reye", "hội chứng reye"),
        ("không chảy máu", "chảy máu"),
        ("ngưng thuốc đột ngột", "ngưng đột ngột"),
        ("", ""),
        ("??? ...", ""),
        ("10 20 30 mg", ""),
    ],
)
def test_the_terms_are_the_words_that_say_something_in_order(question: str, said: str) -> None:
    assert " ".join(_said(question)) == said


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("bị tiểu đường và cao huyết áp lâu năm", [1, 4, 8]),
        ("ho khan", [0, 1]),
        ("uống thuốc hạ áp bị ho", [2, 5]),
        ("sốt   cao", [0, 1]),
    ],
)
def test_a_term_stands_at_its_first_word_of_the_question(question: str, places: list[int]) -> None:
    assert [term.place for term in _terms(question)] == places


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("tôi là [họ tên] bị ho khan", ["ho", "khan"]),
        ("[số điện thoại] sốt [mã hồ sơ] ho", ["sốt", "ho"]),
        ("[email]", []),
        ("ho [số định danh]", ["ho"]),
        ("[mã [hồ] sơ] ho", ["ho"]),
        ("[họ tên", []),
        ("ho ] khan", ["ho", "khan"]),
    ],
)
def test_masks_are_no_terms(question: str, said: list[str]) -> None:
    assert _said(question) == said


@pytest.mark.parametrize(
    "question",
    [
        "chống chỉ định",
        "liều dùng",
        "tác dụng không mong muốn",
        "quá liều và xử trí",
        "bảo quản",
        "thời kỳ mang thai",
        "trẻ em",
        "người cao tuổi",
        "suy thận",
        "tiêm bắp",
        "truyền tĩnh mạch",
        "đặt trực tràng",
        "xin chào",
        "cảm ơn bạn",
        "thì sao",
        "thế còn",
        "bệnh nhân khác",
        "không mang thai",
        "không cho con bú",
        "không suy thận",
        "dùng được không",
        "bao nhiêu",
    ],
)
def test_cues_and_what_is_denied_are_no_terms(question: str) -> None:
    assert _terms(question) == () and _terms(fold(question)) == ()


def test_no_cue_of_any_table_is_a_term_unless_the_book_calls_it_otherwise() -> None:
    for kind in ("population", "route", "context"):
        table = cue_table(kind)
        for cue in (cue for cues in table._by_first.values() for cue in cues if cue.meaning != NO_CUE):
            assert all(term.book for term in _terms(cue.accented)), cue.accented


@pytest.mark.parametrize(
    "question",
    [
        "không ạ",
        "bác sĩ ơi cho em hỏi với",
        "người bệnh đang uống thuốc này thì có được không",
        "vâng ạ",
        "uống ngày mấy viên",
        "cho hỏi chút nhé",
        "dùng như thế nào",
        "mình là dược sĩ quầy",
        "chồng em",
        "bây giờ thấy nặng lắm",
    ],
)
def test_fillers_are_no_terms(question: str) -> None:
    assert [word for word in _said(question) if word != "chút"] == []


@pytest.mark.parametrize(
    ("filler", "bare"),
    [
        ("đâu", "dau"),
        ("đây", "day"),
        ("vẫn", "van"),
        ("phát", "phat"),
        ("lên", "len"),
        ("dần", "dan"),
        ("đưa", "dua"),
        ("lấy", "lay"),
        ("họ", "ho"),
        ("thấy", "thay"),
        ("đem", "dem"),
        ("mới", "moi"),
        ("tầm", "tam"),
        ("hiện", "hien"),
        ("muốn", "muon"),
        ("vợ", "vo"),
    ],
)
def test_an_accented_filler_counts_only_with_its_accents(filler: str, bare: str) -> None:
    assert fold(filler) == bare
    assert _terms(filler) == () and _terms(filler.upper()) == ()
    assert _said(bare) == [bare]


@pytest.mark.parametrize("word", ["dạ", "đau", "đầu", "hỗ", "cồn", "tai", "gan", "phổi"])
def test_a_word_is_no_filler_for_folding_like_one(word: str) -> None:
    assert _said(word) == [word]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("phát ban", "ban"),
        ("bị ban da", "ban da"),
        ("bị khô da", "khô da"),
        ("bị ù tai", "ù tai"),
        ("bi phu phoi", "phu phoi"),
        ("chong mat", "chong mat"),
        fault("miệng có vị kim loại", "miệng vị kim loại", reason="`loại` of `kim loại` is a filler"),
    ],
)
def test_words_for_an_unwanted_effect_are_terms(question: str, said: str) -> None:
    assert " ".join(_said(question)) == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("tac mat dung thuoc gi", "tac mat"),
        ("phan ve dung thuoc gi", "phan ve"),
        ("vay nen nang, thuoc gi", "vay nen"),
        ("nhoi mau co tim dung thuoc gi", "nhoi mau co tim"),
        ("bi nhuoc co, thuoc nao", "nhuoc co"),
        ("benh nhan nhuoc co bi sot", "nhuoc co sot"),
        ("nhuoc co duoc dung thuoc gi", "nhuoc co"),
        ("phu do xo gan uong gi", "phu"),
        # What is a name beside one word is talk beside another.
        ("suy tim co thuoc gi", "suy tim"),
        ("rung nhi co dung thuoc gi", "rung nhi"),
        ("cho em hoi suy tim uong gi", "suy tim"),
        ("hoi chung than hu uong gi", "hoi chung than hu"),
        ("cat con hen", "cat hen"),
        ("mat ngu ban thuoc gi", "mat ngu"),
        # Half of a name, and talk in every other place.
        ("ung thư dùng thuốc gì", "ung thư"),
        ("dược thư có thuốc gì", ""),
        ("giang mai uống gì", "giang mai"),
        ("mai uống gì", ""),
        ("tiền sản giật dùng thuốc gì", "tiền sản giật"),
        ("tiền sử hen", "hen"),
        ("tien su hen", "hen"),
    ],
)
def test_a_word_of_talk_is_a_term_where_the_book_prints_it_in_a_name(question: str, said: str) -> None:
    assert " ".join(_said(question)) == said


def test_what_was_spelled_out_does_not_make_a_bare_question_accented() -> None:
    spelled = "bệnh nhân bi vay nen, dung thuoc gi"
    corpus = sample_corpus()
    assert "vay" in [str(t) for t in question_terms(spelled, corpus.vocabulary, corpus.accents, bare=True)]
    assert "vay" in [str(t) for t in understand("bn bi vay nen, dung thuoc gi", corpus).terms]


@pytest.mark.parametrize("word", ["hic", "nhiu", "hoáy", "khiếp", "ngoéo", "trời", "chóe"])
def test_a_syllable_that_the_book_never_prints_is_talk(word: str) -> None:
    assert [term.is_talk for term in _terms(word)] == [True]


@pytest.mark.parametrize("word", ["ho", "gan", "sốt", "nghiện", "glutathion", "xyzxyz", "zolpixantel", "G6PD", "HLA-B"])
def test_a_word_of_the_book_or_no_syllable_is_no_talk(word: str) -> None:
    assert [term.is_talk for term in _terms(word)] == [False]


def test_a_synonym_is_never_talk() -> None:
    assert not question_terms("suyễn", frozenset())[0].is_talk
    assert question_terms("ho", frozenset())[0].is_talk


@pytest.mark.parametrize(
    ("typed", "book", "text"),
    [
        ("ho", "", "Hô hấp: Ho."),
        ("ho", "", "HO KHAN"),
        ("hla-b", "", "Người mang alen HLA-B*1502"),
        ("hla-b", "", "người mang alen HLA B"),
        ("x-quang", "", "chụp X - quang"),
        ("stevens-johnson", "", "hội chứng Stevens - Johnson"),
        ("tiểu đường", "đái tháo đường", "Bệnh đái tháo đường typ 2"),
        ("tiểu đường", "đái tháo đường", "người tiểu đường"),
        ("kali mau", "kali huyết", "Tăng kali huyết."),
        ("tieu duong", "đái tháo đường", "đái tháo đường"),
        ("phu", "", "phụ nữ"),
        ("phu", "", "phù mạch"),
        ("hoà", "", "hòa tan"),
        ("hòa", "", "hoà tan"),
        ("g6pd", "", "thiếu G6PD"),
        ("b12", "", "vitamin B₁₂"),
    ],
)
def test_a_text_speaks_of_a_term_in_its_words_or_in_the_books(typed: str, book: str, text: str) -> None:
    assert stands_in(_term(typed, book), WordSet(text))


@pytest.mark.parametrize(
    ("typed", "book", "text"),
    [
        ("ho", "", "Hôn mê"),
        ("ho", "", ""),
        ("nấm", "", "nam giới"),
        ("nghiện", "", "nghiên cứu"),
        ("phù", "", "phụ nữ"),
        ("hla-b", "", "HLA-A*3101"),
        ("x-quang", "", "ánh sáng quang phổ"),
        ("tiểu đường", "đái tháo đường", "đái tháo nhạt"),
        ("kali máu", "kali huyết", "natri huyết, thiếu máu"),
        ("tiểu đường", "đái tháo đường", "tiểu buốt, tháo nước"),
        ("inr", "", "INRS"),
    ],
)
def test_a_text_that_lacks_a_word_speaks_of_no_term(typed: str, book: str, text: str) -> None:
    assert not stands_in(_term(typed, book), WordSet(text))


@pytest.mark.parametrize(
    ("question", "runs"),
    [
        ("hội chứng Reye", ["hoi chung reye", "hoi chung", "chung reye"]),
        ("ho khan", ["ho khan"]),
        ("ho", []),
        ("", []),
        # A filler or a cue between two terms parts them.
        ("ho bị sốt", []),
        ("ho trẻ em sốt", []),
        # What the book calls otherwise stands in its words, and is a phrase by itself.
        ("bị tiểu đường và cao huyết áp", ["dai thao duong", "tang huyet ap"]),
        ("sưng chân", []),
        ("giảm đau hạ sốt", ["dau sot"]),
        ("xuất huyết dạ dày", ["chay mau da day", "chay mau da", "chay mau", "da day"]),
    ],
)
def test_runs_are_the_folded_phrases_of_neighbours_longest_first(question: str, runs: list[str]) -> None:
    found = runs_of(_terms(question))
    assert sorted(found) == sorted(runs)
    assert [len(run) for run in found] == sorted((len(run) for run in found), reverse=True)


def test_a_run_is_named_once() -> None:
    found = runs_of(_terms("ho khan ho khan"))
    assert len(found) == len(set(found)) and "ho khan" in found


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("paracetamol ho", ["ho"]),
        ("amoxicilin và clavulanat bị ho", ["ho"]),
        ("kali clorid kali máu cao", ["kali máu", "cao"]),
        ("kali clorid hạ kali", ["hạ"]),
        ("salbutamol dùng trong sản khoa bị run", ["run"]),
        ("salbutamol dung trong san khoa bi run", ["run"]),
    ],
)
def test_the_words_of_a_drugs_name_are_none_of_its_terms(question: str, said: list[str]) -> None:
    assert [str(term) for term in terms_of(understand(question, sample_corpus()))] == said


def test_a_drug_of_an_earlier_turn_takes_its_words_away_too() -> None:
    frame = understand("kali cao", sample_corpus())
    assert [str(term) for term in terms_of(frame)] == ["kali", "cao"]
    drugs = understand("kali clorid", sample_corpus()).drugs
    assert [str(term) for term in terms_of(replace(frame, drugs=drugs))] == ["cao"]


@pytest.mark.parametrize("word", ["inr", "g6pd", "tsh", "hla-b", "ck", "t4", "b12", "reye", "amiodaron", "hba1c"])
def test_a_test_a_substance_or_a_code_is_name_like(word: str) -> None:
    assert is_name_like(_term(word))


@pytest.mark.parametrize("word", ["ho", "gan", "sốt", "phổi", "phoi", "mệt", "nghiện", "gút"])
def test_a_vietnamese_syllable_is_not(word: str) -> None:
    assert not is_name_like(_term(word))


@pytest.mark.parametrize(("typed", "book"), [("kali máu", "kali huyết"), ("tiểu đường", "đái tháo đường")])
def test_several_words_are_not(typed: str, book: str) -> None:
    assert not is_name_like(_term(typed, book))
