"""`callagent story`: a whole conversation, each step seen from both sides, by its report."""
import subprocess
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from harness import CALLAGENT, Child, expect

STEPS = [
    "start", "message", "push", "ring", "locked-answer", "authentication", "opentok-call", "greeting", "indicator", "drop", "call-back",
    "livekit-call", "files", "co-browsing", "hang-up", "missed-call", "back-again", "chat", "end"]


def story(clients, *options):
    report = Child("callagent story", [CALLAGENT, "story", "--clients", str(clients), "--json", *options]).result(300)
    expect(report["whole"] == clients and not report["failures"], "every story is whole", report["failures"])
    for client in range(1, clients + 1):
        seen = [step["step"] for step in report["steps"] if step["client"] == client]
        expect(seen == STEPS, f"story {client} has every step once and in order", seen)
    for step in report["steps"]:
        other = "server" if step["step"] == "chat" else "agent"
        expect({"visitor", other} <= step["saw"].keys(), "both sides have seen something", step)
    journal = report["journal"]
    expect(not journal["violations"] and journal["calls"] == 3 * clients, "three calls each, and no rule is broken", journal)
    return report


def test_the_whole_story():
    steps = {step["step"]: step["saw"] for step in story(1)["steps"]}
    expect("OPENTOK" in steps["opentok-call"]["visitor"] and "OPENTOK" in steps["opentok-call"]["agent"], "the first call's dialect", steps)
    expect("LIVEKIT" in steps["livekit-call"]["visitor"] and "LIVEKIT" in steps["livekit-call"]["agent"], "the second call's dialect", steps)


def test_several_stories_at_once():
    report = story(3, "--patience", "60", "--calls", "2")
    expect(report["conversationsAtOnce"] == 3, "all conversations were open at once", report)
    expect(report["callLanes"] == 2 and 1 <= report["callsAtOnce"] <= 2, "calls took turns", report)


SHORT = """
story: a short one
steps:
  - do: start
  - {do: message, name: hello}
  - {do: missed-call}
  - {do: back-again}
  - {do: end}
expect:
  - {step: hello, who: agent, sees: [queue, words]}
  - {step: hello, took: "< 60s"}
  - journal: valid
"""


def test_a_story_of_ones_own():
    with tempfile.TemporaryDirectory() as folder:
        path, junit = Path(folder) / "short.yaml", Path(folder) / "junit.xml"
        path.write_text(SHORT)
        report = Child("callagent run", [CALLAGENT, "run", "--json", "--junit", str(junit), str(path)]).result(120)
        judged = report["scenarios"][0]
        expect(report["ok"] and judged["story"]["whole"] == 1, "the story is whole", judged)
        expect([item["line"] for item in judged["expectations"]] == [4, 5, 6, 7, 8, 10, 10, 11, 12], "each line is judged", judged)
        suite = ElementTree.parse(junit).getroot()[0]
        expect(suite.get("tests") == "11" and suite.get("failures") == "0", "a case for each", suite.attrib)
        refused = subprocess.run([CALLAGENT, "run", "--virtual", str(path)], capture_output=True, text=True)
        expect(refused.returncode == 2 and "run it without --virtual" in refused.stderr, "a story needs sockets", refused)
