#!/usr/bin/env python3
"""Writes a seed corpus per fuzz target from Tests/Vectors: seeds.py OUTPUT (one folder per target is made there).

Of the recorded packets only the first of each shape is kept, so that the corpus stays small.
"""
import base64
import gzip
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


def descriptor_id(path):
    """The identifier of the dependency descriptor in a capture."""
    facts = json.loads(path.with_name(path.name.replace(".rtp.pcap", ".facts.json")).read_text())
    return next((int(k) for k, v in facts["offerExtmap"].items() if "dependency-descriptor" in v[0]), 0)


def element(packet, wanted):
    """The data of an extension element; empty where there is none."""
    offset = 12 + 4 * (packet[0] & 15)
    if not packet[0] & 0x10:
        return b""
    profile, words = struct.unpack_from(">HH", packet, offset)
    at, end = offset + 4, offset + 4 + 4 * words
    while at < end:
        if packet[at] == 0:
            at += 1
            continue
        one = profile == 0xBEDE
        number, length, head = (packet[at] >> 4, 1 + (packet[at] & 15), 1) if one else (packet[at], packet[at + 1], 2)
        if number == wanted:
            return packet[at + head : at + head + length]
        at += head + length
    return b""


def rtcp_shape(packet):
    shape, at = [], 0
    while at + 4 <= len(packet):
        words = struct.unpack_from(">H", packet, at + 2)[0]
        shape.append((packet[at] & 0x3F, packet[at + 1], min(words, 12)))
        at += 4 + 4 * words
    return tuple(shape)


def sctp_shape(packet):
    shape, at = [], 12
    while at + 4 <= len(packet):
        length = struct.unpack_from(">H", packet, at + 2)[0]
        shape.append((packet[at], packet[at + 1], min(length, 40)))
        at += (max(length, 4) + 3) & ~3
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


def field(number, value):
    """One protobuf field: an integer, or something with a length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def signalling():
    """Messages of LiveKit's clients; the first byte chooses the reader."""
    description = field(1, b"offer") + field(2, b"v=0\r\n") + field(3, 7)
    add_track = field(1, b"cid") + field(3, 1) + field(9, field(1, 2) + field(2, 1280) + field(3, 720))
    sync = field(1, description) + field(3, field(1, b"cid") + field(2, field(1, b"TR_1"))) + field(6, b"TR_2")
    sync += field(7, field(1, b"PA_1") + field(2, 9))
    for number, content in (
        (1, description), (2, description), (3, field(1, b'{"candidate":""}') + field(3, 1)), (4, add_track),
        (5, field(1, b"TR_1") + field(2, 1)), (6, field(1, b"TR_1") + field(3, field(1, b"PA_1") + field(2, b"TR_1"))),
        (7, field(1, b"TR_1") + field(4, 2)), (8, field(2, 1) + field(3, 2)), (11, field(1, 1)), (12, sync),
        (13, field(2, 1)), (15, field(1, b"m") + field(3, field(1, b"k") + field(2, b"v"))), (16, field(1, 5)),
        (17, field(1, b"TR_1") + field(2, b"\x00\x01")), (23, b"")):
        yield bytes([0]) + field(number, content)
    yield bytes([0]) + field(14, 1234567)
    for text in ('{"pingReq":{"timestamp":"5"}}', '{"offer":{"type":"offer","sdp":"v=0","id":1}}',
                 '{"updateMetadata":{"attributes":{"a":"b"}},"later":[1,{"x":null}]}'):
        yield bytes([1]) + text.encode()
    join = field(1, field(1, 9) + field(3, 17)) + field(2, field(1, 1)) + field(6, description) + field(9, b"PA_1")
    for wrapped in (field(2, join), field(1, 1) + field(2, gzip.compress(join * 4, mtime=0))):
        yield bytes([2]) + wrapped
        yield bytes([3]) + base64.b64encode(wrapped)
    parts = [base64.urlsafe_b64encode(part).rstrip(b"=") for part in (
        b'{"alg":"HS256","typ":"JWT"}', b'{"iss":"key","sub":"a","exp":1800000000,"video":{"room":"r","roomJoin":true}}', b"x" * 32)]
    yield bytes([4]) + b".".join(parts)


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
            chosen = {("vp9", 98): 0, ("h26", 102): 1, ("av1", 45): 3}.get((path.name[:3], packet[1] & 127))
            if chosen is not None:
                yield "payload", (chosen, payload[:1], len(payload) > 100), bytes([chosen]) + payload[:80]
                descriptor = element(packet, descriptor_id(path))
                if descriptor:
                    yield "payload", (4, len(descriptor)), b"\4" + bytes([len(descriptor)]) + descriptor
    for text in TRANSPORT_FEEDBACK:
        yield "rtcp", text, bytes.fromhex(text.replace(" ", ""))
    for path in sorted(VECTORS.glob("*.sctp.pcap")):
        for packet in datagrams(path):
            yield "sctp", sctp_shape(packet), packet
            if packet[12] == 0 and packet[24:28] == b"\0\0\0\x32":
                yield "sctp", packet[28:40], packet[28:]
    for message in signalling():
        yield "signalling", message, message
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
