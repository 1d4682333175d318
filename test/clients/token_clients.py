"""Reads an event service with an access token, by ObsPy and by pandas; prints as JSON what each found.

Standard input has `base`, and the token's `id` and `secret`.
"""
import base64
import json
import sys

import pandas
from obspy.clients.fdsn import Client

given = json.load(sys.stdin)
base, token, secret = given["base"], given["id"], given["secret"]


def refused(*args, **kwargs):
    """What ObsPy says to whoever is not let in."""
    try:
        Client(*args, **kwargs).get_events()
    except Exception as error:
        return type(error).__name__
    return None


client = Client(base, user=token, password=secret)
basic = base64.b64encode(f"script:{secret}".encode()).decode()
table = pandas.read_csv(
    f"{base}/fdsnws/event/1/query?format=csv",
    storage_options={"Authorization": f"Basic {basic}"},
)
listed = pandas.read_json(
    f"{base}/fdsnws/event/1/query?format=geojson",
    storage_options={"Authorization": f"Bearer {secret}"},
    typ="series",
)
print(
    json.dumps(
        {
            "services": sorted(client.services),
            "events": len(client.get_events()),
            "twice": len(client.get_events(limit=1)),
            "rows": len(table),
            "features": len(listed["features"]),
            "without": refused(base),
            "wrong": refused(base, user=token, password="eqc_wrong"),
        }
    )
)
