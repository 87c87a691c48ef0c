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


# ChannelData; the answer to an allocation with its addresses and lifetime; a Data indication; a challenge; a binding of a channel.
TURN = (
    "4000000301020300", "4fff0000",
    "0103002c 2112a442 000102030405060708090a0b 00160008 0001e112 5e12a443 00200008 0001f223 5e12a443 000d0004 00000258"
    " 8022000863616c6c6167656e",
    "00170014 2112a442 000102030405060708090a0b 00120008 0001e112 5e12a443 00130003 61626300",
    "01130020 2112a442 000102030405060708090a0b 00090004 00000401 00140007 696e7465726f7000 00150008 6e6f6e6365313233",
    "00090014 2112a442 000102030405060708090a0b 000c0004 40000000 00120008 0001e112 5e12a443",
)


# Of multicast DNS, as python-zeroconf writes it: the question for a hidden host; its addresses, and which types it has; a service.
DNS = (
    "0000000000020000000000002430613162326333642d346535662d343637382d396162632d646566303132333435363738056c6f63616c00"
    "00018001c00c001c8001",
    "0000840000000002000000012430413142324333442d346535662d343637382d396162632d646566303132333435363738056c6f63616c00"
    "00018001000000780004c0000207c00c001c800100000078001020010db8000000000000000000000007"
    "c00c002f8001000000780008c00c000440000008",
    "000084000000000200000000055f68747470045f746370056c6f63616c00000c000100001194000a075072696e746572c00c"
    "077072696e746572c01700018001000000780004c0000209",
)


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


def claims():
    """Claims of access tokens, and one token."""
    for text in ('{"iss":"key","sub":"a","exp":1800000000,"nbf":1,"video":{"room":"r","roomJoin":true,"canPublish":false}}',
                 '{"iss":"key","name":"A","metadata":"m","attributes":{"a":"b"},"sha256":"x","exp":1.5e18}'):
        yield text.encode()
    parts = (b'{"alg":"HS256"}', b'{"iss":"key"}', b"x" * 32)
    yield b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)


CALL = {"callId": "c", "conversationId": "v", "callType": "AUDIO"}


def ringing():
    """What a device hears (even first byte) and says (odd), in the order of a call."""
    offer = {**CALL, "callerPersonId": "ada", "callerName": "A", "callStartTimestamp": 1800000000000,
             "ringsUntil": 1800000030000, "callState": "CALLING"}
    signals = [{"type": "offer", "callId": "c", "offer": offer}, {"type": "granted", "callId": "c"}]
    signals += [{"type": kind, "callId": "c", "reason": "ANSWERED_ELSEWHERE"} for kind in ("refused", "withdrawn")]
    signals += [{"type": "progress", "callId": "c", "callState": state} for state in ("FORWARDING", "ACTIVE")]
    signals += [{"type": "ended", "callId": "c", "endReason": "DECLINED"}]
    stream = [f"event: {signal['type']}\r\ndata: {json.dumps(signal)}\r\n\r\n: life\n".encode() for signal in signals]
    yield from (b"\0" + event for event in stream)
    yield b"\6" + stream[0] + stream[1] + stream[6]
    place = {"type": "place", "request": {**CALL, "callId": "", "callerName": "A", "groups": [["bob", "eve"], ["ada"]]}}
    for kinds in (("answer", "connected", "hangUp"), ("decline", "decline"), ("abort",)):
        commands = [place] + [{"type": kind, "callId": "call-1", "reason": "HANG_UP"} for kind in kinds]
        yield b"\1" + "\n".join(json.dumps(command) for command in commands).encode()


def journals():
    """A whole call, and events that ringing adds."""
    call = {**CALL, "serviceProviderCallId": "s", "serviceProviderType": "LIVEKIT", "initiatorPersonId": "ada"}
    events = [("call.initiated", {"initiationTimestamp": 1}), ("call.participant.joined", {"personId": "ada", "joinedTimestamp": 1})]
    events += [("call.accepted", {"initiationTimestamp": 1, "acceptTimestamp": 2})]
    events += [("call.ended", {"initiationTimestamp": 1, "endTimestamp": 3, "endReason": "CONVERSATION_ENDED"})]
    lines = [json.dumps({**call, "eventType": f"conversation.{name}", "timestamp": at, "id": f"c#{at}", **fields})
             for at, (name, fields) in enumerate(events)]
    yield from (line.encode() for line in lines)
    yield "\n".join(lines).encode()
    push = {**call, "eventType": "push_notification.incoming_call", "timestamp": 1, "id": "c#9", "recipient": {"id": "bob"},
            "deviceTokens": ["d"], "callState": "CALLING", "callStartTimestamp": 1, "callerPersonId": "ada"}
    yield json.dumps(push).encode()


def configurations():
    """Documents of the configuration service."""
    greeting = {"text": "hi", "audio": "AP8H", "language": "de", "wordsPerMinute": 150, "pauseMilliseconds": 300}
    ice = [{"urls": ["turn:192.0.2.9:3478"], "username": "u", "credential": "c"}]
    yield json.dumps({
        "keys": {"k": {"secret": "s", "account": "a"}}, "teams": {"t": ["ada"]}, "administrators": ["k"],
        "providers": {"LIVEKIT": {"room": "{conversation}"}, "X": {"endpoint": "ws://h", "token": "t"}},
        "scopes": {"GLOBAL": {"provider": "LIVEKIT", "failover": ["X"], "mediaKind": "AUDIO", "greeting": greeting},
                   "USER": {"ada": {"provider": "X", "iceServers": ice, "features": {"f": 1, "g": True}}}}}).encode()
    yield b'{"providers":{"X":{"endpoint":"wss://h/{identity}","key":"k","secret":"s"}}}'
    yield b'{"scopes":{"AREA":{"support":{"greeting":null}}}}'


def room_service():
    """Requests to the room API: the first byte chooses the message, the second its form."""
    for kind, text in enumerate((
        '{"name":"r","emptyTimeout":5,"metadata":"m"}', '{"names":["r"]}', '{"room":"r"}', '{"room":"r"}',
        '{"room":"r","identity":"a"}', '{"room":"r","identity":"a","track_sid":"TR","muted":true}',
        '{"room":"r","identity":"a","permission":{"canPublish":true,"canPublishSources":["CAMERA"]},"attributes":{"a":"b"}}',
        '{"room":"r","identity":"a","trackSids":["T"],"subscribe":true}', '{"room":"r","metadata":"m"}',
        '{"room":"r","data":"AAEC","kind":"LOSSY","destinationIdentities":["a"]}',
        '{"room":"r","destinationIdentity":"a","method":"m","payload":"p","responseTimeoutMs":5}')):
        yield bytes([kind, 0]) + text.encode()
    info = field(1, b"PA_1") + field(2, b"ada") + field(4, field(1, b"TR_1") + field(5, 640)) + field(6, 1800000000)
    yield bytes([11, 1]) + info
    yield bytes([4, 1]) + field(1, b"r") + field(2, b"ada")


OPENTOK = VECTORS / "opentok" / "sdk.json"


def opentok_tokens():
    """Session ids, tokens, their claims and payloads, as a server SDK makes them."""
    recorded = json.loads(OPENTOK.read_text())
    yield recorded["session"].encode()
    for token in recorded["tokens"]:
        text = token["token"]
        yield text.encode()
        part = text[4:].encode() if text.startswith("T1==") else text.split(".")[1].encode() + b"=="
        content = base64.b64decode(part) if text.startswith("T1==") else base64.urlsafe_b64decode(part)
        yield content.partition(b":")[2] if text.startswith("T1==") else content


def opentok_requests():
    """What a server SDK asks for: verb, path, query and body, each on a line."""
    for call in json.loads(OPENTOK.read_text())["calls"]:
        request = call["request"]
        yield "\n".join(request[part] for part in ("method", "path", "query", "body")).encode()


def rumor_frame(kind, addresses=(), headers=(), payload=b""):
    def text(value):
        return struct.pack(">H", len(value)) + value
    body = bytes([0, 0, kind, len(addresses)]) + b"".join(map(text, addresses)) + bytes([len(headers)])
    body += b"".join(text(name) + text(value) for name, value in headers) + payload
    return struct.pack(">I", len(body)) + body


def rumor_frames():
    transaction = [(b"TRANSACTION-ID", b"t1")]
    return [rumor_frame(3, headers=[(b"uniqueId", b"c1"), (b"notifyDisconnectAddress", b"s")]), rumor_frame(0, [b"topic"]),
            rumor_frame(2, [b"s"], transaction + [(b"X-TB-FROM-ADDRESS", b"c1")], b"{}"),
            rumor_frame(9, (), transaction + [(b"STATUS", b"200")], b"{}"), rumor_frame(7), rumor_frame(8), rumor_frame(4)]


def rumor_steps():
    """Events of a channel: even first byte a server's, odd a client's."""
    for side in (0, 1):
        for frame in rumor_frames():
            yield bytes([side, 0, 0, 1, 2, 1, 4, 1, 254]) + frame + bytes([1, 3, 60, 49, 5, 0, 1, 2, 1, 5, 110, 49])


def raptor_messages():
    uri = "/v2/partner/12345/session/2_fjEyMzQ1fn4w"
    video = {"id": "v", "type": "video", "active": True, "width": 640, "height": 360, "frameRate": 30, "source": "camera"}
    contents = [
        ("create", "/connection/c", {"userAgent": "u", "clientVersion": "1", "capabilities": ["renegotiation"]}),
        ("created", "/connection/c", {"id": "c", "creationTime": 1, "data": "d", "permissions": ["publish", "signal"]}),
        ("deleted", "/connection/c", {"reason": "networkDisconnected"}), ("read", "", {}), ("delete", "/stream/s", {}),
        ("create", "/stream/s", {"id": "s", "name": "n", "audioFallbackEnabled": True, "channel": [video], "maxBitrate": 5}),
        ("created", "/stream/s", {"id": "s", "connection": {"id": "c"}, "creationTime": 1, "channel": [video]}),
        ("update", "/stream/s/channel/v", {"active": False, "fitMode": "cover", "orientation": 90, "disableWarning": True}),
        ("create", "/stream/s/subscriber/u", {"id": "u", "channel": [{"id": "v", "preferredWidth": 320}]}),
        ("update", "/stream/s/subscriber/u/channel/v", {"active": True, "restrictFrameRate": True, "preferredFrameRate": 7.5}),
        ("offer", "/stream/s", {"sdp": "v=0"}), ("generateoffer", "/stream/s/subscriber/u", {}),
        ("candidate", "/stream/s/subscriber/u", {"candidate": "candidate:1", "sdpMid": "0", "sdpMLineIndex": 0}),
        ("signal", "/connection/c/signal/i", {"type": "t", "data": "d"}), ("mute", "", {"active": True, "excludedStreamIds": ["s"]}),
        ("created", "/archive/a", {"id": "a", "name": "n", "status": "started"}),
    ]
    for method, path, content in contents:
        yield json.dumps({"method": method, "uri": uri + path, "content": content}).encode()
    yield json.dumps({"connection": [contents[1][2]], "stream": [contents[6][2]], "archive": [contents[-1][2]],
                      "iceServers": [{"url": "turn:h", "username": "u", "credential": "c"}]}).encode()
    session = json.loads(OPENTOK.read_text())["session"]
    yield json.dumps([{"session_id": session, "partner_id": 12345, "messaging_url": "wss://h/x", "symphony_address": "s",
                       "properties": {"p2p": {"preference": {"value": "disabled"}}, "reconnection": True}}]).encode()
    yield b'[{"error":{"code":403,"errorMessage":{"message":"m"}}}]'


def opentok_clients():
    """What a client sends to a server: even first byte behind its join, odd before it."""
    session = "2_fjEyMzQ1fn4wfjAwMDAwMDAwMDAwMDAwMDF-TX4"
    messages = [message.replace(b"2_fjEyMzQ1fn4w", session.encode()) for message in raptor_messages()]
    # Odd lengths are framed by the target.
    messages = [message if len(message) % 2 else message + b" " for message in messages]
    for side in (0, 1):
        yield from (bytes([side]) + message for message in messages[:-3])
        yield bytes([side]) + b"\0".join(messages[:4])


def opentok_sessions():
    """Steps of three bytes behind a mode: what, who, about what."""
    call = [0, 0, 0, 0, 1, 1, 8, 0, 0, 8, 1, 1, 12, 1, 0, 15, 0, 0, 16, 0, 0, 11, 0, 1, 19, 1, 0, 8, 0, 2, 2, 0, 0, 2, 1, 0]
    moderation = [0, 0, 1, 0, 1, 0, 8, 1, 3, 12, 0, 3, 18, 0, 3, 14, 0, 3, 10, 0, 3, 17, 0, 1, 7, 0, 0, 6, 0, 0]
    for mode in (0, 1):
        yield bytes([mode] + call)
        yield bytes([mode] + moderation + call)
        yield bytes([mode, 3, 0, 0] + call + [4, 0, 0, 5, 0, 0, 3, 0, 8] + moderation)


def opentok_courses():
    """Courses of a client: it is let in (opened, answered twice), then a byte for what happens and one for a choice."""
    joined = bytes([1, 0, 5, 0, 5, 0])
    publishing = bytes([4, 0, 5, 0, 7, 3, 0, 0, 3, 0, 7, 5, 0, 0, 3, 3])
    receiving = bytes([7, 0, 0, 0, 7, 1, 0, 0, 5, 0, 7, 4, 0, 0, 3, 1, 3, 3, 3, 5, 0, 60, 7, 2, 0, 0])
    losing = bytes([2, 0, 0, 10, 1, 0, 0, 50, 2, 0, 0, 255, 0, 255, 0, 255])
    for session in range(4):
        for course in (publishing, receiving, losing, publishing + losing + receiving):
            yield bytes([session]) + joined + course
        for message in raptor_messages():
            yield bytes([session]) + joined + bytes([7, 0]) + struct.pack(">H", len(message)) + message


FRAGMENTS = (
    "a=ice-options:trickle ice2\na=ice-ufrag:ysXw\na=ice-pwd:vw5LmwG4y/e6dPP/zAP9Gp5k\n",
    "a=ice-ufrag:EsAw\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\nm=audio 9 UDP/TLS/RTP/SAVPF 0\na=mid:0\n"
    "a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1\n"
    "a=candidate:473322822 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active\na=end-of-candidates\n",
    "m=video 9 UDP/TLS/RTP/SAVPF 0\na=mid:1\na=ice-ufrag:abcd\n")


def fragments():
    """Fragments of trickle ICE (RFC 8840, RFC 9725 section 4.3)."""
    for text in FRAGMENTS:
        yield text.encode()
        yield text.replace("\n", "\r\n").encode()


def whip_requests():
    """A byte for role and course, then the body of an offer or a fragment."""
    for body in [*fragments(), *(path.read_bytes() for path in sorted((VECTORS / "sdp").glob("*.sdp")) if path.stat().st_size < 6000)]:
        for course in range(0, 16, 5):
            yield bytes([course]) + body


# One message of each kind, by hand from docs/co-browsing.md; the last two are tiles with the heads of a PNG and of a JPEG.
COBROWSING = [
    "0101 00000009 0186034c", "0102 00000009 01", "0103 00000009 00000002 00000001 0186034c 0004 00000100",
    "0105 00000009 00000002", "0106 00000009 00000001", "0107 00000009 00000000", "0108 00000009 80004000 01",
    "0109 00000009 00", "010a 00000000 05 0f 01 01 03616461", "010b 00000009 01 03616461", "010c 00000009 026e6f",
    "0104 00000009 00000001 0000 0000 0000 0040 0040 02 89504e470d0a1a0a 0000000d49484452 00000040 00000040 0802000000",
    "0104 00000009 00000001 0000 0000 0000 0040 0040 01 ffd8 ffdb000309 ffc0000b080040004001110000",
]


def cobrowsing():
    return [bytes.fromhex(text.replace(" ", "")) for text in COBROWSING]


def cobrowsing_courses():
    """Messages behind their lengths and senders: all in a row, from the relay, the sharer and both channels."""
    for sender in range(0, 256, 64):
        yield b"".join(bytes([sender | min(len(one), 63)]) + one[:63] for one in cobrowsing())


def urls():
    """A pattern behind its length, and a URL."""
    for pattern in (r"https://.*\.cdn\.example/.*", r"turns?:relay\.example(:\d+)?(\?transport=(udp|tcp))?", r"(a|[^b-d]\w{2,5})+?"):
        for url in ("https://chat.example/bank/a?b=c#d", "https://a.cdn.example:8443/%62%2Fx", "turns:relay.example:443?transport=tcp",
                    "https://user:pass@[2001:db8::1]/../x", "wss://127.0.0.1:1/", "http://0x7f.1/", "stun:xn--nxasmq6b.example"):
            yield bytes([len(pattern)]) + pattern.encode() + url.encode()


def raw_frames():
    yield bytes.fromhex("43425201 0186 034c 03 02 0000".replace(" ", ""))
    yield b"\x04card" + bytes.fromhex("0001 0002 0003 0004".replace(" ", ""))


def scenarios():
    """The worked examples, and each of their lines' keys in a small file of its own."""
    folder = VECTORS.parent.parent / "Examples" / "Scenarios"
    for path in sorted(folder.glob("*.yaml")):
        yield path.read_bytes()
    head = b"scenario: x\nduration: 9s\nnetworks:\n  n: {loss: 5, delay: 20ms}\npeople:\n  - {name: a, tone: 440, card: 320x180@15}\n"
    yield head + b'  - {name: "b{n}", count: 3, every: 1s, stay: 5s, tone: auto, speaks: [2s..3s]}\nexpect:\n  - {who: b, hears: a}\n'
    for step in (b"mute, what: both, for: 1s", b"roam, network: n", b"ring, to: c", b"transfer, to: c", b"drop, for: 1s", b"hide"):
        yield head + b"  - {name: c}\ntimeline:\n  - {at: 2s, who: a, do: " + step + b"}\nexpect:\n  - {who: c, ended: never, meets: a}\n"
    for claim in (b'sees: a, freezes: "= 0", missing: "< 2"', b'events: [{event: trackMuted, count: "= 1"}]', b"not-hears: a, until: 1s",
                  b'gap: "< 1s"', b"speaker: a, from: 2s, until: 5s", b"recorded: a", b"ring: none"):
        yield head + b"  - {name: c}\nexpect:\n  - {who: c, " + claim + b"}\n  - journal: valid\n"


# A message's type and the choice that the target `dtls` has for it.
DTLS_MESSAGES = {1: 1, 2: 2, 3: 3, 11: 4, 12: 5, 13: 6, 16: 7, 15: 8}


def networks():
    """Simulated networks as --network takes them."""
    yield from (b"train,up.loss=3,burst=20,seed=9", b"trace=x,delay=20ms,rebind=3s", b"wifi-bad,down.rate=2M,queue=90")
    yield b"loss=5%,burst=40,burst-loss=80,jitter=5,reorder=1,reorder-delay=30,duplicate=2,blackout=8s@20s/60s+1s@3s"


def traces():
    """Trace files: tables and packet deliveries."""
    yield b"# a walk\ntime rate delay jitter loss\n0 1200 45 5 0.5\n2.5 - 60 - -\n5 0 - - 100\n"
    yield b"time,up.rate,down.rate\n0,100,900\n1,200,800\n"
    yield b"0\n1\n1\n4\n9\n"


def handshakes():
    """Records and handshake messages in the clear of recorded handshakes; the first byte chooses the reader."""
    for path in sorted(VECTORS.glob("*.raw.pcap")):
        partial = {}
        for datagram in datagrams(path):
            if not datagram or not 20 <= datagram[0] <= 63:
                continue
            yield b"\0" + datagram
            at = 0
            while at + 13 <= len(datagram):
                kind, epoch, length = datagram[at], datagram[at + 4], struct.unpack_from(">H", datagram, at + 11)[0]
                body, at = datagram[at + 13 : at + 13 + length], at + 13 + length
                if kind != 22 or epoch != 0:
                    continue
                whole = int.from_bytes(body[1:4], "big")
                partial.setdefault(body[0], bytearray()).extend(body[12:])
                if len(partial[body[0]]) == whole:
                    message = bytes(partial.pop(body[0]))
                    if body[0] in DTLS_MESSAGES:
                        yield bytes([DTLS_MESSAGES[body[0]]]) + message


def attacks():
    """Every state with each kind of attack: the commands of the target `handshake`."""
    for state in range(14):
        for command in (b"\0\5hello", b"\x82\0\1\3abc", b"\1\x40\1\x28" + bytes(40), b"\3\1\5\x40", b"\x84\2\7\1\3", b"\5\5\6\7"):
            yield bytes([state, state % 3]) + command * 2


def states():
    """Every state of an association with each kind of attack: the commands of the target `association`."""
    for state in range(18):
        for command in (b"\0\5hello", b"\1\x42\1\3abc", b"\2\1\0\x20" + bytes(32), b"\3\1\0\5\1\x40", b"\4\1\0\7\1\3", b"\6\3abc", b"\7\6"):
            yield bytes([state, state % 3]) + command
    for state in range(18):
        for record in range(13):
            yield bytes([state, 0, 4, record, 0, 9, 1, 1])
            for command in (0x28, 0x19, 0x0C, 0x1D):
                yield bytes([state, 0, command, record, 0, 9, 1, 1, 40, 80, 1])
        for command in (b"\x0a\1\1\x28", b"\x0b\0\1", b"\x0e\1\0\0\x21\1\x7f", b"\x2e\1\6\0\x21\1\x7f\3", b"\x0f\1\5\3"):
            yield bytes([state, state % 3]) + command


def desk_requests():
    """To the readers of a service desk: the first byte chooses who reads."""
    comment = b'{"app_id":"a","user_id":"u","comment":"hi","client_id":"c","attachments":[]}'
    upload = (b'--b\r\nContent-Disposition: form-data; name="f"; filename="n.txt"\r\n\r\nhello\r\n--b--\r\n')
    for path in sorted((VECTORS / "service-desk").iterdir()):
        data = path.read_bytes()
        if path.name.startswith("webhook"):
            yield b"\0" + data
        elif path.suffix == ".form":
            yield b"\1" + data
            yield b"\3" + data
        elif path.name.startswith("authorization"):
            yield b"\2" + data
        else:
            yield b"\5\2" + data
    yield b"\4" + upload
    yield b"\5\2" + comment + b"\0\x04" + upload + b"\0\x06" + comment + b"\0\1" + comment


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
    for number, message in enumerate(handshakes()):
        if number < 60 or message[0]:
            yield "dtls", (message[0], len(message)), message
    for message in signalling():
        yield "signalling", message, message
    for target, inputs in (("token", claims), ("ring", ringing), ("journal", journals),
                           ("handshake", attacks), ("association", states), ("configuration", configurations),
                           ("roomservice", room_service),
                           ("rumorchannel", rumor_steps), ("raptor", raptor_messages), ("opentoktoken", opentok_tokens),
                           ("opentokrest", opentok_requests), ("opentokserver", opentok_clients),
                           ("opentoksession", opentok_sessions), ("opentokclient", opentok_courses),
                           ("sdpfrag", fragments), ("whip", whip_requests), ("scenario", scenarios),
                           ("network", networks), ("trace", traces), ("servicedesk", desk_requests),
                           ("cobrowsing", cobrowsing), ("cobrowsingpeer", cobrowsing_courses), ("rawframe", raw_frames),
                           ("url", urls)):
        for one in inputs():
            yield target, one, one
    for frame in [*rumor_frames(), b"".join(rumor_frames())]:
        yield "rumor", frame, bytes([min(len(frame) // 2, 255)]) + frame
    for message in stun_messages():
        yield "stun", (message[:2], len(message)), message
    for text in TURN:
        yield "stun", text, bytes.fromhex(text.replace(" ", ""))
    for text in DNS:
        yield "dns", text, bytes.fromhex(text)
    checks = [message for message in stun_messages() if len(message) < 300]
    stream = b"".join(struct.pack(">H", len(message)) + message for message in checks)
    for pieces in (0, 1, 40, 255):
        yield "framing", pieces, bytes([pieces]) + stream
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
