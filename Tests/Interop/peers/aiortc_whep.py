#!/usr/bin/env python3
"""aiortc as a viewer by WHEP: an offer by POST, the end by DELETE; prints one JSON line about what it saw and heard.

  aiortc_whep.py --endpoint http://127.0.0.1:7880/whep/room --token TOKEN --seconds 5
"""
import argparse
import asyncio
import json
import time
import urllib.parse

import aiohttp
import numpy as np
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from peer_media import AudioMeter, VideoMeter


class Viewer:
    """One session, and a meter for each track."""

    def __init__(self):
        self.pc = RTCPeerConnection()
        self.begun = time.time()
        self.meters, self.tasks = [], []
        self.pc.on("track", self.take)

    def take(self, track):
        meter = VideoMeter(self.begun) if track.kind == "video" else AudioMeter(self.begun)
        self.meters.append((track.kind, meter))
        self.tasks.append(asyncio.ensure_future(self.measure(track, meter)))

    @staticmethod
    async def measure(track, meter):
        try:
            while True:
                frame = await track.recv()
                if track.kind == "video":
                    flat = frame.reformat(format="yuv420p").to_ndarray().reshape(-1)
                    size, quarter = frame.width * frame.height, (frame.width // 2) * (frame.height // 2)
                    luma = flat[:size].reshape(frame.height, frame.width)
                    meter.add(luma, float(flat[size:size + quarter].mean()), float(flat[size + quarter:size + 2 * quarter].mean()))
                else:
                    samples, channels = frame.to_ndarray().reshape(-1), len(frame.layout.channels)
                    meter.add((samples[::channels] if frame.format.is_packed else samples[:len(samples) // channels]).astype(np.int16))
        except MediaStreamError:
            pass

    async def watch(self, endpoint, token, seconds):
        for kind in ("audio", "video"):
            self.pc.addTransceiver(kind, direction="recvonly")
        await self.pc.setLocalDescription(await self.pc.createOffer())
        bearer = {"Authorization": f"Bearer {token}"}
        async with aiohttp.ClientSession() as http:
            headers = {**bearer, "Content-Type": "application/sdp"}
            async with http.post(endpoint, data=self.pc.localDescription.sdp, headers=headers) as answer:
                status, location, text = answer.status, answer.headers.get("Location", ""), await answer.text()
            if status != 201:
                return {"status": status, "text": text, "tracks": []}
            await self.pc.setRemoteDescription(RTCSessionDescription(text, "answer"))
            await asyncio.sleep(seconds)
            tracks = [{"kind": kind, **meter.report()} for kind, meter in self.meters]
            async with http.delete(urllib.parse.urljoin(endpoint, location), headers=bearer) as answer:
                ended = answer.status
        return {"status": status, "ended": ended, "state": self.pc.connectionState, "tracks": tracks}

    async def close(self):
        for task in self.tasks:
            task.cancel()
        await self.pc.close()


async def run(arguments):
    viewer = Viewer()
    try:
        print(json.dumps(await viewer.watch(arguments.endpoint, arguments.token, arguments.seconds)), flush=True)
    finally:
        await viewer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    asyncio.run(run(parser.parse_args()))
