"""Reads the ISF on standard input, a JSON string, with ObsPy; prints as JSON what each event has."""
import io
import json
import sys

from obspy import read_events


def as_json(event):
    preferred = event.preferred_origin()
    return {
        "type": event.event_type,
        "region": event.event_descriptions[0].text,
        "origins": [
            [str(o.time), o.latitude, o.longitude, o.depth, len(o.arrivals)] for o in event.origins
        ],
        "preferred": str(preferred.time),
        "magnitudes": [[m.magnitude_type, m.mag] for m in event.magnitudes],
        "picks": [
            [p.waveform_id.station_code, p.phase_hint, p.time and str(p.time)] for p in event.picks
        ],
    }


file = io.BytesIO(json.load(sys.stdin).encode())
json.dump([as_json(event) for event in read_events(file, format="IMS10BULLETIN")], sys.stdout)
