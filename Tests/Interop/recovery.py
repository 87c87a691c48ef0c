"""Recovery with real clients: lost signalling, full reconnects, servers that leave, tokens that do not let in."""
import base64
import hashlib
import hmac
import json
import select
import time

from harness import (
    KEY, SECRET, RunningServer, agent, agent_track, expect, lk_peer, near, remote_track, server)
from slow_path import slow_path

PERIOD = 14  # seconds that the one who is disturbed stays
AT = 4  # when it is disturbed


def calls(result, name):
    return [event for event in result["events"] if event["e"] == name]


def disturbed_call(mode, action, after=()):
    """A call of two real clients in which alice is disturbed: both results."""
    with server() as url:
        bob = lk_peer(url, "bob", "--single-pc", mode, "--tone", "880", "--no-dtx", seconds=PERIOD + 1)
        alice = lk_peer(
            url, "alice", "--single-pc", mode, "--tone", "440", "--no-dtx", "--video", "640x360@15",
            "--at", f"{AT}:sim:{action}", *after, seconds=PERIOD)
        return alice.result(), bob.result()


def check_resumed(alice, bob):
    expect(len(calls(alice, "reconnecting")) == 1 and len(calls(alice, "reconnected")) == 1, "one resume", alice["events"])
    # Everything is what it was: nobody went, nothing was published again.
    for name in ("participant_disconnected", "track_unpublished", "local_track_republished", "track_unsubscribed"):
        expect(not calls(alice, name), f"no {name} for alice", alice["events"])
    seen = [track["sid"] for track in bob["tracks"]]
    expect(sorted(seen) == sorted(track["sid"] for track in alice["published"].values()), "the same publications", seen)
    joins = [event for event in calls(bob, "participant_connected") if event["who"] == "alice"]
    expect(len(joins) <= 1, "alice came once", bob["events"])
    # At most 2 s of media are lost: 100 audio frames a second, 15 pictures a second, in the time that both were there.
    for hearer, sender in ((alice, "bob"), (bob, "alice")):
        track = remote_track(hearer, sender, "audio")
        expect(track["sounding_frames"] >= (PERIOD - 1 - 2) * 100, f"{sender}'s sound goes on", track)
    video = remote_track(bob, "alice", "video")
    expect(video["frames"] >= (PERIOD - 1 - 2) * 15, "alice's pictures go on", video)
    near(video["fps"], 15, 1.5, "alice's pictures come at their rate")


def test_signalling_is_resumed_single_connection():
    check_resumed(*disturbed_call("1", "signal_reconnect"))


def test_signalling_is_resumed_two_connections():
    check_resumed(*disturbed_call("0", "signal_reconnect"))


def check_rejoined(alice, bob, reason):
    expect(len(calls(alice, "reconnecting")) == 1 and len(calls(alice, "reconnected")) == 1, "one reconnect", alice["events"])
    expect(len(calls(alice, "local_track_republished")) == 2, "both tracks were published again", alice["events"])
    gone = [event for event in calls(bob, "participant_disconnected") if event["who"] == "alice"]
    expect(gone and gone[0]["reason"] == reason, f"bob was told of {reason}", gone)
    # The second stay: from some moments after the disturbance to the end.
    after = [track for track in bob["tracks"] if track["participant"] == "alice" and track["subscribed_ms"] > AT * 1000]
    frames = {track["kind"]: track["frames"] for track in after}
    expect(frames.get("audio", 0) >= (PERIOD - AT - 3) * 100, "alice is heard again", frames)
    expect(frames.get("video", 0) >= (PERIOD - AT - 3) * 15, "alice is seen again", frames)
    again = remote_track(alice, "bob", "audio")
    expect(again["sounding_frames"] >= (PERIOD - 4) * 100, "alice hears bob before and after", again)


def test_full_reconnect_single_connection():
    check_rejoined(*disturbed_call("1", "full_reconnect"), "CLIENT_INITIATED")


def test_full_reconnect_two_connections():
    check_rejoined(*disturbed_call("0", "full_reconnect"), "CLIENT_INITIATED")


def test_a_session_that_is_gone_is_joined_anew():
    check_rejoined(*disturbed_call("1", "node_failure"), "SERVER_SHUTDOWN")


def restarted(mode):
    """The server ends and another one takes its place: both clients join it, with their tracks as they were."""
    first = RunningServer()
    first.wait_until_ready()
    second = None
    try:
        peer = lambda who, hertz, seconds, *more: lk_peer(
            first.url, who, "--single-pc", mode, "--tone", hertz, "--no-dtx", "--video", "640x360@15", *more, seconds=seconds)
        bob, alice = peer("bob", "880", 24), peer("alice", "440", 28, "--at", "3:mute:audio")
        select.select([], [], [], 8)
        first.process.kill()
        first.process.wait()
        select.select([], [], [], 1)
        second = RunningServer(port=first.port)
        second.wait_until_ready()
        a, b = alice.result(), bob.result()
    finally:
        first.stop()
        if second:
            second.stop()
    for result in (a, b):
        expect(calls(result, "reconnecting") and calls(result, "reconnected"), f"{result['identity']} reconnects", result["events"])
        expect(len(calls(result, "local_track_republished")) == 2, f"{result['identity']} publishes both again", result["events"])
    rows = [row for row in b["remote_participants"] if row["identity"] == "alice"]
    muted = sorted((row["kind"], row["muted"]) for row in rows[0]["publications"]) if rows else []
    expect(muted == [("audio", True), ("video", False)], "alice's sound is still muted, her picture isn't", b["remote_participants"])
    for hearer, sender, kinds in ((b, "alice", {"video"}), (a, "bob", {"audio", "video"})):
        lost = calls(hearer, "reconnecting")[0]["t"]
        after = [t for t in hearer["tracks"] if t["participant"] == sender and t["subscribed_ms"] > lost]
        frames = {t["kind"]: t.get("sounding_frames", t["frames"]) for t in after}
        expect(all(frames.get(kind, 0) > 60 for kind in kinds), f"{sender} is there again", frames)
        expect("audio" in kinds or frames.get("audio", 0) < 30, f"{sender} stays silent", frames)


def test_a_restarted_server_single_connection():
    restarted("1")


def test_a_restarted_server_two_connections():
    restarted("0")


def test_media_does_not_notice_refused_signalling():
    """Two connections, and a signalling port that refuses for five seconds: sound goes on as if nothing had been."""
    # The next attempt may come up to nine seconds after the loss.
    period = PERIOD + 5
    with server() as url, slow_path(url, 0) as path:
        bob = lk_peer(url, "bob", "--single-pc", "0", "--tone", "880", "--no-dtx", seconds=period + 1)
        ours = agent(path.url, "ours", "--two-connections", "--tone", "440", seconds=period)
        time.sleep(AT)
        path.refuse()
        time.sleep(5)
        path.listen()
        ours, bob = ours.result(), bob.result()
    track = agent_track(ours, "bob", "audio")
    # What this machine itself was late with is not signalling's doing.
    allowed = 60 + ours["lateness"]["lateMilliseconds"]
    expect(track["packetsLost"] == 0 and track["audio"]["concealedMs"] <= allowed, "ours hears all of it", track)
    gone = [event["reason"] for event in calls(bob, "participant_disconnected") if event["who"] == "ours"]
    expect(gone in ([], ["CLIENT_INITIATED"]), "ours left at its end alone", bob["events"])
    heard = remote_track(bob, "ours", "audio")
    expect(heard["sounding_frames"] >= (period - 3) * 100, "bob hears ours all the time", heard)


def test_server_leave_is_final():
    alice, bob = disturbed_call("1", "server_leave")
    expect(alice["disconnect_reason"] == "SERVER_SHUTDOWN" and alice["ended_by_server"], "alice was sent away", alice["events"])
    expect(not calls(alice, "reconnecting"), "and did not try again", alice["events"])
    gone = [event for event in calls(bob, "participant_disconnected") if event["who"] == "alice"]
    expect([event["reason"] for event in gone] == ["SERVER_SHUTDOWN"], "bob was told", gone)


def mint(claims, secret=SECRET):
    """A token with these claims, signed with HMAC-SHA256."""
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
    signed = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    signature = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    return (signed + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


def refused(mode, token, text):
    with server() as url:
        begun = time.monotonic()
        result = lk_peer(url, "eve", "--single-pc", mode, "--token", token, seconds=3).result(code=2)
        expect(text in result["error"], f"the refusal says {text!r}", result)
        expect(time.monotonic() - begun < 10, "at once", result)


def tokens():
    good = {"iss": KEY, "sub": "eve", "video": {"room": "interop", "roomJoin": True}}
    now = int(time.time())
    good["nbf"], good["exp"] = now - 10, now + 600
    yield mint({**good, "exp": now - 120}), "401"
    yield mint({**good, "iss": "foreign"}), "401"
    yield mint(good, secret="another-secret-of-32-characters!!"), "401"
    yield mint({**good, "video": {"room": "interop"}}), "401"
    yield "no.token.atall", "401"


def test_bad_expired_and_foreign_tokens_single_connection():
    for token, text in tokens():
        refused("1", token, text)


def test_bad_expired_and_foreign_tokens_two_connections():
    for token, text in tokens():
        refused("0", token, text)
