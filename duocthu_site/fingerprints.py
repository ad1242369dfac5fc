"""The content of the whole database in a few numbers, so that a restored one can be told to be the same.

Each row is hashed as PostgreSQL prints it, and the hashes of a table are added up: whatever the order of the rows, a
row that is missing, doubled or changed shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from psycopg import sql
from pydantic import BaseModel, ConfigDict

# How rows are printed must not depend on the server's or the user's settings.
PRINTING = (
    "SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC'; "
    "SET extra_float_digits = 1; SET bytea_output = 'hex'; SET search_path = ''"
)
# Tables that are not an extension's or PostgreSQL's own.
_OURS = """
SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence <> 't'
AND NOT starts_with(n.nspname::text, 'pg_') AND n.nspname <> 'information_schema'
AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
"""
_TABLES = f"""
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid IN ({_OURS}) ORDER BY 1
"""  # noqa: S608 - made of our own words
# That a column is not null is a constraint from PostgreSQL 18 on only.
_SCHEMA = f"""
SELECT (SELECT count(*) FROM pg_catalog.pg_index WHERE indrelid IN ({_OURS}))
|| ' indexes, ' || (SELECT count(*) FROM pg_catalog.pg_constraint WHERE contype <> 'n' AND conrelid IN ({_OURS}))
|| ' constraints, ' || (SELECT count(*) FROM pg_catalog.pg_trigger WHERE tgrelid IN ({_OURS})) || ' triggers'
"""  # noqa: S608 - made of our own words
_ROW = "('x' || left(encode(sha256(convert_to(whole_row::text, 'UTF8')), 'hex'), 16))::bit(64)::bigint"
_CONTENT = "SELECT count(*) || ' ' || coalesce(sum({row}), 0) FROM {table} AS whole_row"
_COMPARE = """
DO $compare$ BEGIN
IF ({found}) IS DISTINCT FROM {wanted} THEN RAISE EXCEPTION 'differs from the backup: %', {name}; END IF;
END $compare$
"""


class Fingerprint(BaseModel):
    """tables: "schema.name" to the number of its rows and the sum of their hashes; objects: indexes, constraints and
    triggers, counted."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    tables: dict[str, str]
    objects: str

    def rows(self, table: str) -> int:
        """How many rows a table of the schema public has; 0 where there is no such table."""
        return int(self.tables.get(f"public.{table}", "0").split()[0])


def has_tables(cursor: Any) -> bool:
    """Whether anything of ours, or of somebody else, is in the database."""
    cursor.execute(f"SELECT EXISTS ({_OURS})")
    return bool(cursor.fetchone()[0])


def fingerprint_of(cursor: Any) -> Fingerprint:
    """The fingerprint of the database that the cursor is open on, in its transaction, whose settings it changes."""
    cursor.execute(PRINTING.replace("SET ", "SET LOCAL "))
    cursor.execute(_TABLES)
    names = [name for (name,) in cursor.fetchall()]
    tables = {}
    for name in names:
        cursor.execute(_content_of(name))
        tables[name] = str(cursor.fetchone()[0])
    cursor.execute(_SCHEMA)
    return Fingerprint(tables=tables, objects=str(cursor.fetchone()[0]))


def comparison(wanted: Fingerprint) -> Iterator[str]:
    """Statements that fail where the database they run on has another fingerprint."""
    yield PRINTING
    for name, content in wanted.tables.items():
        yield _compare(_content_of(name), content, name)
    yield _compare(_SCHEMA, wanted.objects, "objects")


def _content_of(table: str) -> str:
    return _CONTENT.format(row=_ROW, table=table)


def _compare(found: str, wanted: str, name: str) -> str:
    literals = {"wanted": sql.Literal(wanted).as_string(), "name": sql.Literal(name).as_string()}
    return _COMPARE.format(found=found, **literals)
