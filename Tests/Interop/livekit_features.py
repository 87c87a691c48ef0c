"""What participants do with their tracks and themselves, as LiveKit's own client sees it; and a full room."""
from harness import agent, agent_track, expect, lk_peer, near, remote_track, server

ROOM_SIZE = 20


def told(result, name, who="alice"):
    return [event for event in result["events"] if event["e"] == name and event["who"] == who]


def mute_and_unpublish(mode):
    """Alice is silent and dark from 3 s to 6 s and takes both tracks away at 9 s."""
    actions = [f"{when}:{verb}:{kind}" for when, verb in ((3, "mute"), (6, "unmute"), (9, "unpublish")) for kind in ("audio", "video")]
    with server() as url:
        bob = lk_peer(url, "bob", "--single-pc", mode, seconds=12)
        alice = lk_peer(url, "alice", "--single-pc", mode, "--tone", "440", "--no-dtx", "--video", "640x360@15",
                        *(word for action in actions for word in ("--at", action)), seconds=11)
        a, b = alice.result(), bob.result()
        expect(a["errors"] == [], "alice could do all that", a["errors"])
        sids = sorted(track["sid"] for track in a["published"].values())
        for name in ("track_muted", "track_unmuted", "track_unpublished", "track_unsubscribed"):
            seen = told(b, name)
            expect(sorted(event["sid"] for event in seen) == sids, f"bob was told {name} once of both tracks", b["events"])
        check_pause(b, 6)
        rows = [row for row in b["remote_participants"] if row["identity"] == "alice"]
        expect(all(row["publications"] == [] for row in rows), "nothing of alice's is left", rows)


def check_pause(result, seconds):
    """Alice's media came for so many seconds and not for the three of the mute: 100 sounding frames, 15 pictures a second."""
    audio, video = remote_track(result, "alice", "audio"), remote_track(result, "alice", "video")
    near(audio["dominant_hz"], 440, 9, "alice is heard")
    for count, rate, kind in ((audio["sounding_frames"], 100, "sound"), (video["frames"], 15, "pictures")):
        expect((seconds - 1.5) * rate <= count <= (seconds + 1.5) * rate, f"alice's {kind} came for {seconds} s", count)
    expect(2000 <= video["max_freeze_ms"] <= 5000, "and paused for 3 s", video)


def test_mute_and_unpublish_single_connection():
    mute_and_unpublish("1")


def test_mute_and_unpublish_two_connections():
    mute_and_unpublish("0")


def changes(mode):
    with server() as url:
        bob = lk_peer(url, "bob", "--single-pc", mode, seconds=7)
        alice = lk_peer(url, "alice", "--single-pc", mode, "--name", "Alice", "--metadata", "first", "--attr", "colour=red", "--attr", "shape=round",
                        "--at", "3:metadata:second \u00e9", "--at", "3.3:name:Alicia", "--at", "3.6:attr:colour=blue", seconds=8)
        a, b = alice.result(), bob.result()
        expect(a["errors"] == [], "alice may change herself", a["errors"])
        news = {"metadata": ("participant_metadata_changed", "new", "second \u00e9"), "name": ("participant_name_changed", "new", "Alicia"),
                "attributes": ("participant_attributes_changed", "changed", {"colour": "blue"})}
        for what, (name, field, value) in news.items():
            expect([event[field] for event in told(b, name)] == [value], f"bob was told of the {what} once", b["events"])
        found = [{key: row[key] for key in ("name", "metadata", "attributes")} for row in b["remote_participants"]]
        wanted = {"name": "Alicia", "metadata": "second \u00e9", "attributes": {"colour": "blue", "shape": "round"}}
        expect(found == [wanted], "in the end bob sees all three", found)


def test_a_participant_changes_itself_single_connection():
    changes("1")


def test_a_participant_changes_itself_two_connections():
    changes("0")


def test_audio_with_redundancy_is_heard():
    with server() as url:
        # "listener" is of one connection: the client gives no statistics of a second one. It goes first: what has ended is not counted.
        listener = lk_peer(url, "listener", "--single-pc", "1", "--stats", seconds=11)
        red = lk_peer(url, "red", "--tone", "440", "--no-dtx", "--stats", seconds=16)
        plain = lk_peer(url, "plain", "--single-pc", "0", "--tone", "660", "--no-dtx", "--no-red", "--stats", seconds=20)
        ours = agent(url, "ours", seconds=8)
        o, r, p, heard = ours.result(), red.result(), plain.result(), listener.result()
        # The client names the inner codec; that every packet repeats an earlier one is seen by its size.
        (wide,), (narrow,) = packet_sizes(r, "outbound"), packet_sizes(p, "outbound")
        expect(wide > 1.7 * narrow, "only red repeats its frames", (wide, narrow))
        # What the server passes on has the sizes of what it was given: red's with copies, the control's without.
        sizes = packet_sizes(heard, "inbound")
        expect(len(sizes) == 2, "the listener gets both", heard["stats"])
        for got, given, whose in zip(sizes, (narrow, wide), ("plain", "red")):
            near(got / given, 1, 0.1, f"{whose}'s packets arrive in their size")
        expect(packet_sizes(r, "inbound") and packet_sizes(r, "inbound")[0] < 1.2 * narrow, "red gets no copies of plain's", r["stats"])
        for hearer, sender, hertz in ((p, "red", 440), (r, "plain", 660), (heard, "red", 440), (heard, "plain", 660)):
            track = remote_track(hearer, sender, "audio")
            near(track["dominant_hz"], hertz, hertz * 0.02, f"{hearer['identity']} hears {sender}")
            expect(track["sounding_frames"] > 500 and track["tone_purity"] > 0.8, f"{sender}'s tone arrives undamaged", track)
        for sender, hertz in (("red", 440), ("plain", 660)):
            track = agent_track(o, sender, "audio")
            near(track["audio"]["dominantHz"], hertz, hertz * 0.02, f"ours hears {sender}")


def packet_sizes(result, way):
    """The mean bytes of a packet of each of its audio streams one way, the smallest first."""
    rows = [row for row in result["stats"][way] if row["kind"] == "audio" and row["packets"] > 200]
    expect(rows, f"{result['identity']} has {way} audio", result["stats"])
    return sorted(row["bytes"] / row["packets"] for row in rows)


def test_twenty_peers_in_one_room():
    """All come at once and speak. Real peers of both signalling modes listen, and four of our own; each hears all the others,
    those too that have left before it."""
    with server() as url:
        real = [lk_peer(url, f"real{n}", "--single-pc", str(n), "--tone", str(400 + 40 * n), "--no-dtx", "--audio-frame", "100", "--max-events", "5000",
                        seconds=24) for n in range(2)]
        ours = [agent(url, f"ours{n}", "--tone", str(600 + 40 * n), *(["--two-connections"] if n % 2 else []), *(["--no-subscribe"] if n >= 4 else []),
                      seconds=18) for n in range(ROOM_SIZE - len(real))]
        heard = {peer.name: peer.result(120) for peer in real}
        sent = [peer.result(120) for peer in ours]
        names = {peer.name for peer in real + ours}
        expect(len(names) == ROOM_SIZE and len(sent) == ROOM_SIZE - len(real), "twenty came", sorted(names))
        for name, result in heard.items():
            check_everybody(result, names - {name})
        for result in sent[:4]:
            others = {track["from"]: track["audio"]["dominantHz"] for track in result["tracks"] if track["kind"] == "audio" and track["framesDecoded"] > 200}
            expect(set(others) == names - {result["identity"]}, f"{result['identity']} hears all others", sorted(others))
            check_tones(result, others)


def check_everybody(result, others):
    came = {event["who"] for event in result["events"] if event["e"] in ("participant_connected", "track_subscribed")}
    expect(came == others, f"{result['identity']} saw {len(others)} others come", sorted(came))
    tones = {track["participant"]: track["dominant_hz"] for track in result["tracks"] if track["sounding_frames"] > 30}
    expect(set(tones) == others, f"{result['identity']} hears all of them", sorted(tones))
    check_tones(result, tones)


def check_tones(result, tones):
    for name, hertz in tones.items():
        if name.startswith("ours"):  # the generators of the real peers bend their tones when so many share the machine
            near(hertz, 600 + 40 * int(name[4:]), 20, f"{result['identity']} hears {name} and not the next one")
