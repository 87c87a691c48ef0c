"""Media through a real TURN server: coturn, over UDP, TCP and TLS, with its own count of what it has relayed."""
import contextlib
import functools
import os
import re
import select
import shutil
import socket
import subprocess
import tempfile
import time

from harness import Failure, LeftOut, agent, agent_track, expect, free_port, lk_peer, near, remote_track, server, tail
from namespaces import inside

USER, CREDENTIAL = "ada", "open-sesame"
SECONDS = 9


@functools.cache
def known_options():
    return subprocess.run(["turnserver", "-h"], capture_output=True, text=True, check=False).stdout.split()


def available(*options):
    """Those that this turnserver knows: later ones have no words for what they leave out anyway."""
    return [option for option in options if option in known_options()]


class Coturn:
    """A `turnserver` on 127.0.0.1, or on the address of a namespace, with one user and a certificate for TLS that nobody else trusts."""

    def __init__(self, folder, *arguments, host="127.0.0.1", namespace=None, port=None):
        if not shutil.which("turnserver"):
            raise LeftOut("there is no turnserver; Scripts/bootstrap --interop installs it")
        self.host, self.namespace = host, namespace
        self.port, self.tls_port = port or free_port(), free_port()
        self.certificate = os.path.join(folder, "certificate.pem")
        key = os.path.join(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", f"subjectAltName=DNS:localhost,IP:127.0.0.1,IP:{host}", "-keyout", key,
             "-out", self.certificate], check=True, capture_output=True)
        self.log = open(os.path.join(folder, "coturn.log"), "w+")
        self.process = subprocess.Popen(
            [*(("ip", "netns", "exec", namespace) if namespace else ()),
             "turnserver", "-n", "--listening-ip", host, "--relay-ip", host, "--listening-port", str(self.port),
             "--tls-listening-port", str(self.tls_port), "--cert", self.certificate, "--pkey", key,
             *(arguments or ("--lt-cred-mech", "--user", f"{USER}:{CREDENTIAL}")), "--realm", "interop",
             "--allow-loopback-peers", *available("--no-cli", "--no-dtls"), "--verbose", "--log-file", "stdout", "--simple-log", "--pidfile", os.path.join(folder, "pid"),
             "--userdb", os.path.join(folder, "users")],
            stdout=self.log, stderr=subprocess.STDOUT)

    def wait_until_ready(self, limit=15):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failure(f"turnserver exited with {self.process.returncode}: {tail(self.log)}")
            if inside(self.namespace, self.answers) if self.namespace else self.answers():
                return
            select.select([], [], [], 0.05)
        raise Failure(f"turnserver was not ready within {limit} s: {tail(self.log)}")

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection((self.host, self.port), 0.2):
            return True
        return False

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def usage(self):
        """Bytes that it has received from and sent to its clients, by the sessions that have ended."""
        self.log.seek(0)
        rows = re.findall(r"usage: .*?rp=\d+, rb=(\d+), sp=\d+, sb=(\d+)", self.log.read())
        return sum(int(row[0]) for row in rows), sum(int(row[1]) for row in rows)


@contextlib.contextmanager
def coturn(*arguments, **place):
    with tempfile.TemporaryDirectory() as folder:
        running = Coturn(folder, *arguments, **place)
        try:
            running.wait_until_ready()
            yield running
        finally:
            running.stop()


def check_relayed(result):
    """A participant's media went through the relay and nowhere else."""
    own = result["participants"][0]
    expect(own["localCandidateType"] == "relay", f"{result['identity']} uses a relayed candidate", own)
    for counted, way in (("bytesSent", "relayedBytesSent"), ("bytesReceived", "relayedBytesReceived")):
        # The rest is what is said to the TURN server itself; over streams it is not counted with the datagrams.
        expect(own[way] > 30_000 and own[way] > own[counted] * 0.9, f"{result['identity']}: {way}", own)


def check_counted(turn):
    received, sent = turn.usage()
    expect(received > 100_000 and sent > 100_000, "coturn has counted what went through it", (received, sent))


def relayed_call(turn, url, *arguments, told=None):
    """Two of ours, which may use the relay only and learn of it from the server."""
    with server(*(told or ("--ice-server", f"{url},{USER},{CREDENTIAL}"))) as address:
        wishes = ["--force-relay", "--test-card", "640x360@30", *arguments]
        near_side = agent(address, "near", "--tone", "440", *wishes, seconds=SECONDS)
        far_side = agent(address, "far", "--tone", "880", *wishes, seconds=SECONDS)
        results = near_side.result(), far_side.result()
    for result, sender, hertz in ((results[0], "far", 880), (results[1], "near", 440)):
        check_relayed(result)
        near(agent_track(result, sender, "audio")["audio"]["dominantHz"], hertz, 15, f"{sender} is heard")
        video = agent_track(result, sender, "video")
        expect(video["framesDecoded"] > (SECONDS - 3) * 30 * 0.9, f"{sender}'s pictures arrive", video)
        expect(result["connectMs"] < 3000, "connected in 3 s", result["connectMs"])
    return results


def test_media_goes_through_turn_over_udp():
    with coturn() as turn:
        relayed_call(turn, f"turn:127.0.0.1:{turn.port}")
        turn.stop()
        check_counted(turn)


def test_media_goes_through_turn_over_tcp():
    with coturn() as turn:
        relayed_call(turn, f"turn:127.0.0.1:{turn.port}?transport=tcp")
        turn.stop()
        check_counted(turn)


def test_media_goes_through_turn_over_tls():
    with coturn() as turn:
        relayed_call(turn, f"turns:localhost:{turn.tls_port}", "--ca-file", turn.certificate)
        turn.stop()
        check_counted(turn)


SHARED = "a-secret-that-both-servers-know"
WITH_SHARED_SECRET = ("--use-auth-secret", "--static-auth-secret", SHARED)


def test_media_goes_through_turn_with_credentials_that_expire():
    with coturn(*WITH_SHARED_SECRET) as turn:
        url = f"turn:127.0.0.1:{turn.port}"
        relayed_call(turn, url, told=("--turn", url, "--turn-secret", SHARED))
        turn.stop()
        check_counted(turn)


def test_a_wrong_shared_secret_is_refused_by_the_turn_server():
    with coturn(*WITH_SHARED_SECRET) as turn:
        with server("--turn", f"turn:127.0.0.1:{turn.port}", "--turn-secret", "another-secret") as url:
            result = agent(url, "forced", "--force-relay", seconds=60).result(limit=20, code=1)
    said = [text for text in result["failures"] if "refuses user name or credential" in text]
    expect(said, "the failure names the cause", result["failures"])


def real_peer_meets_relayed(*mode):
    """A real client, which is reached directly, and one of ours behind a relay that only we know of."""
    with coturn() as turn, server() as url:
        real = lk_peer(url, "real", "--tone", "880", "--no-dtx", "--video", "640x360@15", seconds=SECONDS + 2)
        ours = agent(
            url, "ours", "--tone", "440", "--test-card", "640x360@30", "--force-relay", "--ice-server",
            f"turn:127.0.0.1:{turn.port},{USER},{CREDENTIAL}", *mode, seconds=SECONDS)
        o, r = ours.result(), real.result()
        check_relayed(o)
        near(remote_track(r, "ours", "audio")["dominant_hz"], 440, 9, "the real peer hears ours")
        near(agent_track(o, "real", "audio")["audio"]["dominantHz"], 880, 15, "ours hears the real peer")
        seen = remote_track(r, "ours", "video")
        expect(seen["sizes"].get("640x360", 0) > 60 and seen["moving_frames"] > 40, "the real peer sees ours", seen)
        video = agent_track(o, "real", "video")
        # How many pictures a real encoder sends is its own affair on a busy machine; a third of them is beyond doubt.
        expect(video["framesDecoded"] > (SECONDS - 3) * 5, "ours sees the real peer", video)


def test_a_real_peer_meets_one_behind_a_relay():
    real_peer_meets_relayed()


def test_a_real_peer_meets_one_behind_a_relay_with_two_connections():
    real_peer_meets_relayed("--two-connections")


def test_a_wrong_turn_credential_is_said_and_ends_a_call_that_needs_it():
    with coturn() as turn, server("--ice-server", f"turn:127.0.0.1:{turn.port},{USER},wrong") as url:
        forced = agent(url, "forced", "--force-relay", seconds=60)
        free = agent(url, "free", "--tone", "440", seconds=4)
        # Not by its own duration: at once.
        f = forced.result(limit=20, code=1)
        said = [text for text in f["failures"] if "refuses user name or credential" in text]
        expect(said and f"turn:127.0.0.1:{turn.port}" in said[0], "the failure names server and cause", f["failures"])
        # Who may use other ways goes on, with a warning.
        result = free.result()
        expect(result["participants"][0]["localCandidateType"] == "host", "the direct way is used", result["participants"])
        expect("refuses user name or credential" in tail(free.errors), "a warning is logged", tail(free.errors))


def test_servers_that_do_not_answer_delay_nothing():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        with server("--ice-server", f"stun:127.0.0.1:{port}", "--ice-server", f"turn:127.0.0.1:{port},u,s") as url:
            result = agent(url, "ours", "--tone", "440", seconds=4).result()
        silent.setblocking(False)
        expect(silent.recv(2048), "the silent server was asked")
    expect(result["connectMs"] < 2000, "connected at once", result["connectMs"])
    expect(result["participants"][0]["localCandidateType"] == "host", "by the direct way", result["participants"])
