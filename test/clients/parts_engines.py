"""Runs what contracts/docs/parts.md shows, unchanged but for the address, the folder and the version."""

import glob
import json
import sys

import duckdb
import pandas
import polars

given = json.load(sys.stdin)
SHOWN, FOLDER = "https://catalogues.example.org/api/share/SECRET/parts/", "DIR/ID"


def extension(name):
    """An extension from the registry of Python's packages, in place of the one that INSTALL loads."""
    package = __import__(f"duckdb_extension_{name}")
    (path,) = glob.glob(f"{package.__path__[0]}/extensions/*/{name}.duckdb_extension")
    return f"LOAD '{path}';"


def placed(text):
    return text.replace(SHOWN, given["address"]).replace(FOLDER, given["folder"])


def by_duckdb(version):
    sql = placed(given["sql"]).replace("INSTALL httpfs;", "").replace("LOAD httpfs;", extension("httpfs"))
    latest = "getvariable('manifest').version"
    assert sql.count(f"version = {latest}") == 1
    sql = sql.replace(f"version = {latest}", f"version = {version}")
    return duckdb.connect().execute(sql).fetchall()[0]


def by_polars(version):
    code = placed(given["python"]).replace('version = manifest["version"]', f"version = {version}")
    names = {"print": lambda *_: None}
    exec(code, names)
    return names["events"].select(polars.len(), polars.mean("magnitude")).collect().row(0)


def by_ducklake():
    connection = duckdb.connect()
    connection.execute(extension("ducklake"))
    connection.execute(f"ATTACH 'ducklake:{given['work']}/lake.db' AS lake (DATA_PATH '{given['work']}/lake')")
    for statement in given["ducklake"]:
        connection.execute(placed(statement))
    return connection.execute("SELECT count(*), avg(magnitude) FROM lake.events").fetchall()[0]


def by_pandas():
    rows = eval(placed(given["pandas"]), {"pandas": pandas})
    return len(rows), rows["magnitude"].mean()


print(
    json.dumps(
        {
            "duckdb": [by_duckdb(version) for version in given["versions"]],
            "polars": [by_polars(version) for version in given["versions"]],
            "ducklake": by_ducklake(),
            "pandas": by_pandas(),
        }
    )
)
