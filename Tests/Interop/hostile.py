"""Strangers: random datagrams to the media port, rubbish on the signalling port. Calls go on and the server lives."""
import base64
import contextlib
import gzip
import os
import random
import socket
import struct
import threading
import time
import urllib.parse

from livekit.protocol import models, rtc

from calls import NAMES, call, check_pairs
from command_line import CREDENTIALS, mint
from harness import expect, running_server

DATAGRAMS = 100_000
FIRST_BYTES = {"stun": (0x00, 0x01), "dtls": (0x14, 0x16, 0x17), "rtp": (0x80, 0x90, 0xB0)}
BREACHES = {"unmasked", "oversized", "whole-but-huge", "endless", "crumbs", "control", "reserved"}
TEXT, BINARY, CLOSE, PING, CONTINUATION = 1, 2, 8, 9, 0


def test_hostile_datagrams_to_the_server():
    with running_server("--log-level", "info") as running:
        ports = running.media_ports()
        expect(ports, "the server has a UDP port open")
        flood = threading.Thread(target=throw_datagrams, args=(ports, 8))
        flood.start()
        report = call("--participants", "4", "--duration", "8", "--server", running.url, *CREDENTIALS)
        flood.join()
        check_unharmed(report, NAMES)
        size = os.fstat(running.log.fileno()).st_size
        expect(size < 100_000, "strangers' datagrams don't fill the log", size)


def test_call_with_an_attacker_in_the_way():
    """Forged datagrams, short encrypted records among them, from the addresses that the call itself uses."""
    report = call("--participants", "2", "--duration", "5", "--hostile", "1000")
    check_unharmed(report, NAMES[:2])
    injected = sum(report["network"]["hostile"]["injected"].values())
    expect(injected >= 4_000, "the attacker was at work", injected)
    expect(report["reconnects"] == 0, "no connection was lost and made anew", report["reconnects"])


def check_unharmed(report, names):
    expect(report["ok"], "the call is whole", report)
    check_pairs(report, names)
    missing = {f"{t['from']}->{t['to']}": t["framesMissing"] for t in report["tracks"] if t["kind"] == "video"}
    expect(not any(missing.values()), "no frame is missing", missing)


def throw_datagrams(ports, seconds, seed=1):
    """`DATAGRAMS` of them, evenly over the seconds, of 0 to 1500 bytes; three in four begin like something real."""
    chance = random.Random(seed)
    noise = chance.randbytes(1 << 20)
    begun = time.monotonic()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for number in range(DATAGRAMS):
            sender.sendto(hostile_datagram(chance, noise), ("127.0.0.1", ports[number % len(ports)]))
            if number % 100 == 0:
                time.sleep(max(0.0, begun + number * seconds / DATAGRAMS - time.monotonic()))


def hostile_datagram(chance, noise):
    size, at = chance.randrange(1501), chance.randrange(len(noise) - 1500)
    body = noise[at:at + size]
    kind = chance.choice(("random", *FIRST_BYTES))
    if kind == "random" or size < 20:
        return body
    first = bytes([chance.choice(FIRST_BYTES[kind])])
    if kind == "stun":
        return first + b"\x01" + struct.pack("!HI", size - 20, 0x2112A442) + body[8:]
    if kind == "dtls":
        return first + b"\xfe\xfd" + body[3:11] + struct.pack("!H", size - 13) + body[13:]
    return first + body[1:]


def test_signalling_rubbish():
    with running_server() as running:
        result = []
        words = ("--participants", "2", "--duration", "10", "--room", "bystanders",
                 "--server", running.url, *CREDENTIALS)
        bystanders = threading.Thread(target=lambda: result.append(attempt(lambda: call(*words))))
        bystanders.start()
        with slow_connections(running.port, 64):
            throw_http(running.port)
            throw_join_requests(running.port, mint())
            for identity, frames in sorted(websocket_rubbish().items()):
                throw_frames(running.port, identity, frames)
            expect(running.process.poll() is None, "the server is alive after the rubbish", running.process.poll())
            bystanders.join()
        if isinstance(result[0], Exception):
            raise result[0]
        check_unharmed(result[0], NAMES[:2])
        expect(running.peak_mebibytes() < 300, "a bomb is not unpacked", running.peak_mebibytes())
        answer = exchange(running.port, b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        expect(b" 200 " in answer, "the server answers", answer)


def attempt(function):
    try:
        return function()
    except Exception as error:  # raised again on the test's own thread
        return error


def exchange(port, *pieces, limit=5):
    """Sends the pieces and gives all that came back until the server closed or was silent for the limit."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), limit) as connection:
        with contextlib.suppress(OSError):
            for piece in pieces:
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                answer += part
    return answer


@contextlib.contextmanager
def slow_connections(port, count):
    """Half a request each, held open."""
    connections = [socket.create_connection(("127.0.0.1", port), 5) for _ in range(count)]
    try:
        for connection in connections:
            connection.sendall(b"GET /rtc/v1?access_token=")
        yield
    finally:
        for connection in connections:
            connection.close()


def throw_http(port):
    noise = random.Random(2).randbytes(65536)
    get, post = b"GET / HTTP/1.1\r\nHost: h\r\n", b"POST / HTTP/1.1\r\nHost: h\r\n"
    requests = {
        "noise": noise,
        "an endless line": b"GET /" + b"a" * (4 << 20),
        "many headers": get + b"x: y\r\n" * 100_000,
        "an unknown version": b"GET / HTTP/9.9\r\n\r\n",
        "a negative length": post + b"Content-Length: -1\r\n\r\n",
        "a huge length": post + b"Content-Length: 99999999999999999999\r\n\r\n",
        "a bad chunk": post + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "bad escapes": b"GET /rtc/v1?access_token=%zz%&=&&join_request=%00%ff HTTP/1.1\r\nHost: h\r\n\r\n",
        "a bad key": upgrade("/rtc/v1").replace(b"dGhlIHNhbXBsZSBub25jZQ==", b"")}
    for what, request in requests.items():
        answer = exchange(port, request)
        expect(b" 101 " not in answer[:20] and b" 200 " not in answer[:20], f"HTTP with {what} is refused", answer[:80])


def upgrade(path):
    return (f"GET {path} HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode()


def join_path(token, wrapped):
    text = wrapped if isinstance(wrapped, str) else base64.b64encode(wrapped).decode()
    return f"/rtc/v1?access_token={token}&join_request={urllib.parse.quote(text, safe='')}"


def wrapped(request, packed=True):
    kind = rtc.WrappedJoinRequest.Compression.GZIP if packed else rtc.WrappedJoinRequest.Compression.NONE
    return rtc.WrappedJoinRequest(compression=kind, join_request=request).SerializeToString()


def throw_join_requests(port, token):
    noise = random.Random(3).randbytes(3000)
    bombs = {f"a bomb of {size} MiB": wrapped(gzip.compress(bytes(size << 20))) for size in (20, 100)}
    requests = {
        "no base64": "%%%***", "base64 noise": noise, "nothing": "", "noise said to be gzip": wrapped(noise),
        "noise said to be plain": wrapped(noise, False), "a gzip header and no more": wrapped(gzip.compress(b"")[:10]),
        "a torn gzip": wrapped(gzip.compress(noise)[:1500]), **bombs}
    for what, request in requests.items():
        answer = exchange(port, upgrade(join_path(token, request)))
        expect(b" 101 " not in answer[:20], f"a join_request of {what} is refused", answer[:80])


def frame(opcode, payload=b"", masked=True, final=True, claimed=None):
    """A WebSocket frame (RFC 6455 section 5.2); `claimed` is a length other than the true one."""
    length = len(payload) if claimed is None else claimed
    flag, first = (128 if masked else 0), (128 if final else 0) | opcode
    if length > 65535:
        head = struct.pack("!BBQ", first, flag | 127, length)
    elif length > 125:
        head = struct.pack("!BBH", first, flag | 126, length)
    else:
        head = struct.pack("!BB", first, flag | length)
    return head + (b"\0\0\0\0" if masked else b"") + payload


def requests_of_rubbish():
    """Well-formed messages with content that no client sends."""
    long = "x" * 50_000
    describe = rtc.SessionDescription
    many_lines = "v=0\r\n" + "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\n" * 5000
    yield rtc.SignalRequest(offer=describe(type="offer", sdp=many_lines))
    yield rtc.SignalRequest(offer=describe(type="offer", sdp=long))
    yield rtc.SignalRequest(answer=describe(type="answer", sdp="m=\r\na=\r\n\0"))
    yield rtc.SignalRequest(trickle=rtc.TrickleRequest(candidateInit="{" * 10_000))
    candidate = '{"candidate":"candidate:1 1 udp 99999999999 ::: -1 typ x"}'
    yield rtc.SignalRequest(trickle=rtc.TrickleRequest(candidateInit=candidate))
    yield rtc.SignalRequest(add_track=rtc.AddTrackRequest(cid="", name=long))
    yield rtc.SignalRequest(mute=rtc.MuteTrackRequest(sid="TR_nobody", muted=True))
    yield rtc.SignalRequest(subscription=rtc.UpdateSubscription(track_sids=[long, ""], subscribe=True))
    yield rtc.SignalRequest(ping=-(2 ** 63))
    yield rtc.SignalRequest()


def websocket_rubbish():
    """Frames for a connection each, by the identity that joins with it."""
    chance = random.Random(4)
    return {
        "text": [frame(TEXT, b"hello"), frame(TEXT, b'{"offer":' * 1000), frame(TEXT, b"\xff\xfe\xfd")],
        "garbage": [frame(BINARY, chance.randbytes(chance.randrange(2000))) for _ in range(300)],
        "messages": [frame(BINARY, request.SerializeToString()) for request in requests_of_rubbish()],
        "unmasked": [frame(BINARY, b"\x0a\x00", masked=False)],
        "oversized": [frame(BINARY, bytes(1 << 16), claimed=1 << 62)],
        "whole-but-huge": [frame(BINARY, bytes(16 << 20))],
        "endless": [frame(BINARY, b"x", final=False)] + [frame(CONTINUATION, bytes(1 << 20), final=False)] * 48,
        "crumbs": [frame(BINARY, b"", final=False)] + [frame(CONTINUATION, b"", final=False)] * 100_000,
        "control": [frame(PING, bytes(60_000)), frame(CLOSE, b"\x03")],
        "reserved": [frame(opcode, b"?") for opcode in (3, 7, 11, 15)]}


def throw_frames(port, identity, frames):
    """Joins properly, then misbehaves; a breach of the WebSocket protocol must end the connection."""
    request = rtc.JoinRequest(client_info=models.ClientInfo(protocol=16))
    path = join_path(mint("--identity", identity), wrapped(request.SerializeToString(), False))
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(upgrade(path))
        answer = connection.recv(20)
        expect(b" 101 " in answer, f"{identity} joins before it misbehaves", answer)
        ended = threading.Event()
        reader = threading.Thread(target=drain, args=(connection, ended))
        reader.start()
        with contextlib.suppress(OSError):  # closed in the middle of it
            for piece in frames:
                connection.sendall(piece)
        closed = ended.wait(5 if identity in BREACHES else 0.2)
        expect(closed or identity not in BREACHES, f"the connection of {identity!r} is closed by the server")
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        reader.join()


def drain(connection, ended):
    """Reads until the other end closes."""
    with contextlib.suppress(ConnectionError):
        while True:
            with contextlib.suppress(TimeoutError):
                if not connection.recv(65536):
                    break
    ended.set()
