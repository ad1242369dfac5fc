"""The fixed notice on every answer and every page; no model ever writes or rewords it."""

from __future__ import annotations

NO_EDITION_TITLE = "dược thư (chưa có ấn bản nào được công bố)"


def disclaimer(*, edition_title: str, is_sample: bool) -> str:
    """The notice for an edition, in Vietnamese. A sample says that it is one."""
    if is_sample:
        return (
            f"Trích từ {edition_title}: đây là bản mẫu do nhóm phát triển tự soạn để dùng thử chương trình, "
            "không dùng cho lâm sàng. Mọi quyết định về thuốc thuộc về bác sĩ và dược sĩ lâm sàng phụ trách."
        )
    return (
        f"Trích từ {edition_title} để tra cứu nghề nghiệp; y lệnh của bác sĩ và ý kiến của dược sĩ lâm sàng "
        "luôn được ưu tiên hơn nội dung tra cứu này."
    )
