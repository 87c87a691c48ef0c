"""Whole calls of `callagent call`, judged from its JSON, from its exit code and from what the kernel saw."""
import contextlib
import os
import subprocess

from harness import CALLAGENT, KEY, SECRET, Child, Failure, expect
from namespaces import Capture, count_udp, counted_udp, namespace_pair, need_namespaces, wait_for_http
from wire_checks import check_capture

NAMES = ["alice", "bob", "carol", "dave"]
IDLE = 1.5  # load average below which the machine counts as idle
NUMBER = (int, float)
REPORT = {"ok": bool, "participants": list, "tracks": list, "connectMs": NUMBER, "cpuSeconds": NUMBER,
          "peakRssMiB": NUMBER, "srtpProfile": str, "activeSpeaker": dict}
TRACK = {"from": str, "to": str, "kind": str, "codec": str, "packetsSent": int, "packetsReceived": int,
         "packetsLost": int, "packetsRecovered": int, "framesSent": int, "framesReceived": int, "framesDecoded": int,
         "freezes": int, "firstFrameMs": NUMBER}
LATENCY = {"p50": NUMBER, "p95": NUMBER, "p99": NUMBER}
AUDIO = {"rms": NUMBER, "dominantHz": NUMBER, "concealedMs": NUMBER, "match": NUMBER, "bestOther": NUMBER}
SPEAKER = {"accuracy": NUMBER, "switches": int}


def call(*arguments, prefix=(), code=0, limit=60):
    return Child("callagent call", [*prefix, CALLAGENT, "call", "--json", *arguments]).result(limit, code)


def check_fields(value, fields, what):
    for name, kind in fields.items():
        found = value.get(name)
        right = isinstance(found, kind) and (kind is bool or not isinstance(found, bool))
        expect(right, f"{what} has {name} of the right type", value)


def pairs(report, kind):
    return {(track["from"], track["to"]) for track in report["tracks"] if track["kind"] == kind}


def check_pairs(report, names):
    """Exactly one audio and one video track from everybody to everybody else."""
    directed = {(sender, receiver) for sender in names for receiver in names if sender != receiver}
    for kind in ("audio", "video"):
        expect(pairs(report, kind) == directed, f"{len(directed)} {kind} pairs", sorted(pairs(report, kind)))
    expect(len(report["tracks"]) == 2 * len(directed), "no pair is there twice", len(report["tracks"]))


def check_shape(report):
    check_fields(report, REPORT, "the report")
    check_fields(report["activeSpeaker"], SPEAKER, "activeSpeaker")
    for participant in report["participants"]:
        check_fields(participant, {"identity": str, "connectMs": NUMBER, "srtpProfile": str}, "a participant")
    for track in report["tracks"]:
        check_fields(track, TRACK, "a track")
        if track["kind"] == "audio":
            check_fields(track["audio"], AUDIO, "audio of a track")
        else:
            check_fields(track["latencyMs"], LATENCY, "latencyMs of a track")


def check_quality(report, seconds, fps=30):
    """The floors that hold on a busy machine too."""
    for track in report["tracks"]:
        what = f"{track['kind']} {track['from']} -> {track['to']}"
        expect(track["firstFrameMs"] <= 1000, f"{what}: first frame within 1 s", track)
        if track["kind"] == "video":
            # A timer that runs late leaves pictures out; the report says for how long one was.
            late = report["lateness"]["lateMilliseconds"] / 1000
            expect(track["framesSent"] >= 0.99 * fps * (seconds - late), f"{what}: 99 % of the frames are sent", (track, late))
            expect(track["framesDecoded"] > 0, f"{what}: is decoded", track)
        else:
            sound = track["audio"]
            expect(sound["match"] >= 0.8, f"{what}: sounds like its source", track)
            expect(sound["match"] >= 2 * sound["bestOther"], f"{what}: like no other source", track)
    expect(report["activeSpeaker"]["accuracy"] >= 0.9, "the active speaker is right", report["activeSpeaker"])


def check_account(report):
    """All counters are of one moment: what somebody sent is the same number in each of its pairs."""
    sent = {}
    for track in report["tracks"]:
        sent.setdefault((track["from"], track["kind"]), set()).add((track["framesSent"], track["packetsSent"]))
    drifting = {f"{kind} of {sender}": sorted(counts) for (sender, kind), counts in sent.items() if len(counts) > 1}
    expect(not drifting, "what was sent doesn't depend on who is asked", drifting)


def check_smoothness(report, idle):
    """Needs a machine that does nothing else; otherwise the numbers are only printed."""
    concealed = max(track["audio"]["concealedMs"] for track in report["tracks"] if track["kind"] == "audio")
    # In a call of seconds the 99th percentile is the beginning's alone.
    p95 = max(track["latencyMs"]["p95"] for track in report["tracks"] if track["kind"] == "video")
    if not idle:
        print(f"     busy machine: {concealed} ms concealed, p95 {p95} ms; not judged", flush=True)
        return
    expect(concealed == 0, "nothing is concealed on an idle machine", concealed)
    expect(p95 < 30, "p95 latency below 30 ms on an idle machine", p95)


def test_call_json_is_complete():
    idle = os.getloadavg()[0] < IDLE
    report = call("--participants", "4", "--duration", "8")
    check_shape(report)
    expect(report["ok"], "ok", report)
    expect([p["identity"] for p in report["participants"]] == NAMES, "four participants", report["participants"])
    check_pairs(report, NAMES)
    check_quality(report, 8)
    check_account(report)
    check_smoothness(report, idle)


def test_the_shortest_call_is_whole():
    report = call("--participants", "4", "--duration", "6")  # the least that --help offers
    expect(report["ok"], "ok", report)
    check_pairs(report, NAMES)


def test_mute_makes_exactly_three_pairs_fail():
    report = call("--participants", "4", "--duration", "8", "--mute", "alice", code=1)
    expect(not report["ok"], "not ok")
    check_pairs(report, NAMES)
    failed = {(track["from"], track["to"]) for track in report["tracks"] if not track["ok"]}
    expect(failed == {("alice", other) for other in NAMES[1:]}, "exactly alice's three pairs fail", sorted(failed))


def test_call_through_a_separate_server_in_a_namespace():
    need_namespaces()
    with namespace_pair("10.77.0.1", "10.77.0.2") as (far, near), serving(far, "10.77.0.1", 7880) as url:
        count_udp(near)
        count_udp(far)
        with Capture(near) as capture:
            report = call("--participants", "4", "--duration", "10", "--server", url, "--key", KEY, "--secret", SECRET,
                          prefix=("ip", "netns", "exec", near))
        counted = {"Sent": counted_udp(far), "Received": counted_udp(near)}
    check_shape(report)
    check_pairs(report, NAMES)
    check_quality(report, 10)
    expect(capture.lost == 0, "the capture is whole", capture.lost)
    long_names = [name for name in NAMES if len(name) > 4]  # shorter ones occur by chance in megabytes of ciphertext
    check_capture(capture.datagrams, long_names)
    check_bytes(report, counted)


def check_bytes(report, counted, overhead=28):
    """The kernel counts IP packets: payload, 8 bytes of UDP and 20 of IPv4."""
    for way, (seen, packets) in counted.items():
        reported = sum(p["bytes" + way] + overhead * p["datagrams" + way] for p in report["participants"])
        datagrams = sum(p["datagrams" + way] for p in report["participants"])
        expect(reported > 1_000_000 and abs(seen - reported) <= 0.02 * seen,
               f"bytes{way} agree with the kernel's counter within 2 %",
               {"reported": (reported, datagrams), "counted": (seen, packets)})


@contextlib.contextmanager
def serving(namespace, address, port, *arguments):
    """A `callagent serve` in the namespace; yields its URL."""
    process = subprocess.Popen(
        ["ip", "netns", "exec", namespace, CALLAGENT, "serve", "--bind", address, "--port", str(port), "--key", KEY,
         "--secret", SECRET, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_http(namespace, process, address, port)
        yield f"ws://{address}:{port}"
        expect(process.poll() is None, "the server died during the call", process.poll())
    finally:
        process.terminate()  # `ip netns exec` becomes the command, so this is the server itself
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failure("the server did not stop within 10 s of SIGTERM")
