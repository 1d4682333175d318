"""Reads documents of QuakeML with ObsPy; prints as JSON what it makes of them.

On standard input: `before` and, optional, `after`, documents. Printed: `rewritten`, `before` as ObsPy
writes it; and where there is `after`, `equal`, whether ObsPy takes the events of both for equal, `extra`,
whether what it keeps beside QuakeML is equal too, and `events`, how many there are.
"""
import io
import json
import sys
import warnings

from obspy import read_events
from obspy.core.event import ResourceIdentifier

warnings.simplefilter("ignore")


def events_of(document):
    """The events of a document in order of their ids: in a catalogue they have an order of its own."""
    events = read_events(io.BytesIO(document.encode()), format="QUAKEML").events
    return sorted(events, key=lambda event: event.resource_id.id)


def extras(thing, path=""):
    """Every `extra` of a thing and of what it holds, with where it stands."""
    if isinstance(thing, (list, tuple)):
        for place, member in enumerate(thing):
            yield from extras(member, f"{path}[{place}]")
    elif type(thing).__module__.startswith("obspy.core.event"):
        if isinstance(thing, ResourceIdentifier):
            return
        for name, value in vars(thing).items():
            if name == "extra":
                yield path, plain(value)
            else:
                yield from extras(value, f"{path}.{name}")


def plain(extra):
    """A foreign part without its prefix, which is not kept."""
    if isinstance(extra, list):
        return [plain(member) for member in extra]
    if isinstance(extra, dict):
        return {name: plain(value) for name, value in extra.items()}
    return str(extra).strip()


given = json.load(sys.stdin)
before = events_of(given["before"])
written = io.BytesIO()
read_events(io.BytesIO(given["before"].encode()), format="QUAKEML").write(written, format="QUAKEML")
answer = {"rewritten": written.getvalue().decode()}
if "after" in given:
    after = events_of(given["after"])
    answer["events"] = len(before)
    answer["equal"] = before == after
    answer["extra"] = list(extras(before)) == list(extras(after))
json.dump(answer, sys.stdout)
