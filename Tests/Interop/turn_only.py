"""Calls through a firewall that lets media pass to a TURN server alone, over UDP or TCP: coturn with credentials that expire, LiveKit's
own client and with ours."""
from calls import serving
from harness import expect, free_port, near, remote_track
from ice_tcp import FIREWALL, SECONDS, check_seen, joins, real
from namespaces import command, namespace_pair, need_namespaces
from relay import SHARED, WITH_SHARED_SECRET, check_counted, coturn

SERVER, CLIENT = "10.81.0.1", "10.81.0.2"
# UDP passes to and from one port alone; what else was tried is counted.
ONE_PORT = """table ip firewall {
    chain in { type filter hook prerouting priority -300; meta l4proto udp udp sport != PORT counter drop; }
    chain out { type filter hook output priority -300; meta l4proto udp udp dport != PORT counter drop; }
}"""


def through_the_relay_alone(transport, firewall):
    need_namespaces()
    with namespace_pair(SERVER, CLIENT) as (near_side, far_side), \
            coturn(*WITH_SHARED_SECRET, host=SERVER, namespace=near_side) as turn:
        told = ("--tcp-port", "off", "--turn", f"turn:{SERVER}:{turn.port}?transport={transport}", "--turn-secret", SHARED)
        with serving(near_side, SERVER, free_port(), *told) as url:
            command("ip", "netns", "exec", far_side, "nft", "-f", "-", input=firewall.replace("PORT", str(turn.port)))
            inside = joins(near_side, url, "inside", "880", seconds=SECONDS + 3)
            ours, alice = joins(far_side, url, "ours", "440"), real(far_side, url, "alice", "660", "--ice-from-server")
            o, a, i = ours.result(), alice.result(), inside.result()
            rules = command("ip", "netns", "exec", far_side, "nft", "list", "table", "ip", "firewall")
        turn.stop()
        check_counted(turn)
    expect("packets 0 bytes 0 drop" not in rules.split("chain out")[1], "the direct way was tried and dropped", rules)
    own = o["participants"][0]
    expect(own["localCandidateType"] == "relay" and own["relayedBytesSent"] > 30_000, "ours went through the relay", own)
    expect(i["participants"][0]["localCandidateType"] == "host", "beside the server it went directly", i["participants"])
    expect(o["connectMs"] < 4000, "connected in 4 s", o["connectMs"])
    for sender, hertz in (("inside", 880), ("alice", 660)):
        check_seen(o, sender, hertz)
    for sender, hertz in (("ours", 440), ("alice", 660)):
        check_seen(i, sender, hertz)
    for sender, hertz in (("inside", 880), ("ours", 440)):
        near(remote_track(a, sender, "audio")["dominant_hz"], hertz, hertz * 0.02, f"the real client hears {sender}")
        expect(remote_track(a, sender, "video")["frames"] > 60, f"the real client sees {sender}")


def test_turn_over_tls_where_a_firewall_blocks_udp():
    need_namespaces()
    with namespace_pair(SERVER, CLIENT) as (near_side, far_side), \
            coturn(*WITH_SHARED_SECRET, host=SERVER, namespace=near_side) as turn:
        told = ("--tcp-port", "off", "--turn", f"turns:{SERVER}:{turn.tls_port}", "--turn-secret", SHARED)
        with serving(near_side, SERVER, free_port(), *told) as url:
            command("ip", "netns", "exec", far_side, "nft", "-f", "-", input=FIREWALL)
            # The certificate is of nobody that a real client believes.
            inside = joins(near_side, url, "inside", "880", seconds=SECONDS + 3)
            ours = joins(far_side, url, "ours", "440", "--ca-file", turn.certificate)
            o, i = ours.result(), inside.result()
        turn.stop()
        check_counted(turn)
    own = o["participants"][0]
    expect(own["localCandidateType"] == "relay" and own["relayedBytesSent"] > 30_000, "ours went through the relay", own)
    expect(o["connectMs"] < 4000, "connected in 4 s", o["connectMs"])
    check_seen(o, "inside", 880)
    check_seen(i, "ours", 440)


def test_turn_over_udp_where_a_firewall_blocks_the_rest():
    through_the_relay_alone("udp", ONE_PORT)


def test_turn_over_tcp_where_a_firewall_blocks_udp():
    through_the_relay_alone("tcp", FIREWALL)
