"""Load tests of a server with everything that they can do; what they leave is read by software that this project did not write."""
import json
import os
import re
import tempfile
import urllib.request

import junitparser
import prometheus_client.parser

from harness import CALLAGENT, KEY, SECRET, Child, expect, free_port, server
from opentok_rest import http, sdk
from opentok import MediaModes
from results import callagent, check_results

# A machine that does other things besides may be too slow for a moment: the tester then says so.
WELL, LACKING = (0, 4), (1, 4)


def load(url, *arguments, duration=3, before=(), name="load"):
    """A load test as a child; its result is what --json prints."""
    return Child(name, [
        *before, CALLAGENT, "load", "--url", url, "--key", KEY, "--secret", SECRET, "--duration", str(duration),
        "--num-per-second", "20", "--json", *arguments])


def received(results, kind):
    inbound = [participant[kind]["inbound"] for participant in results["participants"]]
    return sum(each["packetsReceived"] for each in inbound), sum(each["packetsLost"] for each in inbound)


def expect_whole(results, participants):
    expect(len(results["participants"]) == participants, "everybody is in the results", len(results["participants"]))
    expect(all(each.get("joinMs") for each in results["participants"]), "everybody got in", results["verdicts"])
    for kind in ("audio", "video"):
        got, lost = received(results, kind)
        expect(got > 50 and lost == 0, f"all {kind} that was sent has arrived", (got, lost, results["verdicts"]["failures"]))


def test_load_encrypted_with_messages_and_calls():
    with server() as url, tempfile.NamedTemporaryFile("r") as traces:
        run = load(url, "--publishers", "1", "--subscribers", "3", "--e2ee-key", "between-us-alone", "--data-rate", "4",
                   "--rpc-rate", "4", "--traces", traces.name, duration=4).result(code=WELL)
        spans = [json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"] for line in traces]
    check_results(run)
    expect(len(spans) == 4 and all(each[0]["name"] == "join" for each in spans), "a trace of each join", spans)
    parts = {"signalling", "media connection", "ICE", "DTLS", "first audio", "first video"}
    expect(sum(parts <= {span["name"] for span in each} for each in spans) == 3, "with its parts", spans)
    expect_whole(run, 4)
    data = run["data"]
    expect(data["messagesExpected"] >= 20 and data["messagesLost"] == 0, "messages came", data)
    expect(data["rpcCalls"] >= 15 and data["rpcAnswers"] == data["rpcCalls"], "calls were answered", data)
    expect(run["histograms"]["rpc"]["count"] == data["rpcAnswers"], "and timed", run["histograms"]["rpc"])
    expect("between-us-alone" not in json.dumps(run), "the key is in no report", run["run"]["arguments"])


def test_load_with_encoders_counts_frames():
    with server() as url:
        run = load(url, "--publishers", "1", "--subscribers", "2", "--encode", "--video-resolution", "low", "--no-simulcast",
                   duration=4).result(code=WELL)
    expect_whole(run, 3)
    expect(run["histograms"]["latency"]["count"] > 100, "their age is known", run["histograms"]["latency"])
    sent = sum(each["video"]["outbound"]["framesSent"] for each in run["participants"])
    expected = sum(each["video"]["inbound"]["framesReceived"] for each in run["participants"])
    expect(sent > 30 and expected > 1.5 * sent, "frames are counted", (sent, expected))


def test_load_of_an_opentok_session():
    with server() as url:
        sessions = [sdk(url).create_session(media_mode=MediaModes.routed).session_id for _ in range(2)]
        run = load(http(url), "--provider", "opentok", "--session", sessions[0], "--session", sessions[1], "--publishers", "1",
                   "--subscribers", "2").result(code=WELL)
    expect_whole(run, 6)
    expect({each["room"] for each in run["participants"]} == set(sessions), "in both sessions", run["participants"])


def test_load_in_two_shards_merges_exactly():
    with server() as url, tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("0.json", "1.json", "sum.json", "sum.xml", "sum.html")]
        parts = [load(url, "--rooms", "2", "--publishers", "1", "--subscribers", "2", "--shard", f"{index}/2", "--output",
                      paths[index], "--report", f"{paths[index]}.html", name=f"shard {index}") for index in (0, 1)]
        for part in parts:
            expect_whole(part.result(code=WELL), 3)
        expect(os.path.getsize(f"{paths[0]}.html") > 20_000, "the page was written")
        callagent("load", "merge", *paths[:2], "-o", paths[2])
        read = [json.load(open(path)) for path in paths[:3]]
        callagent("report", paths[2], "--junit", paths[3], "-o", paths[4], "--assert", "participants.joins==6", "--assert", "join.p95<10s")
        suite = next(iter(junitparser.JUnitXml.fromfile(paths[3])))
    for each in read:
        check_results(each)
    first, second, merged = read
    expect([each["run"]["shard"] for each in (first, second)] == [{"index": 0, "count": 2}, {"index": 1, "count": 2}], "which part")
    rooms = [{each["room"] for each in part["participants"]} for part in (first, second)]
    expect(rooms == [{"load-0"}, {"load-1"}], "whole rooms", rooms)
    expect(merged["state"] == "complete" and len(merged["shards"]) == 2, "nothing is missing", merged["state"])
    for name, histogram in merged["histograms"].items():
        sums = {}
        for part in (first, second):
            for value, count in part["histograms"][name]["buckets"]:
                sums[value] = sums.get(value, 0) + count
        expect(histogram["buckets"] == [[value, sums[value]] for value in sorted(sums)], f"{name} is the exact sum", histogram)
    names = {case.name for case in suite}
    expect({"participants.joins==6", "join.p95<10s"} <= names, "thresholds of the sum as JUnit", names)


def test_load_report_finds_the_throttled_subscriber():
    with server() as url, tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "run.html")
        run = load(url, "--publishers", "1", "--subscribers", "5", "--video", "800k", "--network-for", "subscriber 3:rate=250,queue=150",
                   "--report", page, "--decode", "0", duration=5).result(code=(0, 1, 4))
        with open(page) as file:
            banner = re.search(r'<div class="banner.*?</div>', file.read(), re.S).group(0)
    expect(len(run["participants"]) == 6, "all are in it", len(run["participants"]))
    named = set(re.findall(r"articipant (load_\w+)", banner))
    expect(named == {"load_sub_3"}, "the page names that one, and no other", banner)


def test_load_interrupted_leaves_what_it_measured():
    port = free_port()
    with server() as url, tempfile.TemporaryDirectory() as folder:
        lines = os.path.join(folder, "seconds.jsonl")
        child = load(url, "--publishers", "1", "--subscribers", "2", "--metrics", lines, "--metrics-address", str(port), duration=60)
        seen = {}
        while child.process.poll() is None and seen.get(("callbridge_load_seconds", ()), 0) < 3:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                    text = answer.read().decode()
            except OSError:
                continue
            seen = {(family.name, tuple(sorted(sample.labels.items()))): sample.value
                    for family in prometheus_client.parser.text_string_to_metric_families(text) for sample in family.samples
                    if not sample.name.endswith("_created")}
        run = child.stopped(code=LACKING)
        with open(lines) as file:
            last = json.loads(file.read().splitlines()[-1])
    video = (("kind", "video"),)
    expect(seen[("callbridge_load_participants", (("state", "joined"),))] == 3, "everybody is there", sorted(seen))
    expect(seen[("callbridge_load_packets_received", video)] > 50, "and receives", seen)
    expect(seen[("process_cpu_seconds", ())] > 0, "the process, too", seen)
    expect(run["state"] == "interrupted" and "SIGINT" in run["interruption"], "it says so", run["interruption"])
    expect(last["type"] == "end" and last["state"] == "interrupted", "so does the last line", last)
    expect(received(run, "video")[0] > 50 and len(run["participants"]) == 3, "what was measured is kept", run["verdicts"])
    check_results(run)
