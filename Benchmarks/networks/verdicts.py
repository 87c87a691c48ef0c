"""From the figures of all seeds of a row to lines of the table.

Against libwebrtc "not worse" is at most 1.1 times its total over all seeds, and one event more. Goals of the project's own are
checked at our worst seed; what libwebrtc would make of them stands beside.
"""
from dataclasses import dataclass

from rows import START_OF_BLACKOUT

FACTOR = 1.1


@dataclass
class Line:
    row: str
    network: str
    scene: str
    figure: str
    ours: object
    libwebrtc: object
    ratio: object = None
    goal: str = ""
    verdict: str = ""  # "not worse", "worse", "met", "missed", or nothing where nothing is judged

    @property
    def is_lost(self):
        return self.verdict in ("worse", "missed")


# Figure, what it is called, what one event is worth in it.
TOTALS = [
    ("standstills", "times without a new picture for 200 ms", 1), ("standingMs", "their sum, ms", 200),
    ("concealedMs", "sound invented, ms (own count)", 60), ("unheardMs", "sound not heard, ms (melody)", 60)]
JUDGED = ("Q1", "Q2", "Q3", "Q4", "Q7")
DELAYS, DELAY_EVENT = ("latencyP50Ms", "latencyP95Ms"), 10  # ms, which a display's clock makes out
# Shown beside: the median of the seeds.
BESIDE = [
    ("shown", "pictures shown"), ("freezes", "freezes (own count)"), ("latencyP50Ms", "capture to picture, p50, ms"),
    ("latencyP95Ms", "capture to picture, p95, ms"), ("longestStandstillMs", "longest time without a new picture, ms"),
    ("soundBufferMs", "sound's wait in the jitter buffer, ms"), ("kbitPerSecond", "passed by the network, kbit/s"),
    ("queueP95Ms", "queue, p95, ms")]


def lines(row, runs):
    """`runs`: what scenes.run gave for each seed."""
    out = []
    for scene in sorted({name for run in runs for name in run["figures"]}):
        of = {who: [run["figures"][scene][who] for run in runs if scene in run["figures"]] for who in ("ours", "libwebrtc")}

        def line(figure, ours, theirs, **more):
            out.append(Line(row.name, row.title, scene, figure, ours, theirs, **more))
        for key, name, event in TOTALS:
            ours, theirs = (total(of[who], key) for who in ("ours", "libwebrtc"))
            if ours is None and theirs is None:
                continue
            judged = row.name in JUDGED and ours is not None and theirs is not None
            verdict = ("not worse" if ours <= FACTOR * theirs + event else "worse") if judged else ""
            line(name, ours, theirs, ratio=ratio(ours, theirs), goal="not worse" if judged else "", verdict=verdict)
        ours, theirs = (mean(of[who], "soundScore") for who in ("ours", "libwebrtc"))
        if ours is not None and theirs is not None:
            line("score of the sound, 1 to 5, mean", ours, theirs, ratio=ratio(ours, theirs), goal="not worse",
                 verdict="not worse" if ours * FACTOR >= theirs else "worse")
        for key, name in BESIDE:
            ours, theirs = (median(of[who], key) for who in ("ours", "libwebrtc"))
            if ours is None and theirs is None:
                continue
            # Who sends doesn't choose how long a receiver waits.
            judged = key in DELAYS and row.name in JUDGED and scene == "receiving" and ours is not None and theirs is not None
            verdict = ("not worse" if ours <= FACTOR * theirs + DELAY_EVENT else "worse") if judged else ""
            line(name, ours, theirs, ratio=ratio(ours, theirs), goal="not worse" if judged else "", verdict=verdict)
        for name, goal, holds, measure in goals(row, scene):
            found = {who: [value for run in of[who] for value in measure(run)] for who in of}
            if not found["ours"]:
                continue
            known = [v for v in found["ours"] if v is not None]
            met = len(known) == len(found["ours"]) and all(holds(v) for v in known)
            line(name, spread(found["ours"]), spread(found["libwebrtc"]), goal=goal, verdict="met" if met else "missed")
    return out


def goals(row, scene):
    """(figure, goal, whether a value meets it, the values of one run) of the project's own goals."""
    if row.name == "Q1":
        yield "pictures missing", "0", lambda v: v == 0, lambda f: [f["missing"]]
        yield "sound invented, ms", "0", lambda v: v == 0, own(scene, "concealedMs")
        yield "sound's wait, ms", "at most 40", lambda v: v <= 40, own(scene, "soundBufferMs")
    if row.name == "Q4":
        # The first rate is no step. What a receiver gets comes in layers: only too much of it is wrong.
        least = 65 if scene.startswith("sending") else 0
        for index, (_, kbit) in list(enumerate(row.steps))[1:]:
            yield (f"share of {kbit} kbit/s that is used, %", f"{least or 'at most'}{' to' if least else ''} 105",
                   lambda v: least <= v <= 105, step(index, used))
            yield (f"queue at {kbit} kbit/s, p95, ms", "below 200", lambda v: v < 200, step(index, lambda s: s["queueP95Ms"]))
    if row.name == "Q5":
        yield ("pictures back after, ms", "at most 2000", lambda v: v <= 2000,
               lambda f: [back(f["longestStandstillMs"], f["shownSeconds"], row)])
        if scene != "sending, seen by ours":
            yield ("sound back after, ms", "at most 2000", lambda v: v <= 2000,
                   lambda f: [back(f.get("longestUnheardMs", 0), f.get("soundSeconds", 0), row)])
        yield "publications withdrawn", "0", lambda v: v == 0, lambda f: [f["withdrawn"]]
    if row.name == "Q7":
        yield "sound invented, %", "below 1", lambda v: v < 1, lambda f: [share(f["concealedMs"], f["playedMs"])]
        yield ("longest time without a new picture after 3 s, ms", "at most 500", lambda v: v <= 500,
               lambda f: [max([ms for at, ms in f["standstillList"] if at >= 3000], default=0)])
    if row.name == "Q9":
        yield "time to 2 Mbit/s, s", "at most 5", lambda v: v <= 5, lambda f: [f.get("to2MbitSeconds")]
        yield "sound invented, ms", "below 1000", lambda v: v < 1000, own(scene, "concealedMs")
    if row.name != "Q9" and scene != "sending, seen by libwebrtc":
        yield "Q8: skew of sound and pictures, p95, ms", "at most 60", lambda v: v <= 60, own(scene, "lipSyncP95Ms")


def own(scene, key):
    return lambda f: [f[key]] if f.get(key) is not None else []


def step(index, value):
    return lambda f: [value(f["steps"][index])] if len(f.get("steps", [])) > index else []


def used(phase):
    return round(100 * phase["sentKbit"] / phase["kbit"], 1)


def share(part, whole):
    return round(100 * part / whole, 2) if whole else None


def back(longest, seconds, row):
    """Milliseconds from the end of the blackout until media was there again; None where it never was."""
    if seconds < START_OF_BLACKOUT + row.blackout - 5:
        return None
    return round(longest - 1000 * row.blackout)


def total(runs, key):
    values = [run[key] for run in runs if run.get(key) is not None]
    return round(sum(values)) if values else None


def mean(runs, key):
    values = [run[key] for run in runs if run.get(key) is not None]
    return round(sum(values) / len(values), 2) if values else None


def median(runs, key):
    values = sorted(run[key] for run in runs if run.get(key) is not None)
    return values[len(values) // 2] if values else None


def ratio(ours, theirs):
    return round(ours / theirs, 2) if ours is not None and theirs else None


def spread(values):
    known = [v for v in values if v is not None]
    if not known:
        return None
    text = [f"{v:g}" for v in (min(known), max(known))]
    text = text[0] if text[0] == text[1] else f"{text[0]} to {text[1]}"
    return text if len(known) == len(values) else f"{text}, {len(values) - len(known)} never"
