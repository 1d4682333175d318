"""Seconds that ObsPy takes to read the QuakeML file named on standard input, and its events."""

import json
import sys
import time

from obspy import read_events

path = json.load(sys.stdin)
began = time.perf_counter()
events = len(read_events(path, format="QUAKEML"))
print(json.dumps({"seconds": time.perf_counter() - began, "events": events}))
