"""Network namespaces joined by a veth pair: what the kernel itself counts and sees of a call. Needs root."""
import contextlib
import ctypes
import itertools
import json
import os
import socket
import struct
import subprocess
import threading
import time

from harness import Failure, LeftOut, expect

PAIRS = itertools.count()  # several tests run at once
CLONE_NEWNET = 0x40000000
ETH_P_ALL, SOL_PACKET, PACKET_STATISTICS, SO_RCVBUFFORCE = 3, 263, 6, 33
HOW_TO_SKIP = "run as root with CAP_NET_ADMIN and CAP_SYS_ADMIN, or set CALLBRIDGE_NO_NETNS=1 to leave this test out"
COUNTERS = """table inet callbridge {
    counter udp_in { }
    chain input { type filter hook input priority 0; meta l4proto udp counter name udp_in; }
}"""


def need_namespaces():
    """Leaves the test out where the environment asks for it; fails where namespaces can't be had."""
    if os.environ.get("CALLBRIDGE_NO_NETNS") == "1":
        raise LeftOut("CALLBRIDGE_NO_NETNS=1")
    expect(os.geteuid() == 0, f"network namespaces need root: {HOW_TO_SKIP}")


def command(*words, **options):
    try:
        return subprocess.run(words, check=True, capture_output=True, text=True, timeout=20, **options).stdout
    except FileNotFoundError:
        raise Failure(f"{words[0]} is not installed (Debian: iproute2, nftables); {HOW_TO_SKIP}")
    except subprocess.CalledProcessError as error:
        raise Failure(f"`{' '.join(words)}` failed: {error.stderr.strip()}; {HOW_TO_SKIP}")


@contextlib.contextmanager
def namespace_pair(first_address, second_address):
    """Two namespaces with an address each (/24) on the ends of a veth pair; yields their names."""
    number = next(PAIRS)
    first, second = (f"cb{end}{os.getpid()}-{number}" for end in "ab")
    try:
        for name in (first, second):
            command("ip", "netns", "add", name)
            command("ip", "-n", name, "link", "set", "lo", "up")
        command("ip", "-n", first, "link", "add", "veth0", "type", "veth", "peer", "name", "veth0", "netns", second)
        for name in (first, second):  # a segmented send is cut into datagrams before the wire, so that each is counted
            command("ip", "-n", name, "link", "set", "veth0", "gso_max_segs", "1")
        for name, address in ((first, first_address), (second, second_address)):
            command("ip", "-n", name, "address", "add", f"{address}/24", "dev", "veth0")
            command("ip", "-n", name, "link", "set", "veth0", "up")
        yield first, second
    finally:
        for name in (first, second):  # the pair goes with its namespaces
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, timeout=20)


def inside(namespace, function):
    """Runs a function on a thread of its own in the namespace; a socket that it makes stays there."""
    outcome = []

    def body():
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            with open(f"/run/netns/{namespace}") as handle:
                if libc.setns(handle.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), "setns")
            outcome.append(function())
        except Exception as error:  # handed to the caller's thread
            outcome.append(error)
    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def count_udp(namespace):
    command("ip", "netns", "exec", namespace, "nft", "-f", "-", input=COUNTERS)


def counted_udp(namespace):
    """IP bytes and packets that the kernel counted on their way in. On the way out several datagrams still are one
    segmented send, so what one end sends is counted where it arrives."""
    listing = json.loads(command("ip", "netns", "exec", namespace, "nft", "-j", "list", "counters"))
    counter = next(entry["counter"] for entry in listing["nftables"] if "counter" in entry)
    return counter["bytes"], counter["packets"]


class Capture:
    """Everything that passes `veth0` of a namespace as (outgoing, UDP payload); no tool needed."""

    def __init__(self, namespace):
        self.datagrams, self.done = [], threading.Event()
        self.socket = inside(namespace, self.open)
        self.thread = threading.Thread(target=self.read)

    @staticmethod
    def open():
        packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        packets.bind(("veth0", ETH_P_ALL))
        packets.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
        packets.settimeout(0.2)
        return packets

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        _, self.lost = struct.unpack("II", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        self.socket.close()

    def read(self):
        while not self.done.is_set():
            with contextlib.suppress(socket.timeout):
                packet, address = self.socket.recvfrom(65535)
                payload = udp_payload(packet)
                if payload is not None:
                    self.datagrams.append((address[2] == socket.PACKET_OUTGOING, payload))


def udp_payload(packet):
    """The payload of an IPv4 or IPv6 packet that holds a UDP datagram; None for anything else."""
    version = packet[0] >> 4 if packet else 0
    if version == 4 and packet[9] == socket.IPPROTO_UDP:
        header = (packet[0] & 15) * 4
    elif version == 6 and packet[6] == socket.IPPROTO_UDP:
        header = 40
    else:
        return None
    return packet[header + 8:header + struct.unpack_from("!H", packet, header + 4)[0]]


def wait_for_http(namespace, process, address, port, limit=15):
    """Until the server in the namespace says 200 on `/`."""
    def answers():
        with contextlib.suppress(OSError), socket.create_connection((address, port), 0.5) as probe:
            probe.sendall(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            return b"200" in probe.recv(64)
        return False
    end = time.monotonic() + limit
    while time.monotonic() < end:
        expect(process.poll() is None, f"callagent serve runs in its namespace; it exited with {process.poll()}")
        if inside(namespace, answers):
            return
        time.sleep(0.05)
    raise Failure(f"the server at {address}:{port} was not ready within {limit} s")
