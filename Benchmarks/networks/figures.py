"""From what processes reported to the figures of a row, named alike for both clients.

Ground truth: numbers on the test cards that came out of a decoder, and the melody in what was played. `concealedMs`, `freezes`
and `frozenMs` are each receiver's own count, by W3C's definitions.
"""
HEADERS = 28  # bytes of UDP and IPv4, which count at the bottleneck


def of_ours(report, sender, heard):
    """What our agent received of a sender; `heard` is what melody.heard made of its recording."""
    tracks = {t["kind"]: t for t in report["tracks"] if t["from"] == sender and t["to"] == report["identity"]}
    sound, video = tracks.get("audio", {}), tracks.get("video", {})
    stats = sound.get("stats") or {}
    out = pictures(video, heard)
    out.update(
        freezes=video.get("freezes", 0), frozenMs=video.get("frozenMs", 0.0),
        concealedMs=(sound.get("audio") or {}).get("concealedMs", 0.0), playedMs=(sound.get("audio") or {}).get("playedMs", 0.0),
        soundBufferMs=mean_ms(stats.get("jitterBufferDelay"), stats.get("jitterBufferEmittedCount")),
        lipSyncP95Ms=(video.get("lipSyncMs") or {}).get("p95"), mosSound=sound.get("mos"), mosPictures=video.get("mos"),
        reconnects=report["reconnects"], withdrawn=withdrawn(report["events"], "event", "trackUnpublished", "participant", sender))
    return out


def of_libwebrtc(result, sender, heard):
    """What a real peer received of a sender."""
    tracks = [t for t in result["tracks"] if t["participant"] == sender]
    video = max((t for t in tracks if t["kind"] == "video"), key=lambda t: t["frames"], default={})
    out = pictures(video, heard)
    inbound = {kind: [i for t in tracks if t["kind"] == kind for i in t["inbound"] if i] for kind in ("audio", "video")}

    def total(kind, key):
        return sum(i[key] for i in inbound[kind]) if inbound[kind] else None
    samples, concealed = total("audio", "samples"), total("audio", "concealed")
    out.update(
        freezes=total("video", "freezes"),
        concealedMs=scaled(concealed, 1 / 48), playedMs=scaled(samples, 1 / 48),
        soundBufferMs=mean_ms(total("audio", "buffer_s"), total("audio", "emitted")),
        reconnects=result["event_counts"].get("reconnected", 0),
        withdrawn=withdrawn(result["events"], "e", "track_unpublished", "who", sender))
    return out


def pictures(video, heard):
    shown = video.get("pictures") or {}
    out = {
        "shown": shown.get("count", 0), "missing": video.get("framesMissing"), "standstills": shown.get("pauseCount", 0),
        "standingMs": shown.get("pausedMs", 0.0), "longestStandstillMs": shown.get("longestPauseMs", 0.0),
        "standstillList": [(p["atMs"], p["ms"]) for p in shown.get("pauses", [])],
        "shownSeconds": (shown["lastSeconds"] - shown["firstSeconds"]) if shown.get("lastSeconds") else 0.0,
        "latencyP50Ms": (video.get("latencyMs") or {}).get("p50"), "latencyP95Ms": (video.get("latencyMs") or {}).get("p95")}
    if heard:
        out.update(unheardMs=heard["wrongMs"], longestUnheardMs=heard["longestWrongMs"], soundSeconds=heard["seconds"])
    return out


def withdrawn(events, key, name, who, sender):
    """How often publications of a sender were withdrawn while it was there: its leaving withdraws them all once."""
    left = [i for i, e in enumerate(events) if e[key] in ("participantLeft", "participant_disconnected") and e.get(who) == sender]
    last = left[-1] if left else len(events)
    found = [i for i, e in enumerate(events) if e[key] == name and e.get(who) == sender]
    # A server names the tracks of one who leaves just before, or just after.
    return sum(1 for i in found if last - i > 4) if left else len(found)


def scaled(value, by):
    return None if value is None else value * by


def mean_ms(total, count):
    return None if not count else round(1000 * total / count, 1)


# --- the link ---------------------------------------------------------------

def of_link(lines, name, direction, steps):
    """Rates and queue of one client's link, from netem's lines."""
    samples = []
    for line in lines:
        client = next((c for c in line.get("clients", []) if c["name"] == name), None)
        if line["event"] == "second" and client and client[direction]["received"] > 0:
            d = client[direction]
            samples.append((line["seconds"], d["receivedBytes"] + HEADERS * d["received"],
                            d["forwardedBytes"] + HEADERS * d["forwarded"], d["queueMs"]))
    # Those who watch stay longer: what was there to the end of it ends with the last datagram.
    while len(samples) > 1 and samples[-1][1] == samples[-2][1]:
        samples.pop()
    if len(samples) < 3:
        return {}
    zero = samples[0][0]
    end = samples[-1][0] - zero
    out = {"kbitPerSecond": round(rate(samples, zero, zero + end, 2)), "queueP95Ms": percentile([s[3] for s in samples], 0.95),
           "to2MbitSeconds": reached(samples, 2_000)}
    out["steps"] = [phase(samples, zero, at, kbit, until, up)
                    for at, kbit, until, up in phases(steps, end) if until - at > 1]
    return out


def phases(steps, end):
    """Of each step: from when on it is judged, its rate, until when; 5 s after a step down, 15 s after one up."""
    for index, (start, kbit) in enumerate(steps):
        until = min(steps[index + 1][0] if index + 1 < len(steps) else end, end)
        up = index > 0 and kbit > steps[index - 1][1]
        yield start + (15 if up else 5), kbit, until, up


def phase(samples, zero, at, kbit, until, up):
    start = at - 10 if up else at  # the queue is judged from 5 s on in both
    queue = [s[3] for s in samples if zero + start <= s[0] <= zero + until]
    return {"kbit": kbit, "sentKbit": round(rate(samples, zero + at, zero + until, 1)), "queueP95Ms": percentile(queue, 0.95)}


def rate(samples, start, until, column):
    inside = [s for s in samples if start <= s[0] <= until]
    if len(inside) < 2:
        return 0.0
    return 8 * (inside[-1][column] - inside[0][column]) / (inside[-1][0] - inside[0][0]) / 1000


def reached(samples, kbit, window=5):
    """Seconds from the first datagram to the end of the first half second that has that rate."""
    for old, new in zip(samples, samples[window:]):
        if 8 * (new[1] - old[1]) / (new[0] - old[0]) / 1000 >= kbit:
            return round(new[0] - samples[0][0], 1)
    return None


def estimates(result, steps):
    """The mean of libwebrtc's own estimate in each phase of a row with steps."""
    noted = result.get("bitrates", [])
    if not noted or not steps:
        return {}
    out = []
    for at, _, until, _ in phases(steps, noted[-1][0]):
        inside = [bits for second, bits in noted if at <= second <= until]
        out.append(round(sum(inside) / len(inside) / 1000) if inside else None)
    return {"estimateKbit": out}


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


# --- the machine ------------------------------------------------------------

def health(agents, peers, report):
    """Whether this machine had time for all of them."""
    late = max(a["lateness"]["lateMilliseconds"] for a in agents)
    longest = max(a["lateness"]["longestMilliseconds"] for a in agents)
    errors = [text for peer in peers for text in peer["errors"]]
    return {
        "overloaded": report["overloaded"], "lateMs": round(late), "longestLateMs": round(longest),
        "latePictures": sum(peer["late_frames"] for peer in peers), "latestPictureMs": max(p["latest_frame_ms"] for p in peers),
        "peerErrors": errors[:5]}
