"""One run of a row with one seed: a server, a network, agents and real peers as processes, and what each of them said.

`receiving`: our agent publishes on a clean way; ours and libwebrtc receive, each behind the network with a link of its own.
`sending`: ours and libwebrtc publish, each behind the network; both receive on a clean way.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
INTEROP = os.path.join(os.path.dirname(os.path.dirname(HERE)), "Tests", "Interop")
sys.path[:0] = [INTEROP, os.path.join(INTEROP, "peers")]

import melody  # noqa: E402
from harness import CALLAGENT, Child, agent, lk_peer, running_server  # noqa: E402
from netem import netem  # noqa: E402

import figures  # noqa: E402
import rows  # noqa: E402

HEAD_START = 6.0  # seconds until those on the clean way are there; a real peer takes two on a quiet machine
LIMIT = 60.0  # seconds beyond its time that a process gets


def run(row, seed, scene, seconds, song, serve=()):
    """What was measured: figures of each receiver and sender, and whether the machine kept up."""
    with tempfile.TemporaryDirectory(prefix="bench-networks-") as folder:
        network = row.network.format(trace=rows.write_trace(folder, row.steps, seconds) if row.steps else "")
        try:
            with running_server(*serve) as server:
                with netem(server.url, "--network", network, "--seed", str(seed), "--interval", "0.1") as weather:
                    made = (receiving if scene == "receiving" else sending)(row, server.url, weather, seconds, song, folder)
                    return made
        finally:
            Child.end_all()


def receiving(row, url, weather, seconds, song, folder):
    pictures, _ = row.picture
    simulcast = ["--simulcast"] if row.simulcast else []
    publisher = agent(url, "source", "--no-subscribe", "--wav", song, "--test-card", pictures, *simulcast, seconds=3600)
    time.sleep(HEAD_START / 2)
    wav = os.path.join(folder, "ours.wav")
    theirs = lk_peer(weather.url, "libwebrtc", "--cards", "--record", folder, "--track-stats", seconds=seconds)
    ours = agent(weather.url, "ours", "--video-playout", "rendered", "--speaker", wav, seconds=seconds)
    o, t = ours.result(seconds + LIMIT, (0, 1)), theirs.result(seconds + LIMIT)
    p = publisher.stopped(code=(0, 1))
    report = weather.stop(code=(0, 1))
    out = {
        "ours": figures.of_ours(o, "source", melody.heard(melody.read(wav))),
        "libwebrtc": figures.of_libwebrtc(t, "source", heard(t, "source"))}
    out["ours"]["soundScore"], out["libwebrtc"]["soundScore"] = score(song, wav), score(song, t["recordings"].get("source"))
    for name in out:
        out[name].update(figures.of_link(weather.lines, name, "toClient", row.steps))
    health = figures.health([o, p], [t], report)
    return {"figures": {"receiving": out}, "health": health}


def sending(row, url, weather, seconds, song, folder):
    pictures, bitrate = row.picture
    stay = seconds + HEAD_START + 12
    real = lk_peer(url, "watcher", "--cards", "--record", folder, "--track-stats", seconds=stay)
    watcher = agent(url, "agent", "--video-playout", "rendered", seconds=3600)
    time.sleep(HEAD_START)
    theirs = lk_peer(
        weather.url, "libwebrtc", "--no-auto-subscribe", "--cards", "--sender", "7", "--wav", song, "--no-dtx", "--video", pictures,
        "--bitrate", str(bitrate), "--bitrates", seconds=seconds)
    ours = agent(weather.url, "ours", "--no-subscribe", "--wav", song, "--test-card", pictures, seconds=seconds)
    o, t = ours.result(seconds + LIMIT, (0, 1)), theirs.result(seconds + LIMIT)
    w, r = watcher.stopped(code=(0, 1)), real.result(stay + LIMIT)
    report = weather.stop(code=(0, 1))
    seen_by_ours = {name: figures.of_ours(w, name, None) for name in ("ours", "libwebrtc")}
    seen_by_real = {name: figures.of_libwebrtc(r, name, heard(r, name)) for name in ("ours", "libwebrtc")}
    for name in ("ours", "libwebrtc"):
        link = figures.of_link(weather.lines, name, "toServer", row.steps)
        if name == "libwebrtc":
            link.update(figures.estimates(t, row.steps))
        seen_by_real[name]["soundScore"] = score(song, r["recordings"].get(name))
        seen_by_ours[name].update(link)
        seen_by_real[name].update(link)
    health = figures.health([o, w], [t, r], report)
    return {"figures": {"sending, seen by ours": seen_by_ours, "sending, seen by libwebrtc": seen_by_real}, "health": health}


def heard(result, who):
    path = result["recordings"].get(who)
    return melody.heard(melody.read(path)) if path else None


def score(song, path):
    """What docs/quality.md calls the full reference score of a recording, 1 to 5; None where there is nothing to compare."""
    if not path:
        return None
    made = subprocess.run(
        [CALLAGENT, "score", "--reference", song, "--heard", path, "--repeats", "--json"], capture_output=True, text=True,
        timeout=LIMIT)
    return json.loads(made.stdout).get("score") if made.returncode == 0 else None
