"""A server on IPv6 and IPv4, with agents that have one family, the other, or both, in network namespaces."""
import contextlib
import json
import os
import shutil

from calls import serving
from harness import expect, free_port
from ice_tcp import check_seen, joins
from namespaces import command, namespace_pair, need_namespaces

SERVER, CLIENT = "10.83.0.1", "10.83.0.2"
SERVER6, CLIENT6 = "fd83::1", "fd83::2"
NAME = "dual.test"
COUNTERS = """table inet families {
    counter four { }
    counter six { }
    chain input {
        type filter hook input priority 0
        meta nfproto ipv4 meta l4proto udp counter name four
        meta nfproto ipv6 meta l4proto udp counter name six
    }
}"""
NO_IPV6_UDP = """table ip6 firewall {
    chain in { type filter hook prerouting priority -300; meta l4proto udp counter drop; }
    chain out { type filter hook output priority -300; meta l4proto udp counter drop; }
}"""


@contextlib.contextmanager
def dual_stack():
    """A server on `::` and a client beside it, which knows the server's name with both addresses."""
    need_namespaces()
    with namespace_pair(SERVER, CLIENT) as (near_side, far_side):
        for name, address in ((near_side, SERVER6), (far_side, CLIENT6)):
            command("ip", "-n", name, "address", "add", f"{address}/64", "dev", "veth0", "nodad")
        # `ip netns exec` puts what stands there in the place of /etc/hosts.
        folder = os.path.join("/etc/netns", far_side)
        os.makedirs(folder)
        try:
            with open(os.path.join(folder, "hosts"), "w") as hosts:
                hosts.write(f"{SERVER} {NAME}\n{SERVER6} {NAME}\n")
            command("ip", "netns", "exec", far_side, "nft", "-f", "-", input=COUNTERS)
            port = free_port()
            with serving(near_side, "::", port, "--tcp-port", "off"):
                yield near_side, far_side, port
        finally:
            shutil.rmtree(folder)


def packets(space):
    """UDP packets that came, over IPv4 and over IPv6."""
    listing = json.loads(command("ip", "netns", "exec", space, "nft", "-j", "list", "counters"))
    found = {entry["counter"]["name"]: entry["counter"]["packets"] for entry in listing["nftables"] if "counter" in entry}
    return found["four"], found["six"]


def meets(near_side, far_side, port, host):
    """One beside the server over IPv4, and ours, which reaches the server by `host`."""
    beside = joins(near_side, f"ws://{SERVER}:{port}", "beside", "880", seconds=15)
    ours = joins(far_side, f"ws://{host}:{port}", "ours", "440")
    o, b = ours.result(), beside.result()
    check_seen(o, "beside", 880)
    check_seen(b, "ours", 440)
    expect(o["participants"][0]["localCandidateType"] == "host" and o["connectMs"] < 3000, "connected at once", o)
    return packets(far_side)


def test_an_agent_with_ipv6_alone_meets_one_with_ipv4():
    with dual_stack() as (near_side, far_side, port):
        command("ip", "-n", far_side, "address", "del", f"{CLIENT}/24", "dev", "veth0")
        four, six = meets(near_side, far_side, port, f"[{SERVER6}]")
    expect(four == 0 and six > 500, "media came over IPv6", (four, six))


def test_an_agent_with_ipv4_alone_meets_a_dual_stack_server():
    with dual_stack() as (near_side, far_side, port):
        command("ip", "-n", far_side, "-6", "address", "flush", "dev", "veth0")
        four, six = meets(near_side, far_side, port, NAME)
    expect(six == 0 and four > 500, "media came over IPv4", (four, six))


def test_an_agent_with_both_families_prefers_ipv6():
    with dual_stack() as (near_side, far_side, port):
        four, six = meets(near_side, far_side, port, NAME)
    expect(six > 500 and six > 20 * four, "media came over IPv6", (four, six))


def test_an_agent_with_both_families_takes_ipv4_where_ipv6_loses_media():
    with dual_stack() as (near_side, far_side, port):
        command("ip", "netns", "exec", far_side, "nft", "-f", "-", input=NO_IPV6_UDP)
        four, six = meets(near_side, far_side, port, NAME)
    expect(four > 500 and six == 0, "media came over IPv4", (four, six))
