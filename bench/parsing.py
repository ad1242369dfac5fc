"""Pages a second, memory and accuracy of our parser beside others: python bench/parsing.py [PDF TRUTH [PAGES]].

PDF and TRUTH: a generated book and its truth file (gzipped JSON with pages[].lines[] and monographs[].sections[]).
Without arguments the book is a generated one of the shared corpus; where it is not there, it says so.
Tools that are not installed are named and skipped; each runs in a process of its own, on the same pages.
"""

from __future__ import annotations

import gzip
import json
import re
import resource
import subprocess
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

NUMBER = re.compile(r"\S*\d\S*")
TRIM = ".,;:()[]"
DEFAULT_PAGES = 100
DEFAULT_BOOK = Path(__file__).resolve().parents[2] / "shared" / "corpus" / "books" / "noisy120.pdf"


def pdfplumber_text(path: Path, pages: int) -> Iterator[str]:
    """pdfplumber, plain text."""
    with import_module("pdfplumber").open(path) as document:
        for page in document.pages[:pages]:
            yield page.extract_text()
            page.close()


def pdfminer_text(path: Path, pages: int) -> Iterator[str]:
    """pdfminer.six, layout analysis on."""
    container = import_module("pdfminer.layout").LTTextContainer
    for page in import_module("pdfminer.high_level").extract_pages(path, maxpages=pages):
        yield "\n".join(part.get_text() for part in page if isinstance(part, container))


def docling_text(path: Path, pages: int) -> Iterator[str]:
    """docling-parse, word cells in its own order."""
    document = import_module("docling_parse.pdf_parser").DoclingPdfParser(loglevel="fatal").load(str(path))
    for number in range(1, pages + 1):
        yield " ".join(cell.text for cell in document.get_page(number).textline_cells)


def pypdf_text(path: Path, pages: int) -> Iterator[str]:
    """pypdf, plain text."""
    reader = import_module("pypdf").PdfReader(path)
    for number in range(pages):
        yield reader.pages[number].extract_text()


def pdfium_text(path: Path, pages: int) -> Iterator[str]:
    """PDFium's own text, no layout code."""
    document = import_module("pypdfium2").PdfDocument(path)
    for number in range(pages):
        yield document[number].get_textpage().get_text_range()


def _ours(path: Path, pages: int, *, cross_check: bool) -> Iterator[str]:
    line = import_module("ingest.blocks").Line
    reader = import_module("ingest.pages").PageReader(path, cross_check=cross_check)
    for number in range(1, pages + 1):
        items = reader.read(number).layout.items
        yield "\n".join(item.text for item in items if isinstance(item, line))


def ours_text(path: Path, pages: int) -> Iterator[str]:
    """Our pages, without the cross-check."""
    return _ours(path, pages, cross_check=False)


def ours_checked_text(path: Path, pages: int) -> Iterator[str]:
    """Our pages, numbers read twice."""
    return _ours(path, pages, cross_check=True)


TOOLS: dict[str, tuple[str, Callable[[Path, int], Iterator[str]]]] = {
    "ours": ("ingest", ours_text),
    "ours, cross-checked": ("ingest", ours_checked_text),
    "pypdfium2 (raw text)": ("pypdfium2", pdfium_text),
    "pypdf": ("pypdf", pypdf_text),
    "pdfplumber": ("pdfplumber", pdfplumber_text),
    "pdfminer.six": ("pdfminer", pdfminer_text),
    "docling-parse": ("docling_parse", docling_text),
}


def run_tool(name: str, path: Path, truth: Path, pages: int) -> dict[str, float]:
    """In this process: pages a second, peak MB, share of the truth's lines and numbers found on their pages."""
    _, extract = TOOLS[name]
    started = time.perf_counter()
    texts = list(extract(path, pages))
    seconds = time.perf_counter() - started
    lines, numbers = accuracy(texts, truth)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"pages/s": len(texts) / seconds, "MB": megabytes, "lines": lines, "numbers": numbers}


def accuracy(texts: list[str], truth: Path) -> tuple[float, float]:
    """Share of body lines found verbatim on their page, and of their number tokens."""
    with gzip.open(truth) as file:
        pages = json.load(file)["pages"]
    lines = found_lines = numbers = found_numbers = 0
    for text, page in zip(texts, pages, strict=False):
        body = [line[2] for line in page.get("lines", ()) if line[1] == "body" and line[8] is not None]
        flat = _flat(text)
        tokens = Counter(_tokens(flat))
        for line in body:
            lines += 1
            found_lines += _flat(line) in flat
            for token in _tokens(_flat(line)):
                numbers += 1
                found_numbers += tokens[token] > 0
                tokens[token] -= 1
    return found_lines / max(1, lines), found_numbers / max(1, numbers)


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()


def _tokens(text: str) -> list[str]:
    return [token.strip(TRIM) for token in NUMBER.findall(text)]


def main(arguments: list[str]) -> int:
    """One row a tool; each tool in a fresh process, so that memory is its own."""
    if not arguments:
        if not DEFAULT_BOOK.is_file():
            print(f"not here, so nothing was measured: {DEFAULT_BOOK.name}")
            return 0
        arguments = [str(DEFAULT_BOOK), str(DEFAULT_BOOK.with_suffix(".gt.json.gz"))]
    if len(arguments) < 2:
        print(__doc__)
        return 2
    path, truth = Path(arguments[0]), Path(arguments[1])
    pages = int(arguments[2]) if len(arguments) > 2 else DEFAULT_PAGES
    if len(arguments) > 3:
        print(json.dumps(run_tool(arguments[3], path, truth, pages)))
        return 0
    print(f"{'tool':24}{'pages/s':>10}{'peak MB':>10}{'lines':>9}{'numbers':>9}   (one process, {pages} pages)")
    for name, (module, _) in TOOLS.items():
        if find_spec(module) is None:
            print(f"{name:24}not installed")
            continue
        command = [sys.executable, __file__, str(path), str(truth), str(pages), name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name:24}failed: {done.stderr.strip().splitlines()[-1:]}")
            continue
        row = json.loads(done.stdout.splitlines()[-1])
        print(f"{name:24}{row['pages/s']:10.1f}{row['MB']:10.0f}{row['lines']:9.4f}{row['numbers']:9.4f}")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    sys.exit(main(sys.argv[1:]))
