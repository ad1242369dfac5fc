"""The forms in which the book writes a dose, closed lists all: what fits none of them is not understood."""

from __future__ import annotations

import re

_NUM = r"\d+(?: \d{3}(?!\d))*(?:,\d+)?"
_MEASURE = r"microgam|nanogam|mg|g|đơn vị|đvqt|mmol|ml|lít"
_PER = r"lần|ngày|24 giờ|giờ|phút|tuần"
AMOUNT = rf"{_NUM}(?: - {_NUM})? (?:{_MEASURE})(?:/(?:kg|m²))?(?:/(?:{_PER}))?"
AMOUNT_PARTS = re.compile(
    rf"(?P<low>{_NUM})(?: - (?P<high>{_NUM}))? (?P<measure>{_MEASURE})(?:/(?P<basis>kg|m²))?(?:/(?P<per>{_PER}))?"
)
# What a dose may be said to be. Longer situations only from their first word, and without words that turn a dose round.
_PLAIN_WORD = (
    r"(?!(?:không|chưa|trừ|tránh|giảm|thêm|mỗi|bằng|quá|dưới|trên|hơn|tổng|pha|với|hoặc|và|cho|chỉnh|liều)\b)[^\W\d_]+"
)
_LEAD = (
    r"khởi đầu|thường|duy trì(?: thường)?|liều (?:đầu|nạp|duy trì)|sau đó|ngày đầu|(?:có thể )?tăng đến|có thể đến|"
    r"hiếm khi tới|có khi đến|(?:tiêm|truyền) (?:tĩnh mạch|bắp|dưới da)(?: chậm)?|sau \d+ (?:giờ|ngày) dùng|"
    rf"(?:nhiễm khuẩn|thể|trường hợp|bệnh|mức độ)(?: {_PLAIN_WORD}){{1,7}}"
)
VOLUME = re.compile(rf"\((?P<volume>{_NUM}(?: - {_NUM})?) ml/kg dung dịch (?P<strength>{_NUM}) (?P<per>mg/ml)\)")
DOSE = re.compile(
    rf"(?:(?P<lead>{_LEAD}) )?(?P<amount>{AMOUNT})(?: (?P<volume>\([^()]*\)))?(?P<once>,? một liều(?: duy nhất)?)?"
    r"(?: (?:nếu|khi) cần)?",
    re.IGNORECASE,
)
MAXIMUM = re.compile(r"(?:nhắc lại )?(?:tối đa|(?:thường )?không quá) (?P<rest>.+)", re.IGNORECASE)
TIMES_A_DAY = re.compile(r"\d+ lần/(?:24 giờ|ngày)")
TIMES = re.compile(r"(?P<kind>ngày|(?:uống )?chia) (?P<low>\d+|một)(?: - (?P<high>\d+))? lần", re.IGNORECASE)
ONCE_OR_PARTS = re.compile(r"uống (?P<low>1|một) lần hoặc chia (?P<high>\d+) lần", re.IGNORECASE)
EVERY = re.compile(
    r"(?:nhắc lại )?cách (?P<least>ít nhất )?(?P<low>\d+)(?: - (?P<high>\d+))? (?P<unit>phút|giờ|ngày|tuần)"
    r"(?: một lần)?(?: (?:khi|nếu) cần)?",
    re.IGNORECASE,
)
SINGLE = re.compile(r"(?:tiêm bắp |tiêm tĩnh mạch )?một liều(?: duy nhất)?", re.IGNORECASE)
_TIME = r"\d+(?: - \d+)? (?:giờ|phút|ngày|tuần|tháng|năm)"
# What stands beside a dose and changes no number of it.
REMARKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:uống |tiêm (?:chậm )?|truyền |bắt đầu )?(?:trong|thường|ít nhất|đến)(?: vòng| ít nhất)? {_TIME}(?: đầu)?",
        rf"trong {_TIME} hoặc đến khi [^\d,;]+ {_TIME}",
        rf"{_TIME} (?:trước|sau) [^\W\d_]+(?: [^\W\d_]+){{0,4}}",
        rf"{_TIME} ở trẻ (?:từ|dưới|trên) \d+ (?:tuổi|tháng)",
        rf"nhắc lại sau {_TIME} nếu (?:chưa đáp ứng|cần)",
        r"(?:tăng dần|chỉnh|chỉnh liều) theo [^\d]+",
        r"(?:tiêm|truyền)(?: tĩnh mạch| bắp| dưới da)*(?: chậm| liên tục)?(?: hoặc (?:tiêm bắp|tĩnh mạch))?",
        r"đường tĩnh mạch|khi cần|nếu cần|lâu dài",
        r"phối hợp với (?:[^\W\d_]+|kháng sinh thứ hai)|các liều sau theo [^\d]+|dùng dạng dung dịch",
        r"tính theo cân nặng thực",
        r"bắt đầu truyền trong vòng \d+ phút trước khi rạch da|tiếp tục nếu còn [^\d]+|lâu hơn nếu cần",
        r"giảm dần sau \d+ - \d+ tuần",
        r"hoặc liều theo tuổi như bảng dưới đây",
        r"tại (?:bệnh viện|khoa hồi sức)|theo dõi hô hấp",
    )
)
SENTENCE_REMARKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"Chỉnh(?: liều)? theo [^\d]+",
        r"Dùng trong chuyên khoa|Chỉ do bác sĩ chuyên khoa chỉ định|Hỏi ý kiến chuyên khoa",
        r"Chỉ dùng nơi [^\d]+",
        r"Không có dữ liệu về [^\d]+",
        r"Theo dõi [^\d]+",
        r"Nhắc lại theo INR",
        r"Ngừng truyền từ từ khi ổn định",
        rf"Tác dụng kéo dài {_TIME}, phải theo dõi [^\d]+",
        r"Đo nồng độ trước liều thứ [^\d]+",
    )
)
# A sentence that keeps the drug from some patients: by its bands it is compared with the patient.
RESTRICTION = re.compile(
    r"Không dùng (?:cho|khi) [^:]+|(?:Trẻ|Người) [^:]+ chỉ dùng khi [^:]+|"
    r"(?:Trẻ|Người) [^:]+: (?:không dùng|chưa có dữ liệu)[^:]*"
)
HEAD = re.compile(r"(?P<head>(?:Trẻ|Người|Clcr|Độ thanh thải)[^:;,]{2,90}): (?P<rest>.+)", re.IGNORECASE | re.DOTALL)
SENTENCE_END = re.compile(r"\.\s+(?=[A-ZÀ-ỸĐ])")
MIXED_NUMBER = re.compile(r"\d\.\d|(?<![\d,])[1-9]\d{0,2},\d{3}(?!\d)")
AND = re.compile(r" và không quá | và ")
