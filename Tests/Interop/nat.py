"""Calls through NATs that the kernel makes (nftables): address-restricted with ports kept, symmetric, one on each side, and one that forgets
its mapping under a call."""
import contextlib
import itertools
import os
import socket
import struct
import subprocess
import time

from calls import serving
from harness import CALLAGENT, KEY, SECRET, Child, agent_track, expect, free_port, near, remote_track
from ice_tcp import joins, real
from namespaces import command, inside, need_namespaces
from opentok import MediaModes
from opentok_rest import http, sdk
from relay import CREDENTIAL, USER, coturn

NETWORKS = itertools.count()  # several tests run at once
PUBLIC = "10.90.0.1"
SECONDS = 12
NETLINK_NETFILTER, DELETE_ALL, REQUEST_ACKNOWLEDGED = 12, 1 << 8 | 2, 5
# What a router gives a UDP port for: of one peer the same as inside where it is free, or another one for each peer. Both let in what was
# asked for alone, address and port.
KEEPS_PORTS, SYMMETRIC = "masquerade", "masquerade fully-random"
ROUTER = """table ip nat {
    chain post {
        type nat hook postrouting priority 100
        oifname "out" KIND
    }
}
table ip filter {
    chain forward {
        type filter hook forward priority 0
        ct state established,related accept
        iifname "out" counter drop
    }
    chain input {
        type filter hook input priority 0
        ct state established,related accept
        iifname "out" counter drop
    }
}"""


class Internet:
    """A public namespace with one address, which routes between the NATs that are added to it."""

    def __init__(self):
        self.number, self.spaces = next(NETWORKS), []
        self.public = self.space("p")
        command("ip", "-n", self.public, "address", "add", f"{PUBLIC}/32", "dev", "lo")
        # What is for nobody vanishes, as on its way through the world; coturn ends an allocation whose datagrams the kernel refuses.
        command("ip", "-n", self.public, "link", "add", "world", "type", "veth", "peer", "name", "nowhere")
        command("ip", "-n", self.public, "link", "set", "nowhere", "up")
        command("ip", "-n", self.public, "link", "set", "world", "arp", "off", "up")
        command("ip", "-n", self.public, "route", "add", "default", "dev", "world")
        self.forwards(self.public)

    def space(self, letter):
        name = f"cb{letter}{os.getpid()}-n{self.number}"
        command("ip", "netns", "add", name)
        self.spaces.append(name)
        command("ip", "-n", name, "link", "set", "lo", "up")
        return name

    @staticmethod
    def forwards(space):
        command("ip", "netns", "exec", space, "sysctl", "-qw", "net.ipv4.ip_forward=1")

    @staticmethod
    def link(first, second, names, addresses):
        """A veth pair with an address (/24) on each end; segmented sends are cut before it."""
        ends = list(zip((first, second), names, addresses))
        command("ip", "-n", first, "link", "add", names[0], "type", "veth", "peer", "name", names[1], "netns", second)
        for space, name, address in ends:
            command("ip", "-n", space, "link", "set", name, "gso_max_segs", "1")
            command("ip", "-n", space, "address", "add", f"{address}/24", "dev", name)
            command("ip", "-n", space, "link", "set", name, "up")

    def behind(self, kind):
        """A host behind a router of its own; gives both namespaces."""
        index = len(self.spaces)
        router, host = self.space(f"r{index}"), self.space(f"h{index}")
        self.link(self.public, router, (f"to{index}", "out"), (f"10.90.{index}.1", f"10.90.{index}.2"))
        self.link(router, host, ("in", "veth0"), (f"192.168.{index}.1", f"192.168.{index}.2"))
        command("ip", "-n", router, "route", "add", "default", "via", f"10.90.{index}.1")
        command("ip", "-n", host, "route", "add", "default", "via", f"192.168.{index}.1")
        self.forwards(router)
        command("ip", "netns", "exec", router, "nft", "-f", "-", input=ROUTER.replace("KIND", kind))
        return router, host

    def close(self):
        for name in self.spaces:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, timeout=20)


@contextlib.contextmanager
def internet():
    need_namespaces()
    network = Internet()
    try:
        yield network
    finally:
        network.close()


def forget_mappings(router):
    """Empties the router's table of connections, as a restart does."""
    def flush():
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER) as netlink:
            netlink.send(struct.pack("=IHHIIBBH", 20, DELETE_ALL, REQUEST_ACKNOWLEDGED, 1, 0, socket.AF_INET, 0, 0))
            return struct.unpack_from("=i", netlink.recv(4096), 16)[0]
    expect(inside(router, flush) == 0, "the router forgets its mappings")


def check_both_ways(first, second, names, hertz, seconds=SECONDS):
    """Each hears the other's tone and sees its pictures."""
    for result, sender, tone in ((first, names[1], hertz[1]), (second, names[0], hertz[0])):
        near(agent_track(result, sender, "audio")["audio"]["dominantHz"], tone, tone * 0.02, f"{sender} is heard")
        video = agent_track(result, sender, "video")
        expect(video["framesDecoded"] > (seconds - 5) * 15 * 0.8, f"{sender} is seen", video)


def through_a_nat(kind):
    """Ours behind a NAT, and another one beside the server, which has a public address."""
    with internet() as network, serving(network.public, PUBLIC, free_port(), "--tcp-port", "off") as url:
        router, host = network.behind(kind)
        beside = joins(network.public, url, "beside", "880", seconds=SECONDS + 3)
        ours = joins(host, url, "ours", "440", seconds=SECONDS)
        o, b = ours.result(), beside.result()
    check_both_ways(o, b, ("ours", "beside"), (440, 880))
    own = o["participants"][0]
    # Our address as the server sees it, which nobody has told us but the answers to our checks.
    expect((own["localCandidateType"], own["remoteCandidateType"]) == ("prflx", "host"), "the candidates", own)
    expect(own["transportProtocol"] == "udp" and o["connectMs"] < 3000, "connected over UDP in 3 s", own)


def test_a_call_through_a_nat_that_keeps_ports():
    through_a_nat(KEEPS_PORTS)


def test_a_call_through_a_symmetric_nat():
    through_a_nat(SYMMETRIC)


def attends(space, url, session, identity, hertz):
    return Child(identity, [
        "ip", "netns", "exec", space, CALLAGENT, "join", "--provider", "opentok", "--url", http(url), "--session", session, "--key", KEY,
        "--secret", SECRET, "--identity", identity, "--tone", hertz, "--test-card", "640x360@15", "--duration", str(SECONDS), "--json"])


def past_the_server(kinds):
    """Two of ours in a relayed session, each behind a NAT of its own, with a TURN server between them."""
    with internet() as network, coturn(host=PUBLIC, namespace=network.public) as turn:
        told = ("--ice-server", f"turn:{PUBLIC}:{turn.port},{USER},{CREDENTIAL}")
        with serving(network.public, PUBLIC, free_port(), *told) as url:
            session = inside(network.public, lambda: sdk(url).create_session(media_mode=MediaModes.relayed).session_id)
            hosts = [network.behind(kind)[1] for kind in kinds]
            ada, bob = attends(hosts[0], url, session, "ada", "440"), attends(hosts[1], url, session, "bob", "880")
            a, b = ada.result(), bob.result()
    check_both_ways(a, b, ("ada", "bob"), (440, 880))
    return a, b


def check_paths(results, types):
    """The path that each used; who is left last has closed it by then, and tells none."""
    paths = [[own[key] for key in ("localCandidateType", "remoteCandidateType")] for own in
             (result["participants"][0] for result in results) if "localCandidateType" in own]
    expect(paths and all(set(path) <= types for path in paths), "the path", paths)


def test_two_behind_symmetric_nats_meet_at_the_relay():
    results = past_the_server([SYMMETRIC, SYMMETRIC])
    check_paths(results, {"relay"})
    for own in (result["participants"][0] for result in results):
        expect(min(own["relayedBytesSent"], own["relayedBytesReceived"]) > 100_000, "media went through the relay", own)


def test_two_behind_nats_that_keep_ports_meet_directly():
    results = past_the_server([KEEPS_PORTS, KEEPS_PORTS])
    check_paths(results, {"srflx", "prflx"})
    for own in (result["participants"][0] for result in results):
        expect(own["relayedBytesReceived"] < 10_000, "the relay is not used", own)


def test_a_mapping_that_is_lost_under_a_call():
    """Another port stands for ours from then on: the server follows it, and signalling comes again by itself."""
    seconds = 24
    with internet() as network, serving(network.public, PUBLIC, free_port(), "--tcp-port", "off") as url:
        router, host = network.behind(SYMMETRIC)
        beside = real(network.public, url, "beside", "880", seconds=seconds + 3)
        ours = joins(host, url, "ours", "440", seconds=seconds)
        time.sleep(12)
        forget_mappings(router)
        # That media stood still for a moment is said.
        o, b = ours.result(code=(0, 1)), beside.result()
    expect(set(o["reasons"]) <= {"frozen", "concealed", "framesMissing", "late"}, "nothing but what was on its way then", o["failures"])
    expect(o["participants"][0]["reconnects"] <= 1, "a resume at most", o["participants"])
    gone = [event for event in b["events"] if event["e"] in ("participant_disconnected", "track_unsubscribed")
            and event["t"] < (seconds - 2) * 1000]
    joined = [event for event in b["events"] if event["e"] == "participant_connected"]
    expect(not gone and len(joined) <= 1, "the same participant, once", b["events"])
    near(agent_track(o, "beside", "audio")["audio"]["dominantHz"], 880, 18, "ours hears beside")
    near(remote_track(b, "ours", "audio")["dominant_hz"], 440, 9, "beside hears ours")
    seen, video = remote_track(b, "ours", "video"), agent_track(o, "beside", "video")
    # libwebrtc waits three seconds for what it misses before it asks for a key frame.
    expect(seen["max_freeze_ms"] < 4500, "ours is seen again", seen)
    expect(video["frozenMs"] < 2000, "ours sees again within 2 s", video)
