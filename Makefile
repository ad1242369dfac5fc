# The commands of Dược thư; "make run" and "make test" need nothing but Python >= 3.11 and make.

SHELL := /bin/sh
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/requirements.stamp
PDF ?=
BENCHES := $(wildcard bench/*.py)
# These take half an hour and more: they are asked for by name.
LONG := bench/kills.py bench/hostile.py
LOAD := bench/load.py
SOURCES := manage.py duocthu_site monographs ingest chat tests $(BENCHES)

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help install run demo-bedrock staff test check bench bench-faults bench-load backup restore eval contract sample lock clean reset

help:
	@echo "make run [PDF=đường/dẫn.pdf]  chạy Dược thư (PORT mặc định 8000)"
	@echo "make demo-bedrock             chạy thử đường trả lời có mô hình, không cần tài khoản (không có mô hình thật)"
	@echo "make staff                    tạo tài khoản quản trị"
	@echo "make test | check             chạy bộ kiểm thử | kiểm tra mã nguồn"
	@echo "make bench | eval             đo tốc độ | đo chất lượng trả lời"
	@echo "make bench-faults             giết tiến trình giữa chừng, nạp PDF hỏng (khoảng một giờ)"
	@echo "make bench-load               50 người dùng cùng lúc, ba phút (nạp sách trước đó)"
	@echo "make backup | restore DIR=…   sao lưu | phục hồi vào cơ sở dữ liệu rỗng"
	@echo "make sample | lock            sắp chữ lại dược thư mẫu | khoá lại các gói"
	@echo "make contract                 ghi lại lược đồ JSON của câu trả lời (docs/contract.schema.json)"
	@echo "make clean | reset            xoá tệp tạm | xoá cả dữ liệu của chế độ nhúng (var/)"

# The virtual environment is made again where its Python is gone, and filled again where the lock changed.
$(STAMP): requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Cần Python 3.11 trở lên (PYTHON=…). / Python 3.11 or newer is needed (PYTHON=…)."; exit 1; }
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.txt
	@touch $@

install: $(STAMP)

run: $(STAMP)
	@exec $(BIN)/python -m duocthu_site.supervisor $(if $(PDF),--pdf "$(PDF)")

demo-bedrock: $(STAMP)
	@exec $(BIN)/python -m duocthu_site.demo_bedrock

staff: $(STAMP)
	@exec $(BIN)/python manage.py createsuperuser

test: $(STAMP)
	@$(BIN)/python -m tests.chromium || test -z "$$CI"
	$(BIN)/python -m pytest $(ARGS)

check: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy $(SOURCES)
	$(BIN)/lint-imports --no-logo
	find templates -name '*.html' -exec $(BIN)/djade --check --target-version 5.2 {} +
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run
	@$(BIN)/python -m tests.audit

bench: $(STAMP)
	@set -e; for script in $(filter-out $(LONG) $(LOAD),$(BENCHES)); do echo "== $$script"; $(BIN)/python "$$script"; done

bench-faults: $(STAMP)
	@set -e; for script in $(LONG); do echo "== $$script"; $(BIN)/python "$$script"; done

bench-load: $(STAMP)
	@$(BIN)/python $(LOAD)

backup restore: $(STAMP)
	@test -n "$(DIR)" || { echo "Thiếu DIR=thư/mục."; exit 1; }
	@exec $(BIN)/python manage.py $@ "$(DIR)"

eval: $(STAMP)
	@exec $(BIN)/python manage.py eval

contract: $(STAMP)
	$(BIN)/python manage.py contract_schema --write docs/contract.schema.json

sample: $(STAMP)
	$(BIN)/python -m ingest.sample.build

lock: $(STAMP)
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --python-version 3.11 --extra dev pyproject.toml --output-file requirements.txt

clean:
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis test-results var/test
	find . -name __pycache__ -not -path './.venv/*' -type d -exec rm -rf {} +

reset: clean
	@printf 'Xoá mọi dữ liệu trong var/? [c/K] '; read answer; test "$$answer" = c && rm -rf var
