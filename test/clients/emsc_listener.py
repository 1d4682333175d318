"""Listens to a feed as listeners of EMSC's do, with Tornado's WebSocket client.

Standard input has the feed's `url` and the `count` of messages after which it stops. Like EMSC's own
listener it takes each message for an event with all its properties and shows them in columns. Prints as
JSON the lines that it shows, and the coordinates.
"""
import asyncio
import json
import sys

from tornado.websocket import websocket_connect

LINE = "{action:7} event from {auth:7}, unid:{unid}, T0:{time}, Mag:{mag}, Region: {flynn_region}"


async def listen(url, count):
    # Pings are often enough that some are answered while it waits.
    connection = await websocket_connect(url, ping_interval=1)
    shown = []
    while len(shown) < count:
        message = await connection.read_message()
        if message is None:
            break
        told = json.loads(message)
        information = {**told["data"]["properties"], "action": told["action"]}
        coordinates = told["data"]["geometry"]["coordinates"]
        shown.append({"line": LINE.format(**information), "coordinates": coordinates})
    connection.close()
    return shown


given = json.load(sys.stdin)
print(json.dumps(asyncio.run(listen(given["url"], given["count"]))))
