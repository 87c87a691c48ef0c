"""A bad network between other people's software and a server: `callagent netem`."""
import contextlib
import json
import os
import select
import subprocess
import tempfile
import time

from harness import CALLAGENT, Failure, agent, agent_track, expect, free_port, lk_peer, near, remote_track, server, tail


class Netem:
    """A `callagent netem` before a server, and what it says of the weather."""

    def __init__(self, url, *arguments):
        self.port = free_port()
        self.url = f"ws://127.0.0.1:{self.port}"
        # Read by another description than it is written by: they would share one position.
        self.log, self.written = tempfile.TemporaryFile("w+"), tempfile.NamedTemporaryFile("w")
        self.output = open(self.written.name)
        self.process = subprocess.Popen(
            [CALLAGENT, "netem", "--server", url, "--listen", str(self.port), "--json", *arguments],
            stdout=self.written, stderr=self.log)

    def wait_until_ready(self, limit=15):
        """Until it has said where it listens."""
        end = time.monotonic() + limit
        while time.monotonic() < end and self.process.poll() is None:
            self.output.seek(0)
            if self.output.readline().endswith("\n"):
                return
            select.select([], [], [], 0.05)
        raise Failure(f"netem is not ready: {tail(self.log)}")

    def stop(self, code=0):
        """Its report; `code` is the exit code that is right, or several."""
        self.process.terminate()
        try:
            ended = self.process.wait(10)
        except subprocess.TimeoutExpired as error:
            self.process.kill()
            raise Failure("netem did not stop within 10 s of SIGTERM") from error
        self.output.seek(0)
        self.lines = [json.loads(line) for line in self.output.read().splitlines()]
        expect(ended in (code if isinstance(code, tuple) else (code,)), f"netem ends with {code}", (ended, tail(self.log)))
        return self.lines[-1]


@contextlib.contextmanager
def netem(url, *arguments):
    running = Netem(url, *arguments)
    try:
        running.wait_until_ready()
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()



def real_client_meets_the_weather(mode):
    with server() as url, netem(url, "--network", "delay=40,down.loss=10,seed=5") as weather:
        ours = agent(url, "ours", "--tone", "440", "--test-card", "640x360@30", seconds=12)
        real = lk_peer(
            weather.url, "real", "--single-pc", mode, "--tone", "880", "--no-dtx", "--video", "640x360@15", "--stats", seconds=9)
        r, o = real.result(), ours.result()
        report = weather.stop()
    # Both hear and see each other all the same.
    near(remote_track(r, "ours", "audio")["dominant_hz"], 440, 9, "the real peer hears ours through the weather")
    near(agent_track(o, "real", "audio")["audio"]["dominantHz"], 880, 15, "ours hears the real peer through the weather")
    expect(agent_track(o, "real", "video")["framesDecoded"] > 30, "ours sees the real peer", o["tracks"])
    # The weather is in the real client's own statistics.
    trip = max(pair["rtt_ms"] for pair in r["stats"]["pairs"])
    expect(75 <= trip < 400, "the real client measures the delay of both ways", r["stats"]["pairs"])
    lost = sum(track["lost"] for track in r["stats"]["inbound"] if track["kind"] == "audio" or track["packets"] > 0)
    got = sum(track["packets"] for track in r["stats"]["inbound"])
    nacks = sum(track["nack"] for track in r["stats"]["inbound"])
    expect(lost > 0 or nacks > 5, "the real client counts losses", r["stats"]["inbound"])
    expect(got > 300, "and what came", r["stats"]["inbound"])
    # And in the report, one client of the token's name, everything accounted for.
    client = next(client for client in report["clients"] if client["name"] == "real")
    down, up = client["toClient"], client["toServer"]
    expect(0.05 < down["dropped"] / down["received"] < 0.16, "a tenth is lost on the way to the client", down)
    expect(up["dropped"] == 0 and up["received"] > 300, "nothing on the way to the server", up)
    expect(report["ok"] and report["overloaded"] == 0, "the relays kept up", report)
    listening = weather.lines[0]
    expect(listening["event"] == "listening" and listening["network"]["seed"] == 5, "the seed is said", listening)
    expect(sum(line["event"] == "second" for line in weather.lines) >= 8, "a line a second", len(weather.lines))


def test_a_real_client_meets_the_weather():
    real_client_meets_the_weather("1")


def test_a_real_client_with_two_connections_meets_the_weather():
    real_client_meets_the_weather("0")


def test_a_recorded_network_limits_a_real_client():
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "narrow.trace")
        with open(trace, "w") as file:
            file.write("time down.rate down.delay\n0 350 30\n30 350 30\n")
        with server() as url, netem(url, "--network", f"trace={trace},queue=150") as weather:
            ours = agent(url, "ours", "--tone", "440", "--test-card", "640x360@30", seconds=13)
            real = lk_peer(weather.url, "real", "--stats", seconds=10)
            r = real.result()
            ours.result()
            weather.stop()
        seconds = [line for line in weather.lines if line["event"] == "second"]
        rates = []
        for earlier, later in zip(seconds, seconds[1:]):
            old = next((c for c in earlier["clients"] if c["name"] == "real"), None)
            new = next((c for c in later["clients"] if c["name"] == "real"), None)
            if old and new:
                bits = 8 * (new["toClient"]["forwardedBytes"] - old["toClient"]["forwardedBytes"])
                rates.append(bits / (later["seconds"] - earlier["seconds"]) / 1000)
        # Headers are within the limit and not within these; a second's edge lets a queue's worth through.
        expect(max(rates) < 350 * 1.25, "no more passes than the recorded rate", rates)
        expect(max(rates) > 100, "and media does pass", rates)
        expect(remote_track(r, "ours", "audio")["sounding_frames"] > 200, "sound comes through", r["tracks"])


def who_tells_is_sent_what_fits(mode, queue=600):
    """A real client behind 500 kbit/s tells of each packet and is sent what fits; no queue stands."""
    with server("--downlink-feedback", "transport-cc") as url, \
            netem(url, "--network", f"delay=20,down.rate=500,queue={queue}", "--interval", "0.1") as weather:
        ours = agent(url, "ours", "--tone", "440", "--test-card", "1280x720@30", "--simulcast", seconds=24)
        real = lk_peer(weather.url, "real", "--single-pc", mode, seconds=16)
        r = real.result()
        ours.result()
        weather.stop(code=(0, 1))
    clients = [(line["seconds"], c["toClient"]) for line in weather.lines if line["event"] == "second"
               for c in line["clients"] if c["name"] == "real" and c["toClient"]["received"] > 0]
    settled = [way["queueMs"] for at, way in clients if at - clients[0][0] > 6]
    track = remote_track(r, "ours", "video")
    expect(len(settled) > 60 and sorted(settled)[len(settled) * 7 // 10] < queue / 2, "no queue stands", (settled, track["sizes"]))
    expect(track["frames"] > 150 and f"{track['width']}x{track['height']}" != "1280x720", "a smaller picture is seen", track)


def test_who_tells_of_packets_is_sent_what_fits():
    who_tells_is_sent_what_fits("1")


def test_who_tells_of_packets_over_two_connections_is_sent_what_fits():
    who_tells_is_sent_what_fits("0")


def test_addresses_change_and_the_call_goes_on():
    with server() as url, netem(url, "--network", "delay=10,rebind=3s") as weather:
        real = lk_peer(weather.url, "real", "--tone", "880", "--no-dtx", seconds=12)
        ours = agent(url, "ours", "--tone", "440", seconds=13)
        # Until its next check shows the new address the server takes no media from it: sound of seconds is concealed, and said so.
        r, o = real.result(), ours.result(code=(0, 1))
        expect(set(o["reasons"]) <= {"concealed", "late"}, "nothing else is lost", o["reasons"])
        report = weather.stop()
    client = next(client for client in report["clients"] if client["name"] == "real")
    expect(client["rebindings"] >= 2, "the client's address changed", client)
    track = remote_track(r, "ours", "audio")
    expect(track["sounding_frames"] > 600, "the real client goes on hearing", track)
    near(agent_track(o, "real", "audio")["audio"]["dominantHz"], 880, 15, "and is heard")


def test_refusals_pass_through():
    with server() as url, netem(url) as weather:
        refused = lk_peer(weather.url, "eve", seconds=3, secret="not-the-secret-of-this-server-at-all").result(code=2)
        expect("401" in str(refused), "the server's refusal arrives", refused)


def test_a_server_that_is_not_there_is_said():
    with netem(f"ws://127.0.0.1:{free_port()}") as weather:
        refused = lk_peer(weather.url, "real", seconds=3).result(code=2)
        expect(not refused["connected"], "nobody is let in", refused)
        weather.stop()
