"""Reads a public catalogue as programs of the field do; prints as JSON what they work with.

On standard input: `base`, the address of the catalogue's event service. Printed: `channels`, the codes of
the waveforms for which EQcorrscan asks to make templates, read of the picks as its
`core/template_gen.py` does; `rows`, SeismoStats' table of the events, a column for each type of magnitude.
"""
import importlib.util
import json
import sys
import types
import urllib.request
import warnings
from pathlib import Path

from obspy.clients.fdsn import Client

warnings.simplefilter("ignore")

# Only SeismoStats' reader: the package as a whole draws maps, with libraries that are not needed here.
package = types.ModuleType("seismostats")
package.__path__ = [str(Path(importlib.util.find_spec("seismostats").origin).parent)]
sys.modules["seismostats"] = package
from seismostats.io.parser import parse_quakeml

asked = json.load(sys.stdin)


def channels_of(events):
    """A code that is missing is no text, and so an error here as there."""
    codes = set()
    for event in sorted(events, key=lambda one: one.origins[0].time):
        for pick in event.picks:
            waveform = pick.waveform_id
            codes.add(
                (
                    waveform.network_code,
                    waveform.station_code,
                    waveform.location_code,
                    waveform.channel_code,
                )
            )
    return [".".join(code) for code in sorted(codes)]


events = Client(asked["base"]).get_events(includearrivals=True)
with urllib.request.urlopen(f"{asked['base']}/fdsnws/event/1/query?includeallmagnitudes=true") as answer:
    rows = parse_quakeml(answer.read().decode(), include_all_magnitudes=True)
json.dump({"channels": channels_of(events), "rows": rows}, sys.stdout)
