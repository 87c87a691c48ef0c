"""The push gateway of `callagent serve`, judged by another implementation of HTTP/2 over TLS (PyPI `h2`), and by plain HTTP for FCM."""
import contextlib
import datetime
import ipaddress
import json
import os
import queue
import secrets
import socket
import ssl
import subprocess
import tempfile
import threading
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import h2.config
import h2.connection
import h2.events
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from livekit import api

import notifications
from harness import CALLAGENT, KEY, SECRET, Child, expect, running_server

TOPIC = "example.app"


class Carrier:
    """Notes each request. `answers` are for the first ones: (status, body); then 200."""

    def __init__(self, answers=()):
        self.requests, self.answers, self.protocols = queue.Queue(), queue.SimpleQueue(), set()
        for answer in answers:
            self.answers.put(answer)

    def take(self, headers, body):
        self.requests.put((headers, body))
        return (200, b"") if self.answers.empty() else self.answers.get()

    def next(self, limit=30):
        return self.requests.get(timeout=limit)


class APNs(Carrier):
    """HTTP/2 over TLS with ALPN; a certificate of its own for 127.0.0.1."""

    def __init__(self, folder, answers=()):
        super().__init__(answers)
        self.roots = os.path.join(folder, "carrier.pem")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.roots, make_certificate(self.roots))
        self.context.set_alpn_protocols(["h2"])
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                plain, _ = self.socket.accept()
                threading.Thread(target=self.serve, args=(plain,), daemon=True).start()

    def serve(self, plain):
        with contextlib.suppress(OSError), self.context.wrap_socket(plain, server_side=True) as line:
            self.protocols.add(line.selected_alpn_protocol())
            connection = h2.connection.H2Connection(config=h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
            connection.initiate_connection()
            line.sendall(connection.data_to_send())
            streams = {}
            while data := line.recv(65_536):
                for event in connection.receive_data(data):
                    self.handle(connection, event, streams)
                line.sendall(connection.data_to_send())

    def handle(self, connection, event, streams):
        if isinstance(event, h2.events.RequestReceived):
            streams[event.stream_id] = (dict(event.headers), bytearray())
        elif isinstance(event, h2.events.DataReceived):
            streams[event.stream_id][1].extend(event.data)
            connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            headers, body = streams.pop(event.stream_id)
            status, answer = self.take(headers, bytes(body))
            connection.send_headers(event.stream_id, [(":status", str(status))], end_stream=not answer)
            if answer:
                connection.send_data(event.stream_id, answer, end_stream=True)

    def close(self):
        self.socket.close()


class FCM(Carrier):
    def __init__(self, answers=()):
        super().__init__(answers)
        carrier = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, answer = carrier.take({name.lower(): value for name, value in self.headers.items()}, body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1/projects/p/messages:send"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def make_certificate(path):
    """A self-signed certificate; gives the path of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "carrier")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256()))
    with open(path, "wb") as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
    with open(path + ".key", "wb") as file:
        file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return path + ".key"


class Person:
    """A person at the service, over plain HTTP."""

    def __init__(self, port, name, role="visitor"):
        self.root = f"http://127.0.0.1:{port}/callbridge/v1"
        self.token = api.AccessToken(KEY, SECRET).with_identity(name).with_attributes({"role": role}).to_jwt()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Authorization": f"Bearer {self.token}"}, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def register(self, device, token, carrier, channel="remote", encryption="Encrypted"):
        body = {"token": token, "carrier": carrier, "encryption": encryption}
        return self.ask("PUT", f"/notifications/devices/{device}/tokens/{channel}", body)

    def write(self, conversation, text):
        return self.ask("PUT", f"/conversations/{conversation}/messages/{secrets.token_hex(8)}", {"text": text})


def conversation(port):
    """A visitor, an agent, and the conversation that both are in."""
    vera, ada = Person(port, "vera"), Person(port, "ada", "agent")
    begun = vera.ask("POST", "/conversations", {"clientId": "c-1", "type": "CHAT_REQUEST"})
    ada.ask("POST", f"/conversations/{begun['id']}/participants", {})
    return vera, ada, begun["id"]


def opened(folder, answer, payload):
    """What a process beside the application shows, with the key that the service gave."""
    notifications.notification("keep-key", folder, answer)
    return notifications.decrypt(folder, payload)


def test_push_by_apns():
    """One connection of HTTP/2 over TLS; what was not taken comes again, the same; a token that is gone gets no more."""
    with tempfile.TemporaryDirectory() as folder:
        gone = json.dumps({"reason": "Unregistered", "timestamp": 4_102_444_800_000}).encode()
        carrier = APNs(folder, [(503, b""), (200, b""), (410, gone)])
        bearer = os.path.join(folder, "bearer")
        with open(bearer, "w") as file:
            file.write("signed-elsewhere\n")
        options = ("--apns", carrier.url, "--apns-topic", TOPIC, "--apns-token-file", bearer, "--ca-file", carrier.roots)
        with running_server("--data", os.path.join(folder, "data"), *options) as running, contextlib.closing(carrier):
            vera, ada, room = conversation(running.port)
            key = vera.register("phone", "00ff", "APNS")
            ada.write(room, "good morning")
            (headers, body), (_, again) = carrier.next(), carrier.next()
            expect(carrier.protocols == {"h2"}, "ALPN chose HTTP/2", carrier.protocols)
            expect(headers[":method"] == "POST" and headers[":path"] == "/3/device/00ff" and headers[":scheme"] == "https", "the request", headers)
            wanted = {"apns-topic": TOPIC, "apns-push-type": "alert", "apns-priority": "10", "authorization": "Bearer signed-elsewhere"}
            expect(wanted.items() <= headers.items() and headers["apns-expiration"].isdigit(), "its fields", headers)
            expect(body == again, "sent again it is the same")
            expect(b"good morning" not in body and len(body) <= 4_096, "the carrier can't read it")
            shown = opened(os.path.join(folder, "keys"), key, json.loads(body))
            expect(shown["outcome"] == "opened" and shown["shown"]["body"] == "good morning", "the device can", shown)
            # The answer to the next one is that the token is gone. Another device says when that has been heard.
            ada.write(room, "never seen")
            carrier.next()
            vera.register("tablet", "aa00", "APNS")
            for number in range(50):
                ada.write(room, f"message {number}")
                paths = []
                while "/3/device/aa00" not in paths:
                    paths.append(carrier.next()[0][":path"])
                if "/3/device/00ff" not in paths and carrier.requests.empty():
                    break
            expect(number < 49, "nothing comes to a token that is gone")


def test_push_by_fcm():
    """The shape of HTTP v1; UNREGISTERED forgets the token."""
    gone = json.dumps({"error": {"status": "NOT_FOUND", "details": [{"errorCode": "UNREGISTERED"}]}}).encode()
    with tempfile.TemporaryDirectory() as folder:
        carrier = FCM([(429, b""), (200, b""), (404, gone)])
        with running_server("--data", os.path.join(folder, "data"), "--fcm", carrier.url) as running, contextlib.closing(carrier):
            vera, ada, room = conversation(running.port)
            key = vera.register("phone", "device:1", "FCM", encryption="EncryptedService")
            ada.write(room, "good morning")
            (_, body), (_, again) = carrier.next(), carrier.next()
            message = json.loads(body)["message"]
            expect(body == again and message["token"] == "device:1" and b"good morning" not in body, "the message", message)
            shown = opened(os.path.join(folder, "keys"), key, message)
            expect(shown["outcome"] == "opened" and shown["shown"]["body"] == "good morning", "the device opens it", shown)
            ada.write(room, "never seen")
            carrier.next()
            vera.register("tablet", "device:2", "FCM")
            for number in range(50):
                ada.write(room, f"message {number}")
                tokens = []
                while "device:2" not in tokens:
                    tokens.append(json.loads(carrier.next()[1])["message"]["token"])
                if "device:1" not in tokens and carrier.requests.empty():
                    break
            expect(number < 49, "nothing comes to a token that is gone")


def test_push_rings_who_sleeps():
    """Nobody listens for bob: his phone is told of the call on the channel for calls, and that he has missed it."""
    with tempfile.TemporaryDirectory() as folder:
        carrier = APNs(folder)
        options = ("--apns", carrier.url, "--apns-topic", TOPIC, "--ca-file", carrier.roots, "--ring-timeout", "2")
        with running_server(*options) as running, contextlib.closing(carrier):
            bob = Person(running.port, "bob")
            bob.register("phone", "00ff", "APNS")
            key = bob.register("phone", "0bcd", "APNS", "voip")
            ring = Child("callagent ring", [
                CALLAGENT, "ring", "--server", running.url.replace("ws:", "http:"), "--key", KEY, "--secret", SECRET,
                "--identity", "ada", "--to", "bob", "--json"])
            headers, body = carrier.next()
            expect(headers[":path"] == "/3/device/0bcd" and headers["apns-topic"] == TOPIC + ".voip", "a call", headers)
            expect(headers["apns-push-type"] == "voip", "by its own channel", headers)
            incoming = opened(os.path.join(folder, "keys"), key, json.loads(body))["shown"]["userInfo"]
            expect(incoming["kind"] == "INCOMING_CALL" and incoming["callerId"] == "ada", "who calls", incoming)
            headers, body = carrier.next()
            expect(headers[":path"] == "/3/device/00ff" and headers["apns-push-type"] == "alert", "a missed call is no call", headers)
            missed = notifications.decrypt(os.path.join(folder, "keys"), json.loads(body))["shown"]["userInfo"]
            expect(missed["kind"] == "MISSED_CALL" and missed["callId"] == incoming["callId"], "which one was missed", missed)
            report = ring.result(60, code=1)
            expect((report["callId"], report["outcome"]) == (incoming["callId"], "NOT_ANSWERED"), "the caller's report", report)


def private_key(path, key):
    """Writes a private key as the carriers' consoles give it; its text."""
    text = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    with open(path, "w") as file:
        file.write(text)
    return text


def test_apns_gets_tokens_of_our_own():
    """Provider tokens, whose signature another implementation checks; one that is refused is replaced for the same notification."""
    with tempfile.TemporaryDirectory() as folder:
        expired = json.dumps({"reason": "ExpiredProviderToken"}).encode()
        carrier = APNs(folder, [(200, b""), (403, expired)])
        key, path = ec.generate_private_key(ec.SECP256R1()), os.path.join(folder, "AuthKey_ABCDE12345.p8")
        private_key(path, key)
        options = (
            "--apns", carrier.url, "--apns-topic", TOPIC, "--ca-file", carrier.roots, "--apns-key", path, "--apns-key-id", "ABCDE12345",
            "--apns-team", "TEAM012345")
        with running_server(*options) as running, contextlib.closing(carrier):
            vera, ada, room = conversation(running.port)
            vera.register("phone", "00ff", "APNS")
            ada.write(room, "good morning")
            first = carrier.next()[0]["authorization"]
            ada.write(room, "good evening")
            (second, body), (third, again) = carrier.next(), carrier.next()
            tokens = [first, second["authorization"], third["authorization"]]
            expect(tokens[0] == tokens[1] != tokens[2] and body == again, "one token until it is refused", tokens)
            for shown in tokens:
                kind, token = shown.split()
                claims = jwt.decode(token, key.public_key(), algorithms=["ES256"])
                expect(kind == "Bearer" and jwt.get_unverified_header(token)["kid"] == "ABCDE12345", "the key is named", token)
                expect(claims["iss"] == "TEAM012345" and set(claims) == {"iss", "iat"}, "the team is named", claims)


class TokenEndpoint(FCM):
    """Where assertions are exchanged; the answer is a token with the number of the exchange."""

    def take(self, headers, body):
        self.requests.put((headers, body))
        return 200, json.dumps({"access_token": f"access-{self.requests.qsize()}", "expires_in": 3600, "token_type": "Bearer"}).encode()


def test_fcm_gets_access_tokens():
    """An assertion that another implementation checks is exchanged; 401 makes another one."""
    with tempfile.TemporaryDirectory() as folder:
        carrier, endpoint = FCM([(401, b"")]), TokenEndpoint()
        key, path = rsa.generate_private_key(public_exponent=65_537, key_size=2_048), os.path.join(folder, "account.json")
        account = {
            "type": "service_account", "client_email": "push@project.example", "private_key_id": "k-1", "token_uri": endpoint.url,
            "private_key": private_key(os.path.join(folder, "key.pem"), key)}
        with open(path, "w") as file:
            json.dump(account, file)
        with running_server("--fcm", carrier.url, "--fcm-service-account", path) as running, contextlib.closing(carrier), contextlib.closing(endpoint):
            vera, ada, room = conversation(running.port)
            vera.register("phone", "device:1", "FCM")
            ada.write(room, "good morning")
            shown = [carrier.next()[0]["authorization"] for _ in range(2)]
            expect(shown == ["Bearer access-1", "Bearer access-2"], "the token of the exchange, and another one", shown)
            for headers, body in (endpoint.next(), endpoint.next()):
                form = urllib.parse.parse_qs(body.decode())
                expect(headers["content-type"] == "application/x-www-form-urlencoded", "a form", headers)
                expect(form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"], "the grant", form)
                claims = jwt.decode(form["assertion"][0], key.public_key(), algorithms=["RS256"], audience=endpoint.url)
                expect(claims["iss"] == account["client_email"] and claims["exp"] - claims["iat"] <= 3_600, "who asks, and for how long", claims)
                expect(claims["scope"].endswith("/auth/firebase.messaging"), "for what", claims)


def test_keys_that_are_none():
    """The file is named, with the remedy; nothing of it is printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "key.p8")
        text = private_key(path, rsa.generate_private_key(public_exponent=65_537, key_size=2_048))
        options = ["--apns-key-id", "ABCDE12345", "--apns-team", "TEAM012345"]
        for arguments, words in [
            (["--apns", "https://127.0.0.1:1", "--apns-topic", TOPIC, "--apns-key", path, *options], "P-256"),
            (["--apns", "https://127.0.0.1:1", "--apns-topic", TOPIC, "--apns-key", path + ".none", *options], "can't be read"),
            (["--fcm", "https://127.0.0.1:1", "--fcm-service-account", path], "no JSON object"),
            (["--apns", "https://127.0.0.1:1", "--apns-topic", TOPIC, "--apns-key", path], "belong together"),
        ]:
            refused = subprocess.run(
                [CALLAGENT, "serve", "--port", "0", "--key", KEY, "--secret", SECRET, *arguments], capture_output=True, text=True,
                timeout=60)
            said = refused.stdout + refused.stderr
            expect(refused.returncode == 2 and words in said, "it is refused", said)
            expect(text.splitlines()[1] not in said, "the key is not printed")
