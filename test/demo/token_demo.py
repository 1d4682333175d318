"""Reads a restricted catalogue by ObsPy and pandas: the arguments are base, and a token's id and secret."""
import base64
import sys

import pandas
from obspy.clients.fdsn import Client

base, token, secret = sys.argv[1:]
print(Client(base, user=token, password=secret).get_events(orderby="magnitude", limit=3))
basic = base64.b64encode(f"script:{secret}".encode()).decode()
table = pandas.read_csv(
    f"{base}/fdsnws/event/1/query?format=csv&orderby=magnitude&limit=3",
    storage_options={"Authorization": f"Basic {basic}"},
)
print(table[["time", "latitude", "longitude", "depth", "mag"]])
