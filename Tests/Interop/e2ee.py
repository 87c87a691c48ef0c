"""End-to-end encryption between `callagent` and LiveKit's own client: the same key, another one, none."""
from harness import CALLAGENT, Child, agent, agent_track, expect, lk_peer, near, remote_track, server

KEY = "correct horse battery staple"
OTHER = "another horse"
SIZE = "640x360"
# What the client would otherwise spend on keys ahead of a wrong one, and what makes it tell of failures.
CHEAP = ("--e2ee-ratchet", "0", "--e2ee-tolerance", "10")


def frames_of(result, sender, kind):
    """What a real peer received of a track, by number of decoded frames of its true size, or of sounding frames."""
    tracks = [t for t in result["tracks"] if t["kind"] == kind and t.get("participant", t.get("identity")) == sender]
    if kind == "audio":
        return max((t["sounding_frames"] for t in tracks), default=0)
    return max((t["sizes"].get(SIZE, 0) for t in tracks), default=0)


def meet(agent_key, peer_key, seconds=9):
    with server() as url:
        own = ["--e2ee-key", agent_key] if agent_key else []
        theirs = ["--e2ee-key", peer_key, *CHEAP] if peer_key else []
        real = lk_peer(url, "real", "--tone", "440", "--video", f"{SIZE}@15", *theirs, seconds=seconds)
        ours = agent(url, "ours", "--tone", "880", "--test-card", f"{SIZE}@15", *own, seconds=seconds)
        peer = real.result()
        # With keys that don't fit the agent says that nothing arrived, and ends with its code for that.
        return peer, ours.result(code=0 if agent_key == peer_key else 1)


def test_the_same_key_is_heard_and_seen_both_ways():
    peer, ours = meet(KEY, KEY)
    heard = remote_track(peer, "ours", "audio")
    near(heard["dominant_hz"], 880, 18, "the real peer hears us")
    expect(heard["sounding_frames"] > 200 and heard["tone_purity"] > 0.8, "our tone arrives undamaged", heard)
    expect(frames_of(peer, "ours", "video") > 60, "the real peer sees us", peer["tracks"])
    sound = agent_track(ours, "real", "audio")
    near(sound["audio"]["dominantHz"], 440, 9, "we hear the real peer")
    picture = agent_track(ours, "real", "video")
    expect(picture["framesDecoded"] > 60, "we see the real peer", picture)
    expect((picture["width"], picture["height"]) == (640, 360), "in its size", picture)


def test_another_key_opens_nothing():
    peer, ours = meet(OTHER, KEY)
    expect(frames_of(peer, "ours", "video") == 0, "the real peer sees nothing of us", peer["tracks"])
    # Its decryptor is attached after the first frames; some noise gets through before that.
    expect(frames_of(peer, "ours", "audio") < 30, "the real peer hears nothing of us", peer["tracks"])
    for kind in ("audio", "video"):
        track = agent_track(ours, "real", kind)
        expect(track["packetsReceived"] > 50, f"the real peer's {kind} reaches us", track)
        expect(track["framesDecoded"] == 0, f"and we decode none of it ({kind})", track)


def test_without_a_key_nothing_encrypted_is_played():
    peer, ours = meet(None, KEY)
    for kind in ("audio", "video"):
        track = agent_track(ours, "real", kind)
        expect(track["packetsReceived"] > 50, f"the real peer's {kind} reaches us", track)
        expect(track["framesDecoded"] == 0, f"and we decode none of it ({kind})", track)
    # What we send is in the clear, and a peer with a key takes it.
    expect(frames_of(peer, "ours", "video") > 60, "the real peer sees us", peer["tracks"])


def test_a_whole_call_is_encrypted():
    report = Child("callagent call", [
        CALLAGENT, "call", "--json", "--participants", "2", "--duration", "6", "--e2ee-key", KEY, "--srtp-profile",
        "aes256-gcm"]).result(60)
    expect(report["ok"], "everybody hears and sees everybody", report.get("failures"))
    expect(report["srtpProfile"] == "SRTP_AEAD_AES_256_GCM", "with the profile asked for", report["srtpProfile"])

