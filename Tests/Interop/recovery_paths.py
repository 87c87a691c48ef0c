"""Media paths that break under a call: blackouts and a changed address, with the kernel's packet filter between two network
namespaces. Signalling (TCP) is well all the time. Needs root."""
import contextlib
import json
import sys
import time

from calls import serving
from harness import CALLAGENT, KEY, PEER, SECRET, Child, agent_track, expect, free_port, near, remote_track
from namespaces import command, namespace_pair, need_namespaces

SERVER, CLIENT, MOVED = "10.77.0.1", "10.77.0.2", "10.77.0.3"
PERIOD = 30  # seconds of a call
CALM = 9  # seconds before anything breaks: everybody is there by then
RATE = 15
BLACKOUT = """table ip broken {
    chain in { type filter hook prerouting priority -300; meta l4proto udp counter drop; }
    chain out { type filter hook output priority -300; meta l4proto udp counter drop; }
}"""
# What leaves comes from another address, and nothing reaches the old one any more.
MOVE = f"""table ip broken {{
    chain in {{
        type filter hook prerouting priority -300;
        meta l4proto udp ip daddr {CLIENT} counter drop
        meta l4proto udp ip daddr {MOVED} ip daddr set {CLIENT} counter
    }}
    chain out {{ type filter hook output priority -300; meta l4proto udp ip saddr set {MOVED} counter; }}
}}"""


class Call:
    """Bob next to the server; alice (LiveKit's own client) and ours (`callagent join`) behind a path that can break."""

    def __init__(self, url, near_side, far_side):
        self.far = far_side
        access = ["--url", url, "--key", KEY, "--secret", SECRET, "--room", "r"]
        video = f"640x360@{RATE}"
        real = lambda space, who, hertz, *more: Child(who, [
            "ip", "netns", "exec", space, sys.executable, PEER, *access, "--identity", who, "--tone", hertz, "--no-dtx",
            "--video", video, "--seconds", str(PERIOD), *more])
        self.bob = real(near_side, "bob", "880", "--data", "tick", "--data-interval", "0.1")
        self.alice = real(far_side, "alice", "440", "--data", "tock", "--data-interval", "0.1")
        self.ours = Child("ours", [
            "ip", "netns", "exec", far_side, CALLAGENT, "join", *access, "--identity", "ours", "--tone", "660",
            "--test-card", video, "--duration", str(PERIOD), "--json"])
        self.begun = time.monotonic()

    def until(self, second):
        time.sleep(max(0.0, self.begun + second - time.monotonic()))

    def breaks(self, rules):
        command("ip", "netns", "exec", self.far, "nft", "-f", "-", input=rules)

    def heals(self):
        """Ends what was broken; the packets that met each rule."""
        listing = json.loads(command("ip", "netns", "exec", self.far, "nft", "-j", "list", "ruleset"))
        command("ip", "netns", "exec", self.far, "nft", "delete", "table", "ip", "broken")
        counters = [part["counter"]["packets"] for entry in listing["nftables"] if "rule" in entry
                    for part in entry["rule"]["expr"] if "counter" in part]
        return counters

    def results(self):
        """Of ours the report says that its media was gone for a while."""
        ours = self.ours.result(90, code=(0, 1))
        expect(set(ours["reasons"]) <= {"frozen", "concealed", "late"}, "ours lost nothing but time", ours["failures"])
        return self.alice.result(90), ours, self.bob.result(90)


@contextlib.contextmanager
def breakable_call():
    need_namespaces()
    # A path that breaks for UDP alone would be left for TCP.
    with (namespace_pair(SERVER, CLIENT) as (near_side, far_side),
          serving(near_side, SERVER, free_port(), "--tcp-port", "off") as url):
        link = json.loads(command("ip", "-n", far_side, "-j", "link", "show", "veth0"))[0]
        command("ip", "-n", near_side, "neigh", "add", MOVED, "lladdr", link["address"], "dev", "veth0")
        yield Call(url, near_side, far_side)


def check_one_session(result):
    """Nobody went, nothing was published again."""
    for name in ("participant_disconnected", "track_unpublished", "local_track_republished", "track_unsubscribed"):
        seen = [event for event in result["events"] if event["e"] == name and event["t"] < (PERIOD - 6) * 1000]
        expect(not seen, f"no {name} for {result['identity']}", seen)


def check_pause(result, sender, shortest, longest):
    """Pictures paused for so long (ms), sound came before and after, at its rate."""
    video, audio = remote_track(result, sender, "video"), remote_track(result, sender, "audio")
    what = f"{result['identity']} misses {sender}"
    expect(shortest <= video["max_freeze_ms"] <= longest, f"{what} for {shortest} to {longest} ms", video)
    seconds = PERIOD - 5 - longest / 1000
    expect(audio["sounding_frames"] >= seconds * 100, f"{sender} is heard before and after", audio)
    expect(video["frames"] >= seconds * RATE * 0.8, f"{sender} is seen before and after", video)


def check_agent(ours, sender, hertz, longest):
    audio, video = agent_track(ours, sender, "audio"), agent_track(ours, sender, "video")
    near(audio["audio"]["dominantHz"], hertz, hertz * 0.02, f"ours hears {sender}")
    expect(video["framesDecoded"] >= (PERIOD - 5 - longest / 1000) * RATE * 0.8, f"ours sees {sender} before and after", video)
    gone = [event for event in ours["events"] if event["event"] == "participantLeft" and event["ms"] < (PERIOD - 3) * 1000]
    # That its path is silent is said; by a new session it would be "full".
    modes = {event["detail"].split(",")[0] for event in ours["events"] if event["event"].startswith("reconnect")}
    expect(not gone and modes <= {"quick"}, "ours keeps its session", ours["events"])


def check_reliable(result, sender, text):
    """Every message from the first one that came up to nearly the end, once and in order."""
    got = [d["text"] for d in result["data"] if d["from"] == sender]
    first = int(got[0].split("#")[1])
    expect(got == [f"{text}#{n}" for n in range(first, first + len(got))], f"{sender}'s messages all come", got)
    expect(len(got) >= (PERIOD - 8) * 10 * 0.7, f"{sender}'s messages come to the end", len(got))


def test_a_blackout_of_eight_seconds():
    with breakable_call() as call:
        call.until(CALM)
        call.breaks(BLACKOUT)
        call.until(CALM + 8)
        dropped = call.heals()
        alice, ours, bob = call.results()
        expect(min(dropped) > 20, "both directions were cut", dropped)
        for result in (alice, bob):
            check_one_session(result)
        # Back within two seconds.
        for result, sender in ((bob, "alice"), (bob, "ours"), (alice, "bob")):
            check_pause(result, sender, 7_500, 10_000)
        # Two who are behind the same path miss one another as well.
        check_pause(alice, "ours", 7_500, 10_000)
        check_agent(ours, "bob", 880, 10_000)
        expect({"frozen", "concealed"} & set(ours["reasons"]), "ours says that something stood still", ours["reasons"])
        # A check of consent leaves each four to six seconds, and five without an answer are a loss: it may not be noticed.
        expect(ours["reconnects"] <= 1, "and counts the loss once, if it does", ours["reconnects"])
        check_reliable(bob, "alice", "tock")
        check_reliable(alice, "bob", "tick")


def test_a_client_whose_address_changes():
    with breakable_call() as call:
        call.until(CALM)
        call.breaks(MOVE)
        call.until(PERIOD - 3)
        counters = call.heals()
        alice, ours, bob = call.results()
        old, received, sent = counters
        expect(received > 2_000 and sent > 2_000, "media went over the new address", counters)
        for result in (alice, bob):
            check_one_session(result)
        for result, sender in ((bob, "alice"), (bob, "ours"), (alice, "bob")):
            check_pause(result, sender, 0, 8_000)
        check_agent(ours, "bob", 880, 8_000)
        check_reliable(bob, "alice", "tock")
        check_reliable(alice, "bob", "tick")
