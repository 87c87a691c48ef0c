"""Calls through NATs that the kernel makes (nftables): with ports kept, and symmetric."""
import contextlib
import itertools
import os
import subprocess

from calls import serving
from harness import agent_track, expect, free_port, near
from ice_tcp import joins
from namespaces import command, need_namespaces

NETWORKS = itertools.count()  # several tests run at once
PUBLIC = "10.90.0.1"
SECONDS = 12
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
}"""


class Internet:
    """A public namespace with one address, which routes between the NATs that are added to it."""

    def __init__(self):
        self.number, self.spaces = next(NETWORKS), []
        self.public = self.space("p")
        command("ip", "-n", self.public, "address", "add", f"{PUBLIC}/32", "dev", "lo")
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
