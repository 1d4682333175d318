"""Asks a service with ObsPy's client for an event with each set of flags; prints as JSON what is in each answer.

On standard input: `base` (of the event service) and `sets` (lists of names of parameters that are true).
"""
import json
import sys
import warnings

from obspy.clients.fdsn import Client
from obspy.core.event import ResourceIdentifier

warnings.simplefilter("ignore")


def references(thing, inside=None):
    """The references of a thing and of what it holds: names of members that end in `_id`, with their ids."""
    if isinstance(thing, (list, tuple)):
        for member in thing:
            yield from references(member, inside)
    elif type(thing).__module__.startswith("obspy.core.event"):
        for name, value in vars(thing).items():
            if isinstance(value, ResourceIdentifier):
                if name in LINKS:
                    yield name, value.id
            else:
                yield from references(value, name)


LINKS = {
    "preferred_origin_id",
    "preferred_magnitude_id",
    "preferred_focal_mechanism_id",
    "pick_id",
    "origin_id",
    "amplitude_id",
    "station_magnitude_id",
    "triggering_origin_id",
    "derived_origin_id",
    "moment_magnitude_id",
}


def ids_of(event):
    lists = [
        event.origins,
        event.magnitudes,
        event.station_magnitudes,
        event.amplitudes,
        event.picks,
        event.focal_mechanisms,
    ]
    return {thing.resource_id.id for things in lists for thing in things}


def comments_of(event):
    arrivals = [arrival for origin in event.origins for arrival in origin.arrivals]
    commented = [event, *event.origins, *event.magnitudes, *event.picks, *arrivals]
    return sum(len(thing.comments) for thing in commented)


asked = json.load(sys.stdin)
client = Client(asked["base"])
answers = []
for flags in asked["sets"]:
    (event,) = client.get_events(**{flag: True for flag in flags})
    there = ids_of(event)
    answers.append(
        {
            "flags": flags,
            "origins": len(event.origins),
            "magnitudes": len(event.magnitudes),
            "picks": len(event.picks),
            "arrivals": sum(len(origin.arrivals) for origin in event.origins),
            "amplitudes": len(event.amplitudes),
            "stationMagnitudes": len(event.station_magnitudes),
            "comments": comments_of(event),
            "dangling": [f"{name} {id}" for name, id in references(event) if id not in there],
        }
    )
json.dump(answers, sys.stdout)
