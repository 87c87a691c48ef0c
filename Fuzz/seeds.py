#!/usr/bin/env python3
"""Writes a seed corpus per fuzz target from Tests/Vectors: seeds.py OUTPUT (one folder per target is made there).

Of the recorded packets only the first of each shape is kept, so that the corpus stays small.
"""
import hashlib
import json
import pathlib
import struct
import sys

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "Tests" / "Vectors"


def datagrams(path):
    """The UDP payloads of a classic little-endian LINKTYPE_RAW capture."""
    data = path.read_bytes()
    offset = 24
    while offset + 16 <= len(data):
        length = struct.unpack_from("<I", data, offset + 8)[0]
        yield data[offset + 16 + 28 : offset + 16 + length]
        offset += 16 + length


def is_rtcp(packet):
    return 192 <= packet[1] <= 223


def header_length(packet):
    """Length of an RTP header, and the identifiers of its extension elements."""
    offset = 12 + 4 * (packet[0] & 15)
    if not packet[0] & 0x10:
        return offset, ()
    profile, words = struct.unpack_from(">HH", packet, offset)
    at, end, ids = offset + 4, offset + 4 + 4 * words, []
    while at < end:
        if packet[at] == 0:
            at += 1
        elif profile == 0xBEDE:
            ids.append(packet[at] >> 4)
            at += 2 + (packet[at] & 15)
        else:
            ids.append(packet[at])
            at += 2 + packet[at + 1]
    return end, (profile, *ids)


def rtcp_shape(packet):
    shape, at = [], 0
    while at + 4 <= len(packet):
        words = struct.unpack_from(">H", packet, at + 2)[0]
        shape.append((packet[at] & 0x3F, packet[at + 1], min(words, 12)))
        at += 4 + 4 * words
    return tuple(shape)


def stun_messages():
    for path in sorted(VECTORS.glob("stun-*.json")):
        content = json.loads(path.read_text())
        sets = [content] if "vectors" in content else content["sessions"]
        for one in sets:
            for message in one.get("vectors", []) + one.get("messages", []):
                yield bytes.fromhex(message["hex"])


def candidates():
    for path in sorted((VECTORS / "sdp").glob("*.sdp")):
        for line in path.read_bytes().splitlines():
            if line.startswith(b"a=candidate:"):
                yield line[2:]


# Transport-wide feedback with every kind of chunk, wraps, negative deltas, and the ways in which it can be wrong.
TRANSPORT_FEEDBACK = (
    "afcd0007 00000001 00000002 00100017 fffffe07 2002a000e100 01ff038001040000 0002",
    "8fcd0005 00000001 00000002 ffff0002 fffffe07 bfff0102",
    "8fcd0005 00000001 00000002 0010fff0 7fffff07 1fff1fff",
    "8fcd0005 00000001 00000002 00100001 fffffe07 60010000",
    "8fcd0005 00000001 00000002 00100001 fffffe07 20000000",
)


def shapes():
    """Yields (target, shape, bytes): of equal shapes the first is kept."""
    for path in sorted(VECTORS.glob("*.rtp.pcap")):
        for packet in datagrams(path):
            if is_rtcp(packet):
                yield "rtcp", rtcp_shape(packet), packet
                continue
            length, ids = header_length(packet)
            yield "rtp", (packet[0], packet[1] & 127, ids), packet[: length + 40]
            payload = packet[length:]
            if path.name.startswith("vp8") and packet[1] & 127 == 96:
                yield "vp8", (payload[:2], len(payload) > 100), payload[:64]
            if path.name.startswith("opus-red") and packet[1] & 127 == 63:
                yield "red", payload[:1], payload[:200]
            if packet[1] & 127 == 111:
                yield "opus", payload[:1], payload[:32]
    for text in TRANSPORT_FEEDBACK:
        yield "rtcp", text, bytes.fromhex(text.replace(" ", ""))
    for message in stun_messages():
        yield "stun", (message[:2], len(message)), message
    for path in sorted((VECTORS / "sdp").glob("*.sdp")):
        if path.stat().st_size < 6000:
            yield "sdp", path.name, path.read_bytes()
    for candidate in candidates():
        yield "sdp", candidate.split()[2:8:5], candidate


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: seeds.py OUTPUT")
    output, seen = pathlib.Path(sys.argv[1]), set()
    for target, shape, data in shapes():
        key = (target, repr(shape))
        if key in seen:
            continue
        seen.add(key)
        folder = output / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


main()
