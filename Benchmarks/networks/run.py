#!/usr/bin/env python3
"""Calls through bad networks, ours and libwebrtc's (the PyPI `livekit` client) side by side: rows Q1 to Q5 and Q7 to Q9.

  run.py                                 all rows, five seeds; about 40 minutes on two quiet cores
  run.py --rows Q2,Q4 --seeds 2          some rows, fewer seeds
  run.py --smoke                         two rows for some seconds, to see that it runs
  run.py --assert                        what is worse than libwebrtc, or misses a goal, makes the exit code 1

docs/quality.md says what the figures mean. Exit code 0: every row ran; 1: one did not; 2: the command line is wrong.
CALLAGENT names another binary than .build/release/callagent.
"""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import scenes  # noqa: E402  (first: it says where the peers are)
import melody  # noqa: E402
import verdicts  # noqa: E402
from harness import CALLAGENT  # noqa: E402
from rows import ROWS  # noqa: E402

LATE_MS = 1000  # late timers in sum, of one of our agents, above which a run is called late
LATE_PICTURES = 30


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = sorted({row.name for row in ROWS})
    parser.add_argument("--rows", default=",".join(names), help="which, of " + ", ".join(names) + "; Q8 is a line of each")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="weathers 1 to N for each row")
    parser.add_argument("--seconds", type=float, default=60, help="length of a run, but of Q4, Q5 and Q9, which have their own")
    parser.add_argument("--scene", choices=("receiving", "sending"), help="only that one")
    parser.add_argument("--lanes", type=int, default=max(1, (os.cpu_count() or 2) // 2 * 2), help="runs at a time")
    parser.add_argument("--serve", default="", metavar="OPTIONS", help="further options of `callagent serve`: --serve='--downlink-feedback transport-cc'")
    parser.add_argument("--json", metavar="FILE", nargs="?", const="-", help="all figures of all runs, to standard output or a file")
    parser.add_argument("--smoke", action="store_true", help="Q1 and Q2, one seed, eight seconds; nothing is judged")
    parser.add_argument("--assert", dest="judges", action="store_true", help="exit code 1 where something is lost")
    a = parser.parse_args()
    if a.smoke:
        a.rows, a.seeds, a.seconds, a.judges = "Q1,Q2", 1, 8, False
    wanted = [name.strip().upper() for name in a.rows.split(",")]
    unknown = set(wanted) - set(names)
    if unknown or a.seeds < 1 or a.lanes < 1 or not 5 <= a.seconds <= 3600:
        parser.error(f"no such row: {', '.join(sorted(unknown))}" if unknown
                     else "--seeds and --lanes are 1 or more, --seconds 5 to 3600")
    return a, [row for row in ROWS if row.name in wanted]


def attempt(job, song):
    row, seed, scene, seconds, serve = job
    try:
        return job, scenes.run(row, seed, scene, seconds, song, serve), None
    except Exception as error:  # a run that fails must not take the others with it
        return job, None, f"{error}" or traceback.format_exc()


def measured(a, chosen):
    """What each run gave, by row; what failed."""
    jobs = [(row, seed, scene, row.seconds if row.is_fixed else a.seconds, a.serve.split())
            for row in chosen for scene in row.scenes for seed in range(1, a.seeds + 1) if a.scene in (None, scene)]
    runs, failures = {}, []
    with tempfile.TemporaryDirectory(prefix="bench-networks-") as folder:
        song = os.path.join(folder, "melody.wav")
        melody.write(song, melody.samples())
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(a.lanes) as pool:
            for done, future in enumerate(concurrent.futures.as_completed([pool.submit(attempt, job, song) for job in jobs]), 1):
                (row, seed, scene, _, _), result, failure = future.result()
                name = f"{row.name} {row.title}, {scene}, seed {seed}"
                if failure:
                    failures.append(f"{name}: {failure}")
                else:
                    runs.setdefault(id(row), []).append({"seed": seed, **result})
                print(f"bench-networks: {done} of {len(jobs)} after {time.monotonic() - begun:.0f} s: {name}"
                      + (f" FAILED: {failure[:300]}" if failure else ""), file=sys.stderr, flush=True)
    return runs, failures


def table(lines):
    head = ["row", "scene", "figure", "ours", "libwebrtc", "ratio", "goal", "verdict"]
    out, title = [], None
    for line in lines:
        if title != (line.row, line.network):
            title = (line.row, line.network)
            out += ["", f"**{line.row}**: {line.network}", "", "| " + " | ".join(head[1:]) + " |", "|---" * len(head[1:]) + "|"]
        cells = [line.scene, line.figure, line.ours, line.libwebrtc, line.ratio, line.goal, line.verdict]
        out.append("| " + " | ".join("" if c is None else f"{c:g}" if isinstance(c, float) else str(c) for c in cells) + " |")
    return "\n".join(out)


def health(runs):
    """Sentences about the machine; none where it had time for everything."""
    every = [run["health"] for found in runs.values() for run in found]
    late = [h for h in every if h["lateMs"] > LATE_MS or h["latePictures"] > LATE_PICTURES]
    overloaded = [h for h in every if h["overloaded"]]
    out = []
    if late:
        worst = max(h["longestLateMs"] for h in late)
        out.append(f"{len(late)} of {len(every)} runs were late (timers up to {worst} ms): this machine was too busy, "
                   "or --lanes is too high")
    if overloaded:
        out.append(f"{len(overloaded)} of {len(every)} runs met worse weather than they asked for: the relays were overloaded")
    return out


def main():
    a, chosen = arguments()
    if not os.access(CALLAGENT, os.X_OK):
        print(f"bench-networks: {CALLAGENT} is not built; run `make build`", file=sys.stderr)
        return 1
    runs, failures = measured(a, chosen)
    lines = [line for row in chosen if id(row) in runs for line in verdicts.lines(row, runs[id(row)])]
    notes = health(runs)
    if a.json:
        document = {
            "seeds": a.seeds, "seconds": a.seconds, "lanes": a.lanes, "failures": failures, "notes": notes,
            "lines": [dataclasses.asdict(line) for line in lines],
            "rows": [{"row": row.name, "network": row.title, "runs": runs.get(id(row), [])} for row in chosen]}
        with contextlib.nullcontext(sys.stdout) if a.json == "-" else open(a.json, "w") as file:
            json.dump(document, file)
            file.write("\n")
    if a.json != "-":
        print(table(lines))
        lost = [line for line in lines if line.is_lost]
        judged = sum(bool(line.verdict) for line in lines)
        print(f"\n{judged - len(lost)} of {judged} goals met; {a.seeds} seeds, {a.seconds:g} s, {a.lanes} runs at a time")
        for text in notes + [f"did not run: {failure}" for failure in failures]:
            print(text)
    return 1 if failures or (a.judges and any(line.is_lost for line in lines)) else 0


if __name__ == "__main__":
    sys.exit(main())
