"""Layers with LiveKit's own client: simulcast and SVC by quality, what nobody asks for is not sent, codecs."""
from harness import agent, agent_track, expect, lk_peer, remote_track, server

LOW, MEDIUM, HIGH = "320x180", "640x360", "1280x720"
RATE = 15
SECONDS = 19
# When the watcher asks for what; between two of them lie more than enough pictures to count.
SWITCHES = ("--at", "6:quality:low", "--at", "10:quality:medium", "--at", "14:quality:high")
ENOUGH = 2 * RATE  # of the 4 s between two switches


def layers(result, sender):
    """The pictures of a sender by size."""
    track = remote_track(result, sender, "video")
    return {size: track["sizes"].get(size, 0) for size in (LOW, MEDIUM, HIGH)}, track


def check_switches(watcher, control, sender):
    """The watcher's sizes follow what it asked for; the control's, which asked for nothing, show what would come anyway."""
    seen, track = layers(watcher, sender)
    anyway, calm = layers(control, sender)
    both = {"watcher": track["sizes"], "control": calm["sizes"]}
    expect(seen[LOW] >= anyway[LOW] + ENOUGH, "low was asked for and came", both)
    expect(seen[MEDIUM] >= anyway[MEDIUM] + ENOUGH, "medium was asked for and came", both)
    expect(anyway[HIGH] >= seen[HIGH] + 2 * ENOUGH, "high paused meanwhile", both)
    expect(seen[HIGH] >= ENOUGH, "high came", both)
    for what in (track, calm):
        expect(f"{what['width']}x{what['height']}" == HIGH, "high is what is seen in the end", both)


def quality_switches(mode, publish):
    """One sends, one switches, one just looks."""
    with server() as url:
        sender = publish(url)
        watcher = lk_peer(url, "watcher", "--single-pc", mode, *SWITCHES, seconds=SECONDS)
        control = lk_peer(url, "control", "--single-pc", mode, seconds=SECONDS)
        check_switches(watcher.result(), control.result(), "sender")
        return sender.result()


def real_sender(mode, *options):
    return lambda url: lk_peer(
        url, "sender", "--single-pc", mode, "--video", f"{HIGH}@{RATE}", "--stats", *options, seconds=SECONDS + 2)


def outbound(result):
    """What a real peer sent of its video, by the name of the layer."""
    return {row["rid"]: row for row in result["stats"]["outbound"] if row["kind"] == "video"}


def test_simulcast_follows_the_quality_single_connection():
    sent = quality_switches("1", real_sender("1", "--simulcast"))
    expect({rid: row["h"] for rid, row in outbound(sent).items()} == {"q": 180, "h": 360, "f": 720}, "three layers are sent", sent["stats"])


def test_simulcast_follows_the_quality_two_connections():
    sent = quality_switches("0", real_sender("0", "--simulcast"))
    expect({rid: row["h"] for rid, row in outbound(sent).items()} == {"q": 180, "h": 360, "f": 720}, "three layers are sent", sent["stats"])


def test_our_simulcast_follows_the_quality_of_a_real_peer():
    quality_switches("1", lambda url: agent(
        url, "sender", "--no-subscribe", "--test-card", f"{HIGH}@{RATE}", "--simulcast", seconds=SECONDS + 5))


def test_scalable_vp9_follows_the_quality():
    sent = quality_switches("1", real_sender("1", "--codec", "vp9", "--svc", "L3T3_KEY"))
    rows = [row for row in sent["stats"]["outbound"] if row["kind"] == "video"]
    expect(len(rows) == 1 and rows[0]["codec"] == "video/VP9", "the layers are in one stream", rows)


def dynacast(url, room, *switches):
    sender = lk_peer(url, "sender", "--dynacast", "--simulcast", "--video", f"{HIGH}@{RATE}", "--stats", room=room, seconds=16)
    watcher = lk_peer(url, "watcher", *switches, room=room, seconds=14)
    return sender, watcher


def test_a_layer_that_nobody_asks_for_is_not_sent():
    with server() as url:
        idle = dynacast(url, "idle", "--at", "4:quality:low")
        back = dynacast(url, "back", "--at", "4:quality:low", "--at", "9:quality:high")
        (idle_sent, idle_seen), (back_sent, back_seen) = ([peer.result() for peer in pair] for pair in (idle, back))
        stopped, resumed = outbound(idle_sent), outbound(back_sent)
        expect(not stopped["f"]["active"] and not stopped["h"]["active"], "the upper layers are switched off", stopped)
        expect(stopped["q"]["active"] and stopped["q"]["frames"] >= 9 * RATE, "the lowest goes on", stopped)
        expect(stopped["f"]["frames"] <= stopped["q"]["frames"] - 4 * RATE, "the top layer's pictures stopped", stopped)
        expect(stopped["f"]["bytes"] < 0.75 * resumed["f"]["bytes"], "and so did its bytes", (stopped["f"], resumed["f"]))
        expect(resumed["f"]["active"], "the top layer comes back when it is asked for", resumed)
        low, high = remote_track(idle_seen, "sender", "video"), remote_track(back_seen, "sender", "video")
        expect(f"{low['width']}x{low['height']}" == LOW, "who asked for low sees low in the end", low["sizes"])
        expect(f"{high['width']}x{high['height']}" == HIGH, "who asked for high sees high in the end", high["sizes"])


def codec(name, *options):
    """A codec both ways between real peers of either signalling mode; our server only forwards it."""
    with server() as url:
        peers = [lk_peer(url, identity, "--single-pc", mode, "--codec", name, "--video", f"{MEDIUM}@{RATE}", "--stats", *options, seconds=8)
                 for identity, mode in (("one", "1"), ("two", "0"))]
        one, two = (peer.result() for peer in peers)
        for result, sender in ((one, "two"), (two, "one")):
            track = remote_track(result, sender, "video")
            expect(track["frames"] > 60, f"{sender}'s {name} is decoded", track)
            # One picture in two of the AV1 encoder is too blurred at this rate for the small print in it.
            expect(track["coded_frames"] > (0.3 if name == "av1" else 0.9) * track["frames"], f"{sender}'s {name} pictures are true", track)
            expect(track["mime"].lower() == f"video/{name}", f"{sender}'s track says {name}", track)
            sent = [row["codec"].lower() for row in result["stats"]["outbound"] if row["kind"] == "video"]
            expect(sent == [f"video/{name}"], f"{result['identity']} sent {name} and nothing else", result["stats"])


def test_h264_between_real_peers():
    codec("h264")


def test_vp9_between_real_peers():
    codec("vp9")


def test_av1_between_real_peers():
    codec("av1")


def own_codec(name, *options):
    """A codec that our agent encodes, seen by a real peer of either signalling mode and by another agent of ours."""
    with server() as url:
        sender = agent(url, "sender", "--test-card", f"{MEDIUM}@{RATE}", "--video-codec", name, *options, seconds=10)
        watchers = [lk_peer(url, f"watcher{mode}", "--single-pc", mode, "--cards", seconds=7) for mode in "01"]
        ours = agent(url, "ours", seconds=7)
        for watcher in watchers:
            track = remote_track(watcher.result(), "sender", "video")
            expect(track["frames"] > 50, f"our {name} is decoded", track)
            expect(track["pictures"]["count"] > 0.9 * track["frames"], f"our {name} pictures are true", track)
            expect(track["mime"].lower() == f"video/{name}", f"our track says {name}", track)
        seen = agent_track(ours.result(), "sender", "video")
        expect(seen["framesDecoded"] > 50 and seen["framesUndecodable"] == 0, "and by ours", seen)
        sender.result()


def test_our_h264_is_seen_by_a_real_peer():
    own_codec("h264", "--simulcast")


def test_our_vp9_is_seen_by_a_real_peer():
    own_codec("vp9", "--two-connections")
