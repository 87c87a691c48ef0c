"""`callagent story`: a whole conversation, each step seen from both sides, by its report."""
from harness import CALLAGENT, Child, expect

STEPS = [
    "start", "message", "push", "ring", "locked answer", "authentication", "opentok call", "greeting", "indicator", "drop", "livekit call",
    "files", "co-browsing", "hang up", "missed call", "back again", "chat", "end"]


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
    expect("OPENTOK" in steps["opentok call"]["visitor"] and "OPENTOK" in steps["opentok call"]["agent"], "the first call's dialect", steps)
    expect("LIVEKIT" in steps["livekit call"]["visitor"] and "LIVEKIT" in steps["livekit call"]["agent"], "the second call's dialect", steps)


def test_several_stories_at_once():
    story(3, "--patience", "60")
