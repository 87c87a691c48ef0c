"""An interface that goes away under a call: the signalling connection and media both go on from the other one. A client with two
interfaces to a router's far side, where the server is; `callagent join` on both sides. Needs root."""
import contextlib
import json
import os
import subprocess
import time
import urllib.request

from livekit import api

from calls import serving
from harness import CALLAGENT, KEY, SECRET, Child, agent_track, expect, free_port, near
from namespaces import PAIRS, command, inside, need_namespaces

SERVER = "10.78.0.1"  # the server's own address, which both ways lead to
WAYS = (("up0", "10.78.1.1", "10.78.1.2"), ("up1", "10.78.2.1", "10.78.2.2"))
PERIOD = 20  # seconds of the call
CALM = 8  # seconds before the interface goes
GAP = 1_000  # ms without pictures or sound at the most


@contextlib.contextmanager
def two_ways():
    """A namespace with the server's address, and one with two interfaces of which the first is preferred; yields their names."""
    need_namespaces()
    number = next(PAIRS)
    near_side, far_side = (f"cb{end}{os.getpid()}-{number}" for end in "ab")
    try:
        for name in (near_side, far_side):
            command("ip", "netns", "add", name)
            command("ip", "-n", name, "link", "set", "lo", "up")
        command("ip", "-n", near_side, "address", "add", f"{SERVER}/32", "dev", "lo")
        for metric, (device, here, there) in enumerate(WAYS, 1):
            command("ip", "-n", near_side, "link", "add", device, "type", "veth", "peer", "name", device, "netns", far_side)
            for name, address in ((near_side, here), (far_side, there)):
                command("ip", "-n", name, "address", "add", f"{address}/24", "dev", device)
                command("ip", "-n", name, "link", "set", device, "up")
            command("ip", "-n", far_side, "route", "add", f"{SERVER}/32", "via", here, "dev", device, "metric", str(metric))
        yield near_side, far_side
    finally:
        for name in (near_side, far_side):  # the pairs go with their namespaces
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, timeout=20)


def join(space, url, who, hertz, seconds):
    return Child(who, [
        "ip", "netns", "exec", space, CALLAGENT, "join", "--url", url, "--key", KEY, "--secret", SECRET, "--room", "r",
        "--identity", who, "--tone", str(hertz), "--test-card", "320x180@30", "--duration", str(seconds), "--json"])


def check_gap(result, sender, hertz):
    """Both kinds of media stood still for less than `GAP`, and are themselves again."""
    audio, video = agent_track(result, sender, "audio"), agent_track(result, sender, "video")
    what = f"{result['identity']} of {sender}"
    print(f"     {what}: pictures stand still for {video['pictures']['longestPauseMs']} ms, "
          f"{audio['audio']['concealedMs']} ms of sound are concealed", flush=True)
    expect(video["pictures"]["longestPauseMs"] < GAP, f"{what}: pictures", video["pictures"])
    expect(audio["audio"]["concealedMs"] < GAP, f"{what}: sound", audio["audio"])
    near(audio["audio"]["dominantHz"], hertz, hertz * 0.02, f"{what}: the right sound")
    expect(video["framesDecoded"] > (PERIOD - 5) * 30 * 0.9, f"{what}: before and after", video["framesDecoded"])


def ask(space, url, method, **body):
    """What the room API answers, asked from where the server is."""
    jwt = api.AccessToken(KEY, SECRET).with_grants(api.VideoGrants(room_admin=True, room="r")).to_jwt()
    request = urllib.request.Request(
        f"{url.replace('ws:', 'http:')}/twirp/livekit.RoomService/{method}", json.dumps({"room": "r", **body}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {jwt}"})

    def answer():
        with urllib.request.urlopen(request, timeout=5) as reply:
            return json.load(reply)
    return inside(space, answer)


def published(space, url):
    """Who has published what, by the server: identity, its SID, the track's kind, its SID, and whether it is muted."""
    people = ask(space, url, "ListParticipants")["participants"]
    return {(who["identity"], who["sid"], track["type"], track["sid"], track["muted"]) for who in people for track in who["tracks"]}


def check_session(o, b):
    """One resume, and nobody else has noticed anything."""
    modes = [event["detail"].split(",")[0] for event in o["events"] if event["event"].startswith("reconnect")]
    expect(modes and set(modes) == {"quick"} and o["reconnects"] == 1, "one resume, no new session", o["events"])
    expect(b["reconnects"] == 0, "nobody else notices", b["events"])
    came = [event for event in b["events"] if event["event"] == "participantJoined" and "ours" in json.dumps(event)]
    gone = [event for event in b["events"] if event["event"] == "participantLeft" and event["ms"] < (PERIOD - 1) * 1000]
    expect(len(came) <= 1 and not gone, "one participant, from the beginning to the end", b["events"])
    expect(len([track for track in b["tracks"] if track["from"] == "ours"]) == 2, "its tracks are the same", b["tracks"])


def two(near_side, far_side, url):
    bob = join(near_side, url, "bob", 880, PERIOD + 2)
    time.sleep(0.5)
    return bob, join(far_side, url, "ours", 440, PERIOD)


def interface_goes(*how):
    with two_ways() as (near_side, far_side), serving(near_side, SERVER, free_port()) as url:
        bob, ours = two(near_side, far_side, url)
        time.sleep(CALM)
        for words in how:
            command("ip", "-n", far_side, *words)
        o, b = ours.result(90, code=(0, 1)), bob.result(90, code=(0, 1))
    check_gap(b, "ours", 440)
    check_gap(o, "bob", 880)
    check_session(o, b)


def test_an_interface_that_is_taken_down():
    interface_goes(("link", "set", WAYS[0][0], "down"))


def test_an_address_that_is_withdrawn():
    # As who manages addresses does it: with the routes that lead from there.
    device, here, there = WAYS[0]
    interface_goes(("address", "del", f"{there}/24", "dev", device),
                   ("route", "flush", f"{SERVER}/32", "dev", device))


def test_what_is_published_and_muted_stays_so():
    with two_ways() as (near_side, far_side), serving(near_side, SERVER, free_port()) as url:
        bob, ours = two(near_side, far_side, url)
        time.sleep(CALM - 2)
        sid = next(track for who, _, kind, track, _ in published(near_side, url) if (who, kind) == ("ours", "VIDEO"))
        ask(near_side, url, "MutePublishedTrack", identity="ours", trackSid=sid, muted=True)
        time.sleep(2)
        before = published(near_side, url)
        command("ip", "-n", far_side, "link", "set", WAYS[0][0], "down")
        time.sleep(4)
        after = published(near_side, url)
        o, b = ours.result(90, code=(0, 1)), bob.result(90, code=(0, 1))
    check_session(o, b)
    expect(before == after and len(before) == 4, "the same is published", {"before": sorted(before), "after": sorted(after)})
    expect([entry[3] for entry in after if entry[4]] == [sid], "and muted", sorted(after))
    told = [event["event"] for event in b["events"] if event["event"] in ("trackMuted", "trackUnmuted", "trackPublished")
            and event["participant"] == "ours"]
    expect(told.count("trackMuted") == 1 and "trackUnmuted" not in told, "bob is told once", told)
