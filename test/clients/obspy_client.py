"""Does what the cases on standard input say with ObsPy's FDSN client; prints as JSON what each gave.

A case has `base` and, each optional, `client` (arguments of Client), `show` (print(client)), and
`events` (arguments of get_events).
"""
import io
import json
import os
import sys
import tempfile
import warnings

from obspy import UTCDateTime, read_events
from obspy.clients.fdsn import Client

TIMES = {"starttime", "endtime", "updatedafter"}


def resolved(event):
    """Whether the three preferred ids lead to what is in the event."""
    pairs = [
        (event.preferred_origin_id, event.preferred_origin(), event.origins),
        (event.preferred_magnitude_id, event.preferred_magnitude(), event.magnitudes),
        (
            event.preferred_focal_mechanism_id,
            event.preferred_focal_mechanism(),
            event.focal_mechanisms,
        ),
    ]
    return all(
        (not members and named is None) or any(found is member for member in members)
        for named, found, members in pairs
    )


def as_json(event):
    # Only XML names the preferred ones.
    origin = event.preferred_origin() or event.origins[0]
    magnitude = event.preferred_magnitude() or next(iter(event.magnitudes), None)
    return {
        "id": str(event.resource_id),
        "time": str(origin.time),
        "latitude": origin.latitude,
        "longitude": origin.longitude,
        "depth": None if origin.depth is None else origin.depth / 1000,
        "magnitude": None if magnitude is None else magnitude.mag,
        "magnitude_type": None if magnitude is None else magnitude.magnitude_type,
        "event_type": event.event_type,
        "description": [text.text for text in event.event_descriptions],
        "resolved": resolved(event),
    }


def events_of(client, given):
    arguments = {
        name: UTCDateTime(value) if name in TIMES else value for name, value in given.items()
    }
    if not arguments.pop("filename", False):
        return client.get_events(**arguments)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "events")
        client.get_events(filename=path, **arguments)
        return read_events(path)


def run(case):
    result = {}
    try:
        client = Client(case["base"], **case.get("client", {}))
        result["services"] = sorted(
            name for name in client.services if not name.startswith("available_")
        )
        result["catalogs"] = sorted(client.services.get("available_event_catalogs", []))
        result["contributors"] = sorted(client.services.get("available_event_contributors", []))
        if case.get("show"):
            result["shown"] = str(client)
        if "events" in case:
            result["events"] = [as_json(event) for event in events_of(client, case["events"])]
    except Exception as error:
        result["error"] = type(error).__name__
        result["message"] = str(error)
    return result


def main():
    results = []
    for case in json.load(sys.stdin):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            said, sys.stdout = sys.stdout, io.StringIO()
            try:
                result = run(case)
            finally:
                printed, sys.stdout = sys.stdout.getvalue(), said
        result["printed"] = printed
        result["warnings"] = [str(warning.message) for warning in caught]
        results.append(result)
    json.dump(results, sys.stdout)


main()
