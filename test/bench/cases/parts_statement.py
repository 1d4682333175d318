"""Asks parts over HTTP one statement; its seconds, and its one row."""

import glob
import json
import sys
import time

import duckdb
import duckdb_extension_httpfs

given = json.load(sys.stdin)
(extension,) = glob.glob(f"{duckdb_extension_httpfs.__path__[0]}/extensions/*/httpfs.duckdb_extension")
connection = duckdb.connect()
connection.execute(f"LOAD '{extension}'")
for name in ("base", "changes"):
    connection.execute(f"SET VARIABLE {name} = $1::VARCHAR[]", [given[name]])


began = time.perf_counter()
(row,) = connection.execute(given["statement"]).fetchall()
print(json.dumps([time.perf_counter() - began, row]))
