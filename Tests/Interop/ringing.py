"""`callagent ring`, `answer` and `decline` as processes, over server-sent events; the server's journal judges each call."""
import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time

from harness import CALLAGENT, KEY, SECRET, Child, Failure, expect, near, running_server

CREDENTIALS = ("--key", KEY, "--secret", SECRET)
REPORT = {"callId", "outcome"}
CONNECTED = REPORT | {"connectMs", "met", "heardHz", "ended"}


class Exchange:
    """A server with a journal, and processes at it."""

    def __init__(self, running, journal):
        self.url = running.url.replace("ws:", "http:")
        self.journal_path = journal
        self.running = running

    def start(self, command, identity, *arguments):
        return Child(f"callagent {command}", [
            CALLAGENT, command, "--server", self.url, *CREDENTIALS, "--identity", identity, "--json", *arguments])

    def events(self):
        with open(self.journal_path) as file:
            return [json.loads(line) for line in file]

    def wait_for(self, event, count=1, limit=30):
        """Until the journal has so many of an event."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            found = [e for e in self.events() if e["eventType"] == event]
            if len(found) >= count:
                return found
            select.select([], [], [], 0.05)
        raise Failure(f"no {event} within {limit} s; saw {[e['eventType'] for e in self.events()]}")

    def wait_for_devices(self, *children):
        """Until these processes listen: each holds a connection to the server once it is attached."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if all(self.is_attached(child.process.pid) for child in children):
                return
            expect(all(child.process.poll() is None for child in children), "the devices wait")
            select.select([], [], [], 0.05)
        raise Failure("a device did not attach within 30 s")

    def is_attached(self, pid):
        folder = f"/proc/{pid}/fd"
        with contextlib.suppress(OSError):
            sockets = {os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)}
            rows = [line.split() for line in open("/proc/net/tcp").readlines()[1:]]
            port = f":{self.running.port:04X}"
            # Established, with nothing of the request left to be read at the other end.
            mine = [row for row in rows if f"socket:[{row[9]}]" in sockets and row[2].endswith(port) and row[3] == "01"]
            return bool(mine)
        return False


@contextlib.contextmanager
def exchange(*options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "journal.jsonl")
        with running_server("--journal", path, *options) as running:
            yield Exchange(running, path)
        checked = subprocess.run([CALLAGENT, "journal", path], capture_output=True, text=True)
        expect(checked.returncode == 0, "the server's journal keeps every rule", checked.stdout + checked.stderr)


def outcome(child, wanted, code, fields=REPORT, limit=60):
    report = child.result(limit, code)
    expect(report["outcome"] == wanted, f"{child.name}: {wanted}", report)
    expect(fields <= set(report) <= fields | {"detail", "interrupted"}, f"{child.name} has the fields of such a call", report)
    return report


def ended(exchange, reason):
    last = exchange.wait_for("conversation.call.ended")
    expect(len(last) == 1 and last[0]["endReason"] == reason, f"the call ended: {reason}", last)
    return exchange.events()


def kinds(events):
    return [event["eventType"].removeprefix("conversation.call.") for event in events]


def test_ring_is_answered_and_ends():
    with exchange() as there:
        bob = there.start("answer", "bob", "--tone", "880", "--duration", "20", "--locked-for", "1")
        there.wait_for_devices(bob)
        ada = there.start("ring", "ada", "--to", "bob", "--tone", "440", "--duration", "4")
        caller = outcome(ada, "CONNECTED", 0, CONNECTED)
        callee = outcome(bob, "CONNECTED", 0, CONNECTED)
        expect(caller["callId"] == callee["callId"], "it is one call", (caller, callee))
        expect((caller["met"], callee["met"]) == (["bob"], ["ada"]), "they met", (caller, callee))
        near(caller["heardHz"], 880, 10, "ada hears bob")
        near(callee["heardHz"], 440, 10, "bob hears ada")
        expect((caller["ended"], callee["ended"]) == ("HANG_UP", "OTHERS_LEFT"), "who ended it", (caller, callee))
        events = kinds(ended(there, "LAST_MANDATORY_PARTICIPANT_LEFT"))
        for kind in ("initiated", "accepted", "established", "ended"):
            expect(events.count(kind) == 1, f"one {kind}", events)
        expect(events.count("participant.connected") == 2 and events.count("participant.left") == 2, "two people", events)
        expect("callbridge.call.publication.changed" in events, "and what they published", events)


def test_ring_is_declined():
    with exchange() as there:
        bob = there.start("decline", "bob")
        there.wait_for_devices(bob)
        outcome(there.start("ring", "ada", "--to", "bob"), "DECLINED", 1)
        outcome(bob, "DECLINED", 0)
        expect("accepted" not in kinds(ended(there, "DECLINED")), "nobody took it")


def test_ring_times_out_and_is_missed():
    with exchange("--ring-timeout", "1") as there:
        bob = there.start("answer", "bob", "--after", "60")
        there.wait_for_devices(bob)
        outcome(there.start("ring", "ada", "--to", "bob"), "NOT_ANSWERED", 1)
        outcome(bob, "MISSED_BECAUSE_TIMEOUT", 1)
        missed = [e for e in ended(there, "NOT_ANSWERED") if e["eventType"] == "push_notification.missed_call"]
        expect(len(missed) == 1 and missed[0]["callEndReason"] == "MISSED_BECAUSE_TIMEOUT", "bob missed it", missed)


def test_caller_aborts():
    with exchange() as there:
        bob = there.start("answer", "bob", "--after", "60")
        there.wait_for_devices(bob)
        ada = there.start("ring", "ada", "--to", "bob")
        there.wait_for("push_notification.incoming_call")
        ada.process.send_signal(signal.SIGINT)
        outcome(ada, "ABORTED", 1)
        outcome(bob, "MISSED_BECAUSE_TERMINATED", 1)
        ended(there, "ABORTED_BY_INITIATOR")


def test_answered_on_another_device():
    with exchange() as there:
        slow = there.start("answer", "bob", "--device", "desk", "--after", "60")
        quick = there.start("answer", "bob", "--device", "mobile", "--after", "0.5", "--duration", "20")
        there.wait_for_devices(slow, quick)
        ada = there.start("ring", "ada", "--to", "bob", "--duration", "2")
        outcome(slow, "ANSWERED_ELSEWHERE", 1)
        outcome(ada, "CONNECTED", 0, CONNECTED)
        outcome(quick, "CONNECTED", 0, CONNECTED)
        events = ended(there, "LAST_MANDATORY_PARTICIPANT_LEFT")
        revoked = [e["deviceTokens"] for e in events if e["eventType"] == "push_notification.revoke_call"]
        expect(revoked == [["desk"]], "the other device is told", revoked)


def test_the_second_group_is_asked():
    with exchange("--ring-timeout", "1") as there:
        bob = there.start("answer", "bob", "--after", "60")
        dave = there.start("answer", "dave", "--duration", "20")
        there.wait_for_devices(bob, dave)
        ada = there.start("ring", "ada", "--to", "bob", "--to", "dave", "--duration", "2")
        outcome(bob, "MISSED_BECAUSE_TIMEOUT", 1)
        expect(outcome(ada, "CONNECTED", 0, CONNECTED)["met"] == ["dave"], "dave has it")
        outcome(dave, "CONNECTED", 0, CONNECTED)
        forwarded = [e.get("callState") for e in there.events() if e["eventType"] == "push_notification.incoming_call"]
        expect(forwarded == ["CALLING", "FORWARDING"], "first one group, then the other", forwarded)


def test_nobody_there_and_nobody_calling():
    with exchange() as there:
        outcome(there.start("ring", "ada", "--to", "bob"), "DECLINED_BECAUSE_UNAVAILABLE", 1)
        outcome(there.start("answer", "bob", "--timeout", "1"), "NO_CALL", 1)
        refused = Child("callagent ring", [
            CALLAGENT, "ring", "--server", there.url, "--key", KEY, "--secret", "wrong", "--identity", "ada", "--to", "bob"])
        refused.process.communicate(timeout=30)
        refused.errors.seek(0)
        expect(refused.process.returncode == 3 and "check key and secret" in refused.errors.read(), "a wrong secret")
