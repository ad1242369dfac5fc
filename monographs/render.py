"""Draws one region of one PDF page as PNG on standard output; run as its own process, so a bad file ends only it."""

from __future__ import annotations

import io
import resource
import sys

import pypdfium2

CPU_SECONDS = 10
MEMORY_BYTES = 2 << 30
MOST_PIXELS = 24_000_000
SIZE_TOLERANCE = 1.0


def render_region(
    path: str, page_number: int, box: tuple[float, float, float, float] | None, size: tuple[float, float], scale: float
) -> bytes:
    """PNG of box (points, origin top left; None for the whole page) of a page, counted from 1, at scale pixels a point.

    Raises ValueError where the page has not the expected size: boxes of another file would point at the wrong lines.
    """
    with pypdfium2.PdfDocument(path) as document:
        page = document[page_number - 1]
        width, height = page.get_size()
        if max(abs(width - size[0]), abs(height - size[1])) > SIZE_TOLERANCE:
            raise ValueError(f"page {page_number} is {width} x {height} points, expected {size[0]} x {size[1]}")
        x0, y0, x1, y1 = box or (0.0, 0.0, width, height)
        if (x1 - x0) * (y1 - y0) * scale * scale > MOST_PIXELS:
            raise ValueError("the picture would be too large")
        bitmap = page.render(scale=scale, crop=(x0, height - y1, width - x1, y0))
        image = bitmap.to_pil()
        out = io.BytesIO()
        image.quantize(64).save(out, "PNG", optimize=True)
        return out.getvalue()


def main(arguments: list[str]) -> None:
    """PATH PAGE X0 Y0 X1 Y1 WIDTH HEIGHT SCALE."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    path, page_number = arguments[0], int(arguments[1])
    x0, y0, x1, y1, width, height, scale = (float(argument) for argument in arguments[2:9])
    sys.stdout.buffer.write(render_region(path, page_number, (x0, y0, x1, y1), (width, height), scale))


if __name__ == "__main__":
    main(sys.argv[1:])
