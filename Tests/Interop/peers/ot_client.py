"""A client of the OpenTok-style dialect, written from the description of frames and messages alone: no line of it is the
engine's. It sends no media; descriptions are for those who test media.

    with Client(api_url, token, session) as client:
        client.ask("create", f"/stream/{id}", {...})      # -> (status, result)
        client.until(lambda event: event["method"] == "signal")
"""
import asyncio
import contextlib
import json
import struct
import threading
import time
import urllib.error
import urllib.request
import uuid

import aiohttp

SUBSCRIBE, MESSAGE, CONNECT, DISCONNECT, PING, PONG, STATUS = 0, 2, 3, 4, 7, 8, 9


def frame(kind, addresses=(), headers=(), payload=b""):
    body = bytes([0, 0, kind, len(addresses)])
    for address in addresses:
        body += struct.pack(">H", len(address.encode())) + address.encode()
    body += bytes([len(headers)])
    for name, value in headers:
        body += struct.pack(">H", len(name.encode())) + name.encode()
        body += struct.pack(">H", len(value.encode())) + value.encode()
    body += payload
    return struct.pack(">I", len(body)) + body


def parse(data):
    (length,) = struct.unpack_from(">I", data)
    assert length + 4 == len(data) and data[4:6] == b"\0\0", "one frame to a message"
    kind, at = data[6], 7

    def text():
        nonlocal at
        (size,) = struct.unpack_from(">H", data, at)
        at += 2 + size
        return data[at - size:at].decode()

    def count():
        nonlocal at
        at += 1
        return data[at - 1]

    addresses = [text() for _ in range(count())]
    headers = {}
    for _ in range(count()):
        name = text()
        headers[name] = text()
    return kind, addresses, headers, data[at:]


def session_info(api_url, session, token):
    """(status, the first object of the answer)."""
    request = urllib.request.Request(
        f"{api_url}/session/{session}?extended=true", headers={"X-TB-TOKEN-AUTH": token, "X-TB-VERSION": "1"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.loads(answer.read())[0]
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())[0]


class Client:
    def __init__(self, api_url, token, session, join=True):
        self.id, self.session, self.token = str(uuid.uuid4()), session, token
        status, self.info = session_info(api_url, session, token)
        assert status == 200, self.info
        self.root = f"/v2/partner/{self.info['partner_id']}/session/{session}"
        self.events, self.answers, self.changed = [], {}, threading.Condition()
        self.done, self.repeats, self.close_code, self.sockets = set(), 0, None, 0
        self.waiting = {}
        self.loop = asyncio.new_event_loop()
        self.socket = None
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.connect()
        if join:
            self.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave()
        self.loop.call_soon_threadsafe(self.loop.stop)

    # The socket

    def connect(self, reconnect=False):
        url = f"{self.info['messaging_url']}?socketId={self.id}"
        if reconnect:
            url += f"&reconnect=true&attempt={uuid.uuid4()}"
        asyncio.run_coroutine_threadsafe(self.open(url), self.loop).result(15)
        if reconnect:
            for data in list(self.waiting.values()):
                self.send(data)

    async def open(self, url):
        self.client = aiohttp.ClientSession()
        self.socket = await self.client.ws_connect(url, autoping=True)
        self.sockets += 1
        self.reader = asyncio.ensure_future(self.read(self.socket, self.client))

    async def read(self, socket, client):
        async for message in socket:
            if message.type == aiohttp.WSMsgType.BINARY:
                self.take(message.data)
        with self.changed:
            self.close_code = socket.close_code
            self.changed.notify_all()
        await client.close()

    async def acknowledge(self, socket, transaction):
        # The server may have closed meanwhile.
        with contextlib.suppress(aiohttp.ClientError, ConnectionError):
            await socket.send_bytes(frame(STATUS, headers=[("TRANSACTION-ID", transaction), ("STATUS", "200")]))

    def drop(self):
        """Loses the socket without a goodbye."""
        async def cut():
            self.reader.cancel()
            self.socket._response.connection.transport.abort()
            await self.client.close()
        asyncio.run_coroutine_threadsafe(cut(), self.loop).result(10)

    def leave(self):
        if self.socket is None or self.socket.closed:
            return
        # The server may close in this moment.
        with contextlib.suppress(aiohttp.ClientError, ConnectionError):
            self.send(frame(DISCONNECT))
        asyncio.run_coroutine_threadsafe(self.close(), self.loop).result(10)

    async def close(self):
        await self.socket.close()
        await self.client.close()

    def send(self, data):
        asyncio.run_coroutine_threadsafe(self.socket.send_bytes(data), self.loop).result(10)

    # Messages

    def join(self):
        self.send(frame(CONNECT, headers=[("uniqueId", self.id), ("notifyDisconnectAddress", self.info["symphony_address"])]))
        self.send(frame(SUBSCRIBE, [self.root]))
        status, _ = self.ask("create", f"/connection/{self.id}", {"userAgent": "test", "capabilities": []}, token=self.token)
        assert status == 200, status

    def begin(self, method, path, content, token=None):
        transaction = str(uuid.uuid4())
        headers = [("Content-Type", "application/x-raptor+v2"), ("TRANSACTION-ID", transaction), ("X-TB-FROM-ADDRESS", self.id)]
        if token:
            headers.append(("X-TB-TOKEN-AUTH", token))
        payload = json.dumps({"method": method, "uri": self.root + path, "content": content}).encode()
        data = frame(MESSAGE, [self.info["symphony_address"]], headers, payload)
        self.waiting[transaction] = data
        self.send(data)
        return transaction

    def ask(self, method, path, content, token=None, limit=10):
        transaction = self.begin(method, path, content, token)
        return self.wait("an answer", lambda: self.answers.get(transaction), limit)

    def state(self):
        status, result = self.ask("read", "", {})
        assert status == 200, status
        return result

    def take(self, data):
        kind, _, headers, payload = parse(data)
        transaction = headers.get("TRANSACTION-ID")
        with self.changed:
            if kind == STATUS:
                self.waiting.pop(transaction, None)
                self.answers[transaction] = (int(headers["STATUS"]), json.loads(payload) if payload else None)
            elif kind == MESSAGE:
                # On this loop: nothing may be waited for.
                asyncio.ensure_future(self.acknowledge(self.socket, transaction))
                if transaction in self.done:
                    self.repeats += 1
                else:
                    self.done.add(transaction)
                    event = json.loads(payload)
                    event["path"] = event["uri"].removeprefix(self.root)
                    event["from"] = headers.get("X-TB-FROM-ADDRESS")
                    self.events.append(event)
            self.changed.notify_all()

    # Waiting

    def wait(self, what, check, limit=10):
        end = time.monotonic() + limit
        with self.changed:
            while True:
                found = check()
                if found:
                    return found
                if time.monotonic() > end:
                    raise AssertionError(f"{what} within {limit} s; heard {self.events[-10:]}")
                self.changed.wait(0.2)

    def until(self, check, what="an event", limit=10):
        return self.wait(what, lambda: next((event for event in self.events if check(event)), None), limit)

    def heard(self, method, prefix=""):
        with self.changed:
            return [event for event in self.events if event["method"] == method and event["path"].startswith(prefix)]
