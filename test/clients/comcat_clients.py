"""Asks a service as ComCat's clients do, libcomcat and pyCSEP; prints as JSON what they give.

On standard input: `host` (with a path), `start` and `end` (ISO 8601).
"""
import json
import math
import sys
import time
from datetime import datetime

import csep.utils.comcat
import libcomcat.classes
import libcomcat.search
from csep.utils import readers

asked = json.load(sys.stdin)
host = asked["host"]
start = datetime.fromisoformat(asked["start"])
end = datetime.fromisoformat(asked["end"])


def known(value):
    """The value as JSON has it, where what is not known is null."""
    if isinstance(value, datetime):
        return str(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def plain(fields):
    return {name: known(value) for name, value in fields.items()}


took = {}


def timed(name, ask):
    started = time.monotonic()
    answer = ask()
    took[name] = time.monotonic() - started
    return answer


summaries = libcomcat.search.search(starttime=start, endtime=end, minmagnitude=4, host=host)
everything = libcomcat.search.search(
    starttime=start, endtime=end, host=host, enable_limit=True, limit=20000, eventtype=None
)
details = [summary.getDetailEvent() for summary in everything]
# The address for a single event is fixed, unlike the host of a search.
libcomcat.classes.URL_TEMPLATE = f"https://{host}/feed/v1.0/detail/[EVENTID].geojson"
by_id = libcomcat.search.get_event_by_id(asked["id"], host=host)
with_superseded = libcomcat.search.get_event_by_id(asked["id"], includesuperseded=True, host=host)
forecast = readers._query_comcat(
    start,
    end,
    min_magnitude=0,
    min_latitude=-90,
    max_latitude=90,
    min_longitude=-180,
    max_longitude=180,
    extra_comcat_params={"host": host},
)
searched = csep.utils.comcat.search(
    starttime=start, endtime=end, minmagnitude=0, mindepth=-100, maxdepth=1000, host=host
)
json.dump(
    {
        "summaries": [plain(summary.toDict()) for summary in summaries],
        "everything": [plain(summary.toDict()) for summary in everything],
        "details": [plain(detail.toDict()) for detail in details],
        "byId": plain(by_id.toDict()),
        "withSuperseded": plain(with_superseded.toDict()),
        "forecast": [[event.id, known(event.depth), event.magnitude] for event in forecast],
        "searched": [event.id for event in searched],
    },
    sys.stdout,
)
