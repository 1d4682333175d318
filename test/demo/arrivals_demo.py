"""The base of an event service is the argument; prints the arrivals of an event that ObsPy reads of it."""
import sys

from obspy.clients.fdsn import Client

(event,) = Client(sys.argv[1]).get_events(limit=1, includearrivals=True)
origin = event.preferred_origin()
print(f"{len(origin.arrivals)} arrivals of {origin.time}")
for arrival in origin.arrivals[:10]:
    pick = arrival.pick_id.get_referred_object()
    print(f"  {pick.waveform_id.get_seed_string():18} {arrival.phase:4} {pick.time}  {arrival.time_residual} s")
