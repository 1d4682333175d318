"""The base of an event service is the argument; prints what ObsPy reads of it."""
import sys

from obspy.clients.fdsn import Client

client = Client(sys.argv[1])
print(client.get_events(orderby="magnitude", limit=5))
print(client)
