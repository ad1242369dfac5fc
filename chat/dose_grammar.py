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
    r"khởi đầu|thường|duy trì(?: thường)?|liều (?:đầu|nạp|duy trì)|sau đó(?: đến)?|ngày đầu|(?:có thể )?tăng đến|"
    r"có thể đến|sau \d+(?: - \d+)? (?:giờ|ngày|tuần) tăng đến|"
    r"hiếm khi tới|có khi đến|(?:tiêm|truyền) (?:tĩnh mạch|bắp|dưới da)(?: chậm)?|sau \d+ (?:giờ|ngày) dùng|"
    rf"(?:nhiễm khuẩn|thể|trường hợp|bệnh|mức độ|phẫu thuật)(?: {_PLAIN_WORD}){{1,7}}"
)
VOLUME = re.compile(rf"\((?P<volume>{_NUM}(?: - {_NUM})?) ml/kg dung dịch (?P<strength>{_NUM}) (?P<per>mg/ml)\)")
DOSE = re.compile(
    rf"(?:(?P<lead>{_LEAD}) )?(?P<amount>{AMOUNT})(?: \((?P<beside>[^()]*)\)| hoặc (?P<fixed>{AMOUNT}))?"
    rf"(?:(?P<once>,? một liều(?: duy nhất)?)(?: (?P<case>ở người bệnh(?: {_PLAIN_WORD}){{1,3}}))?"
    r"| (?P<on>vào ngày đầu))?"
    r"(?P<alternate> cách ngày)?(?: (?:nếu|khi) cần)?",
    re.IGNORECASE,
)
MAXIMUM = re.compile(
    r"(?:nhắc lại )?(?:thường )?(?:tối đa|không quá) (?P<rest>.+)",
    re.IGNORECASE,
)
# A maximum of the first dose only, and one that is a grown-up's first dose: "liều khởi đầu 10 mg của người lớn".
AT_START = re.compile(rf"(?P<amount>{AMOUNT}) lúc khởi đầu|liều khởi đầu (?P<adult>{AMOUNT}) của người lớn")
# A maximum for some patients only; their words hold no number, so that none of the dose is theirs.
IN_A_CASE = re.compile(rf"(?P<amount>{AMOUNT}) khi [^\d,;]+")
# What other patients get, as a bound alone: no dose to count from.
BELOW_IN_A_CASE = re.compile(rf"(?:giai đoạn|thể|trường hợp) [^\d,;:]+ dưới {AMOUNT}", re.IGNORECASE)
TIMES_A_DAY = re.compile(r"\d+ lần/(?:24 giờ|ngày)")
TIMES = re.compile(r"(?P<kind>ngày|(?:uống )?chia) (?P<low>\d+|một)(?: - (?P<high>\d+))? lần", re.IGNORECASE)
ONCE_OR_PARTS = re.compile(r"uống (?P<low>1|một) lần hoặc chia (?P<high>\d+) lần", re.IGNORECASE)
EVERY = re.compile(
    r"(?:nhắc lại )?cách (?P<least>ít nhất )?(?P<low>\d+)(?: - (?P<high>\d+))? (?P<unit>phút|giờ|ngày|tuần)"
    r"(?: một lần)?(?: (?:khi|nếu) cần)?",
    re.IGNORECASE,
)
SINGLE = re.compile(r"(?:tiêm bắp |tiêm tĩnh mạch )?một liều(?: duy nhất)?", re.IGNORECASE)
# What is given again after minutes or hours was one dose.
ONCE_MORE = re.compile(r"nhắc lại một lần sau \d+(?: - \d+)? (?:phút|giờ)(?: nếu cần)?", re.IGNORECASE)
_TIME = r"\d+(?: - \d+)? (?:giờ|phút|ngày|tuần|tháng|năm)"
# How long or how late at most, which is no amount.
AT_MOST_SO_LONG = re.compile(rf"tối đa {_TIME}(?: (?:trước khi|nếu) [^\d]+)?", re.IGNORECASE)
# What stands beside a dose and changes no number of it.
REMARKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:uống |tiêm (?:chậm )?|truyền |bắt đầu )?(?:trong|thường|ít nhất|đến)(?: vòng| ít nhất)? {_TIME}(?: đầu)?",
        rf"trong {_TIME} hoặc đến khi [^\d,;]+ {_TIME}",
        rf"{_TIME} (?:trước|sau) [^\W\d_]+(?: [^\W\d_]+){{0,4}}",
        rf"{_TIME} ở trẻ (?:từ|dưới|trên) \d+ (?:tuổi|tháng)",
        rf"nhắc lại sau {_TIME} nếu (?:chưa đáp ứng|cần)",
        r"(?:tăng dần|chỉnh|chỉnh liều) theo [^\d]+|theo INR",
        # Steps by which a dose is changed later, none of them a dose: with their interval, which is not the dose's.
        rf"chỉnh(?: {AMOUNT})? cách {_TIME} một lần(?: theo [^\d]+)?|tăng mỗi lần {AMOUNT}, cách {_TIME}",
        rf"(?:sau đó )?cách {_TIME} một lần (?:trong {_TIME} đầu(?: sau sinh)?|khi tuổi thai hiệu chỉnh dưới \d+ tuần)",
        rf"sau đó cách {_TIME} một lần|tổng cộng {_TIME}|trong {_TIME} tiếp theo",
        rf"bắt đầu ít nhất {_TIME} sau khi [^\d]+|không tiêm liều nạp [^\d]+",
        r"giảm xuống liều thấp nhất [^\d]+",
        rf"{_NUM}(?: - {_NUM})? % là [^\d]+|phần còn lại chia theo [^\d]+",
        r"(?:tiêm|truyền)(?: tĩnh mạch| bắp| dưới da)*(?: chậm| liên tục)?(?: hoặc (?:tiêm bắp|tĩnh mạch))?",
        r"đường tĩnh mạch|khi cần|nếu cần|lâu dài",
        r"phối hợp với (?:[^\W\d_]+|kháng sinh thứ hai)|các liều sau theo [^\d]+|dùng dạng dung dịch",
        r"tính theo cân nặng thực",
        # How the amount is brought to a tablet's, which the result says as printed.
        rf"làm tròn đến {AMOUNT}",
        # How fast it may be given at most, which is no dose.
        rf"(?:tiêm|truyền)(?: tĩnh mạch)? không quá {_NUM} (?:{_MEASURE})/(?:giờ|phút)",
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
        # What is watched while it runs, and a later step of change: neither is a dose.
        rf"Giữ huyết áp [^\d,;:]+ {_NUM}(?: - {_NUM})? mmHg",
        rf"Khi [^\d,;:]+, mỗi lần chỉ tăng {AMOUNT}, đo lại sau {_TIME}",
        r"Nhắc lại theo INR",
        r"Ngừng truyền từ từ khi ổn định",
        rf"Tác dụng kéo dài {_TIME}, phải theo dõi [^\d]+",
        r"Đo nồng độ trước liều thứ [^\d]+",
    )
)
# A clause on what more than an amount calls for, which is no dose, or on how often the same is given in a case.
CLAUSE_REMARK = re.compile(
    rf"cần trên {AMOUNT} phải [^\d;:]+|khi [^\d,;:]+, ngày \d+ lần(?: trong {_TIME})?", re.IGNORECASE
)
# A sentence that keeps the drug from some patients: by its bands it is compared with the patient.
RESTRICTION = re.compile(
    r"Không dùng (?:(?:chế độ|cách|liều) này )?(?:cho|khi) [^:]+|(?:Trẻ|Người) [^:]+ chỉ dùng khi [^:]+|"
    r"(?:Trẻ|Người) [^:]+: (?:không dùng|chưa có dữ liệu)[^:]*"
)
HEAD = re.compile(r"(?P<head>(?:Trẻ|Người|Clcr|Độ thanh thải)[^:;,]{2,90}): (?P<rest>.+)", re.IGNORECASE | re.DOTALL)
SENTENCE_END = re.compile(r"\.\s+(?=[A-ZÀ-ỸĐ])")
MIXED_NUMBER = re.compile(r"\d\.\d|(?<![\d,])[1-9]\d{0,2},\d{3}(?!\d)")
AND = re.compile(r" và không quá | và ")
