"""`callagent budget`: what a short call costs is within what it may; a limit that can't be kept is named."""
import json
import subprocess

from harness import CALLAGENT, expect

ROWS = [
    "size", "initialising", "ready", "call-memory", "participant-memory", "participant-heap", "cpu", "pictures", "up", "down", "join", "narrow",
    "narrow-pictures", "message", "share-rate", "share-image", "share-bytes"]


def test_the_budget_is_kept():
    ran = subprocess.run(
        [CALLAGENT, "budget", "--participants", "2", "--duration", "4", "--picture", "320x180@15", "--limit", "up=0", "--json"],
        capture_output=True, text=True, timeout=120)
    expect(ran.stdout.startswith("{"), "a report is printed", ran.stderr[-1000:])
    report = json.loads(ran.stdout)
    rows = {row["name"]: row for row in report["rows"]}
    expect(list(rows) == ROWS, "each row once and in order", list(rows))
    for name, row in rows.items():
        expect(row["figure"] > 0 or name == "initialising", f"{name} was measured", row)
    # 150 kbit/s of pictures and some of sound.
    expect(0.3 < rows["up"]["figure"] < 5 and 0.3 < rows["down"]["figure"] < 5, "two see and hear one another", rows)
    expect(ran.returncode == 1 and not report["ok"], "a limit of 0 can't be kept", report)
    expect([failure.split(":")[0] for failure in report["failures"]] == ["up"], "and nothing else is above its limit", report["failures"])
