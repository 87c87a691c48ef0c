"""Calls through a firewall that lets TCP pass and nothing else: ICE-TCP, with LiveKit's own client and with ours."""
import sys
import time

from calls import serving
from harness import CALLAGENT, KEY, PEER, SECRET, Child, agent_track, expect, free_port, near, remote_track
from namespaces import command, inside, namespace_pair, need_namespaces
from opentok import MediaModes
from opentok_rest import http, sdk

SERVER, CLIENT = "10.79.0.1", "10.79.0.2"
SECONDS = 12
# Nothing but TCP passes; the counters say that UDP was tried.
FIREWALL = """table ip firewall {
    chain in { type filter hook prerouting priority -300; meta l4proto udp counter drop; }
    chain out { type filter hook output priority -300; meta l4proto udp counter drop; }
}"""


def joins(space, url, identity, hertz, *arguments, seconds=SECONDS):
    return Child(identity, [
        "ip", "netns", "exec", space, CALLAGENT, "join", "--url", url, "--key", KEY, "--secret", SECRET, "--room", "r",
        "--identity", identity, "--tone", hertz, "--test-card", "640x360@15", "--duration", str(seconds), "--json", *arguments])


def real(space, url, identity, hertz, *arguments, seconds=SECONDS):
    return Child(identity, [
        "ip", "netns", "exec", space, sys.executable, PEER, "--url", url, "--key", KEY, "--secret", SECRET, "--room", "r",
        "--identity", identity, "--tone", hertz, "--no-dtx", "--video", "640x360@15", "--seconds", str(seconds), *arguments])


def check_seen(result, sender, hertz):
    """What one of ours has of another participant."""
    near(agent_track(result, sender, "audio")["audio"]["dominantHz"], hertz, hertz * 0.02, f"{sender} is heard")
    video = agent_track(result, sender, "video")
    expect(video["framesDecoded"] > (SECONDS - 5) * 15 * 0.8, f"{sender} is seen", video)


def behind_a_firewall(*mode):
    """Ours and a real client behind the firewall, one more of ours beside the server."""
    need_namespaces()
    with namespace_pair(SERVER, CLIENT) as (near_side, far_side), serving(near_side, SERVER, free_port()) as url:
        command("ip", "netns", "exec", far_side, "nft", "-f", "-", input=FIREWALL)
        inside = joins(near_side, url, "inside", "880", seconds=SECONDS + 3)
        ours = joins(far_side, url, "ours", "440", *mode)
        alice = real(far_side, url, "alice", "660", seconds=SECONDS)
        o, a, i = ours.result(), alice.result(), inside.result()
        rules = command("ip", "netns", "exec", far_side, "nft", "list", "table", "ip", "firewall")
    expect("packets 0 bytes 0 drop" not in rules.split("chain out")[1], "UDP was tried and dropped", rules)
    own = o["participants"][0]
    expect(own["transportProtocol"] == "tcp", "media of ours went over TCP", own)
    expect(i["participants"][0]["transportProtocol"] == "udp", "beside the server it went over UDP", i["participants"])
    expect(o["connectMs"] < 3000, "connected in 3 s", o["connectMs"])
    check_seen(o, "inside", 880)
    check_seen(o, "alice", 660)
    check_seen(i, "ours", 440)
    check_seen(i, "alice", 660)
    for sender, hertz in (("inside", 880), ("ours", 440)):
        near(remote_track(a, sender, "audio")["dominant_hz"], hertz, hertz * 0.02, f"the real client hears {sender}")
        expect(remote_track(a, sender, "video")["frames"] > 60, f"the real client sees {sender}")


def test_ice_tcp_where_a_firewall_blocks_udp():
    behind_a_firewall()


def test_ice_tcp_with_two_connections():
    behind_a_firewall("--two-connections")


def attends(space, url, session, identity, hertz):
    return Child(identity, [
        "ip", "netns", "exec", space, CALLAGENT, "join", "--provider", "opentok", "--url", http(url), "--session", session, "--key", KEY,
        "--secret", SECRET, "--identity", identity, "--tone", hertz, "--test-card", "640x360@15", "--duration", str(SECONDS), "--json"])


def test_ice_tcp_in_an_opentok_session():
    need_namespaces()
    with namespace_pair(SERVER, CLIENT) as (near_side, far_side), serving(near_side, SERVER, free_port()) as url:
        session = inside(near_side, lambda: sdk(url).create_session(media_mode=MediaModes.routed).session_id)
        command("ip", "netns", "exec", far_side, "nft", "-f", "-", input=FIREWALL)
        far, beside = attends(far_side, url, session, "far", "440"), attends(near_side, url, session, "beside", "880")
        f, b = far.result(), beside.result()
    expect(f["participants"][0]["transportProtocol"] == "tcp", "media went over TCP", f["participants"])
    expect(b["participants"][0]["transportProtocol"] == "udp", "beside the server it went over UDP", b["participants"])
    check_seen(f, "beside", 880)
    check_seen(b, "far", 440)


def test_ice_tcp_takes_over_where_udp_is_blocked_later():
    need_namespaces()
    with namespace_pair(SERVER, CLIENT) as (near_side, far_side), serving(near_side, SERVER, free_port()) as url:
        inside = joins(near_side, url, "inside", "880", seconds=SECONDS + 8)
        ours = joins(far_side, url, "ours", "440", seconds=SECONDS + 5)
        time.sleep(6)
        command("ip", "netns", "exec", far_side, "nft", "-f", "-", input=FIREWALL)
        # Some seconds stand still until both sides have changed: the report says that the call was not whole.
        o, i = ours.result(code=1), inside.result(code=1)
    expect(o["participants"][0]["transportProtocol"] == "tcp", "media changed to TCP", o["participants"])
    expect(o["participants"][0]["reconnects"] == 0, "without a new connection", o["participants"])
    check_seen(o, "inside", 880)
    check_seen(i, "ours", 440)
