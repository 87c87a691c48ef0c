#!/usr/bin/env python3
"""An aiortc peer for data channels, driven over standard input and output.

Reads one line {"sdp": offer}, prints one line {"sdp": answer}, echoes every message of the other side's channels, and opens a
channel "py" of its own on which it sends 50 short messages and one of 150,000 bytes. On the next input line it prints what it
saw as one line of JSON and ends.
"""
import asyncio
import json
import sys

from aiortc import RTCPeerConnection, RTCSessionDescription


async def line():
    return await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


async def main():
    connection = RTCPeerConnection()
    seen = {"received": 0, "bytes": 0, "channels": [], "closed": []}

    @connection.on("datachannel")
    def opened(channel):
        seen["channels"].append([channel.label, channel.id, channel.ordered, channel.maxRetransmits])

        @channel.on("message")
        def echo(message):
            seen["received"] += 1
            seen["bytes"] += len(message)
            channel.send(message)

        @channel.on("close")
        def closed():
            seen["closed"].append(channel.label)

    own = connection.createDataChannel("py", ordered=False, maxRetransmits=3)

    @own.on("open")
    def send():
        for number in range(50):
            own.send(f"m{number}")
        own.send(bytes(150_000))

    offer = json.loads(await line())["sdp"]
    await connection.setRemoteDescription(RTCSessionDescription(sdp=offer, type="offer"))
    await connection.setLocalDescription(await connection.createAnswer())
    print(json.dumps({"sdp": connection.localDescription.sdp}), flush=True)
    await line()
    print(json.dumps(seen), flush=True)
    await connection.close()


asyncio.run(main())
