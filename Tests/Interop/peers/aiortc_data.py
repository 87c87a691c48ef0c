#!/usr/bin/env python3
"""An aiortc peer for data channels, driven over standard input and output.

Reads one line {"sdp": offer}, prints one line {"sdp": answer}, echoes every message of the other side's channels, and opens a
channel "py" of its own on which it sends 50 short messages and one of 150,000 bytes. On the next input line it prints what it
saw as one line of JSON and ends.

With `--hidden` its host addresses are hidden behind names of the local network, as browsers do it, for which python-zeroconf answers.
"""
import asyncio
import json
import socket
import sys
import uuid

from aiortc import RTCPeerConnection, RTCSessionDescription


async def line():
    return await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


async def hide(sdp):
    """The description with a name in the place of each host address, and what answers for the names."""
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf
    names, lines = {}, []
    for text in sdp.splitlines():
        parts = text.split(" ")
        if text.startswith("a=candidate:") and parts[7] == "host":
            parts[4] = names.setdefault(parts[4], f"{uuid.uuid4()}.local")
        lines.append(" ".join(parts))
    responder = AsyncZeroconf()
    for address, name in names.items():
        packed = socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
        await (await responder.async_register_service(AsyncServiceInfo(
            "_hidden._udp.local.", f"{name[:8]}._hidden._udp.local.", 9, addresses=[packed], server=f"{name}.")))
    return "\r\n".join(lines) + "\r\n", responder


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
    sdp, responder = connection.localDescription.sdp, None
    if "--hidden" in sys.argv:
        sdp, responder = await hide(sdp)
    print(json.dumps({"sdp": sdp}), flush=True)
    await line()
    print(json.dumps(seen), flush=True)
    if responder:
        await responder.async_close()
    await connection.close()


asyncio.run(main())
