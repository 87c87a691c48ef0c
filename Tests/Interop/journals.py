"""The call journal: of a rung call, over a reconnection, doctored ones, and its delivery to a receiver that fails."""
import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import os
import select
import subprocess
import tempfile
import threading
import time

from harness import CALLAGENT, KEY, SECRET, Failure, agent, expect, free_port, running_server, server
from slow_path import slow_path


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def check(path, code):
    """What `callagent journal` says of a file, with its exit code."""
    ran = subprocess.run([CALLAGENT, "journal", path], capture_output=True, text=True, timeout=60)
    expect(ran.returncode == code, f"callagent journal exits with {code}", (ran.returncode, ran.stdout, ran.stderr))
    return ran.stdout + ran.stderr


@contextlib.contextmanager
def rung_call(*arguments):
    """The report and the journal's path of a call of three that was rung."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "call.jsonl")
        yield journalled(path, "--participants", "3", "--duration", "5", *arguments), path


def journalled(path, *arguments):
    """The report of a rung call with a journal. What was heard on a busy machine is judged elsewhere."""
    ran = subprocess.run(
        [CALLAGENT, "call", "--json", "--ring", "--picture", "320x180@15", "--journal", path, *arguments],
        capture_output=True, text=True, timeout=120)
    expect(ran.returncode in (0, 1), "the call takes place", ran.stderr[-1000:])
    report = json.loads(ran.stdout)
    expect(report["ok"] == (ran.returncode == 0), "its exit code says what it found", report["failures"])
    return report


def test_journal_of_a_rung_call():
    with rung_call() as (report, path):
        check(path, 0)
        events = read(path)
        expect(report["journal"] == {"events": len(events), "violations": []}, "the report's count", report["journal"])
        published = {event["personId"]: event["publishedMedia"] for event in events
                     if event["eventType"] == "callbridge.call.publication.changed"}
        expect(published == dict.fromkeys(["alice", "bob", "carol"], "AUDIO_VIDEO"), "what each publishes", published)
        kinds = [event["eventType"] for event in events]
        for kind, count in (("initiated", 1), ("accepted", 1), ("established", 1), ("participant.joined", 3),
                            ("participant.connected", 3), ("participant.left", 4), ("ended", 1)):
            expect(kinds.count(f"conversation.call.{kind}") == count, f"{count} {kind}", kinds)
        only_rung = [event for event in events if event["eventType"].endswith("left") and "joinedTimestamp" not in event]
        expect(len(only_rung) == 1, "the one who was rung and did not get it came later", only_rung)
        expect(kinds.count("push_notification.incoming_call") == 2, "two were rung", kinds)
        times = [event["timestamp"] for event in events]
        expect(times == sorted(times), "times don't go back", times)


def test_journal_of_a_rung_call_has_reconnections():
    with tempfile.TemporaryDirectory() as folder, server() as url, slow_path(url, 0) as path:
        journal = os.path.join(folder, "call.jsonl")
        running = threading.Thread(target=lambda: reports.append(journalled(
            journal, "--participants", "2", "--duration", "8", "--server", path.url, "--key", KEY, "--secret", SECRET)))
        reports = []
        running.start()
        wait_until(lambda: os.path.exists(journal) and any(
            event["eventType"].endswith("established") for event in read(journal)), "the call is established")
        select.select([], [], [], 2)
        path.cut()
        running.join(120)
        expect(reports and reports[0]["journal"]["violations"] == [], "no rule is broken", reports)
        check(journal, 0)
        events = read(journal)
        for person in ("alice", "bob"):
            mine = [event for event in events if event.get("personId") == person and "reconnect" in event["eventType"]]
            expect([event["eventType"] for event in mine] == [
                "callbridge.call.reconnecting", "callbridge.call.reconnected"], f"{person}'s loss and return", mine)
            expect(mine[1]["gapMilliseconds"] >= 0, "with the gap", mine[1])
        expect([event["eventType"] for event in events].count("conversation.call.participant.left") == 2,
               "nobody left for it", [event["eventType"] for event in events])


def test_doctored_journals_are_refused():
    with rung_call() as (_, path):
        events = read(path)
        place = {event["eventType"].removeprefix("conversation.call."): at for at, event in enumerate(events)}

        def doctored(change):
            copy = [dict(event) for event in events]
            change(copy)
            with open(path + ".doctored", "w") as file:
                file.writelines(json.dumps(event) + "\n" for event in copy)
            return path + ".doctored"

        def swap(name, other):
            def change(copy):
                copy[place[name]], copy[place[other]] = copy[place[other]], copy[place[name]]
            return change

        cases = {
            "ENDED_ONCE_AND_LAST": lambda copy: copy.pop(),
            "ONE_LEFT_PER_JOINED": lambda copy: copy.pop(place["participant.left"]),
            "UNIQUE_IDS": lambda copy: copy[3].update(id=copy[2]["id"]),
            "MONOTONE_TIMES": lambda copy: copy[-1].update(timestamp=copy[0]["timestamp"] - 1),
            "INITIATED_ONCE_AND_FIRST": lambda copy: copy.pop(0),
            "COMPLETE_FIELDS": lambda copy: copy[place["participant.left"]].pop("leftReason"),
            "ESTABLISHED_BY_TWO": lambda copy: copy.pop(place["established"]),
            "ACCEPTED_BY_JOINING": swap("accepted", "initiated"),
            "ONE_OUTCOME_PER_RING": lambda copy: copy.pop(place["push_notification.revoke_call"]),
        }
        check(doctored(lambda copy: None), 0)
        for rule, change in cases.items():
            path_of_rule = doctored(change)
            try:
                said = check(path_of_rule, 1)
            except Failure as failure:
                raise Failure(f"{rule}: {failure}") from None
            expect(rule in said, f"{rule} is named", said)
        broken = doctored(lambda copy: copy[4].update(timestamp="soon"))
        expect('line 5: "timestamp" must be' in check(broken, 2), "line and field of what is no journal")
        with open(broken, "a") as file:
            file.write("{\n")
        check(broken, 2)
        expect("can't be read" in check(path + ".none", 3), "a file that is not there")


# Webhooks


class Receiver:
    """A receiver of webhooks whose answers follow a script of (status, seconds to wait)."""

    def __init__(self, port, script):
        self.requests, self.acknowledged, self.faults, self.script = [], [], [], list(script)
        lock, outer = threading.Lock(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                event = json.loads(body)
                with lock:
                    status, seconds = outer.script.pop(0) if outer.script else (200, 0)
                    outer.requests.append((event["id"], status))
                    outer.faults.extend(faults_of(self.headers, body))
                threading.Event().wait(seconds)
                with lock:
                    if status == 200:
                        outer.acknowledged.append(event)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def faults_of(headers, body):
    """What is wrong with a delivery's signature: a token of the API key with the body's hash."""
    try:
        head, claims, signature = headers["Authorization"].split(".")
        wanted = hmac.new(SECRET.encode(), f"{head}.{claims}".encode(), hashlib.sha256).digest()
        decoded = json.loads(base64.urlsafe_b64decode(claims + "=="))
        if not hmac.compare_digest(base64.urlsafe_b64decode(signature + "=="), wanted):
            return ["the signature is wrong"]
        if decoded["iss"] != KEY or decoded["exp"] < time.time():
            return [f"the token is not the key's, or old: {decoded}"]
        if decoded["sha256"] != base64.b64encode(hashlib.sha256(body).digest()).decode():
            return [f"the hash is not the body's: {decoded}"]
        return [] if headers["Content-Type"] == "application/json" else [f"the type is {headers['Content-Type']}"]
    except Exception as error:
        return [f"unreadable: {error!r}"]


def wait_until(condition, what, limit=60):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if condition():
            return
        select.select([], [], [], 0.05)
    raise Failure(f"not within {limit} s: {what}")


def test_journal_webhooks_survive_a_bad_receiver():
    """Down while a first call takes place, then slow, then answering 500, then well while a second one does."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        journal = os.path.join(folder, "journal.jsonl")
        with running_server("--journal", journal, "--journal-webhook", f"http://127.0.0.1:{port}/hooks") as running:
            def conversation(room):
                people = [agent(running.url, name, "--tone", "440", room=room, seconds=3) for name in ("ada", "bob")]
                for person in people:
                    person.result()

            def count(kind):
                return sum(event["eventType"].endswith(kind) for event in read(journal))

            conversation("first")
            wait_until(lambda: count("call.ended") == 1, "the first call's end")
            select.select([], [], [], 3)
            receiver = Receiver(port, [(200, 1.0)] * 3 + [(500, 0)] * 5 + [(503, 0.5), (429, 0)])
            try:
                conversation("second")
                wait_until(lambda: count("call.ended") == 2, "the second call's end")
                wait_until(lambda: len(receiver.acknowledged) >= len(read(journal)), "all events are delivered")
            finally:
                receiver.stop()
        check(journal, 0)
        written, got = read(journal), receiver.acknowledged
        expect(not receiver.faults, "every delivery is signed", receiver.faults[:3])
        expect(len({event["callId"] for event in written}) == 2 and len(written) > 12, "two calls", len(written))
        for call_id in {event["callId"] for event in written}:
            wanted, found = ([event for event in events if event["callId"] == call_id] for events in (written, got))
            expect(found == wanted, "each event once, in order, as written", [event["id"] for event in found])
        failed = [status for _, status in receiver.requests if status != 200]
        expect(len(failed) == 7, "the failures happened", failed)
