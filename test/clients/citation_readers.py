"""Reads citations with the field's parsers, and holds them against published schemas."""
import json
import sys
from pathlib import Path

import bibtexparser
import jsonschema_rs
import rispy
import yaml
from pylatexenc.latex2text import LatexNodes2Text


def schema(package, *path):
    # The packages are not imported: they want others that are not installed.
    [folder] = [Path(entry) / package for entry in sys.path if (Path(entry) / package).is_dir()]
    return jsonschema_rs.validator_for(json.loads(folder.joinpath(*path).read_text()))


DATACITE = schema("datacite", "schemas", "datacite-v4.5.json")
CFF = schema("cffconvert", "schemas", "1.2.0", "schema.json")


def faults(validator, document):
    return [error.message for error in validator.iter_errors(document)]


def from_latex(text):
    # Macros of LaTeX that the reader does not know.
    for macro, mark in (("textbraceleft", "{"), ("textbraceright", "}")):
        text = text.replace(f"\\{macro}{{}}", f"\\{mark}")
    read = LatexNodes2Text(keep_comments=True).latex_to_text(text)
    return read.replace("ˆ", "^").replace("˜", "~").replace("ˋ", "`")


def read(citation):
    datacite = json.loads(citation["datacite"])
    # Without this the loader makes a date of a date.
    cff = yaml.load(citation["cff"], Loader=yaml.BaseLoader)
    bibtex = bibtexparser.parse_string(citation["bibtex"])
    [block] = bibtex.entries
    entry = {field.key: field.value for field in block.fields}
    [ris] = rispy.loads(citation["ris"])
    return {
        "datacite": {"faults": faults(DATACITE, datacite), "title": datacite["titles"][0]["title"]},
        "cff": {
            "faults": faults(CFF, cff),
            "title": cff["title"],
            "abstract": cff.get("abstract"),
            "authors": len(cff["authors"]),
        },
        "bibtex": {
            "failed": len(bibtex.failed_blocks),
            "title": from_latex(entry["title"][1:-1]),
            "year": entry["year"],
            "doi": entry.get("doi"),
        },
        "ris": {"title": ris["title"], "authors": ris.get("authors", []), "type": ris["type_of_reference"]},
    }


print(json.dumps([read(citation) for citation in json.load(sys.stdin)]))
