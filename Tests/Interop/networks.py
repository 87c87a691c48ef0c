"""What `make bench-networks` stands on: content that tells what of it arrived, drawn and read by code of two kinds, and its run."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from harness import CALLAGENT, HERE, ROOT, agent, agent_track, expect, lk_peer, remote_track, server

sys.path.insert(0, os.path.join(HERE, "peers"))

import melody  # noqa: E402

SECONDS = 9


def check_pictures(seen, what, share):
    pictures = seen["pictures"]
    span = pictures["lastSeconds"] - pictures["firstSeconds"]
    expect(span > SECONDS - 5, f"{what}: pictures come to the end", seen)
    expect(pictures["count"] >= share * 30 * span, f"{what}: nearly all pictures are read", seen)
    expect(0 <= seen["latencyMs"]["p50"] < 500, f"{what}: both have one clock", seen)


def check_sound(path, what):
    heard = melody.heard(melody.read(path))
    expect(heard["seconds"] > SECONDS - 5, f"{what}: sound comes to the end", heard)
    expect(heard["wrongMs"] < 0.1 * 1000 * heard["seconds"], f"{what}: the melody is heard", heard)


def test_test_cards_and_melodies_between_two_kinds_of_clients():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        song = os.path.join(folder, "melody.wav")
        melody.write(song, melody.samples())
        wav = os.path.join(folder, "ours.wav")
        real = lk_peer(url, "real", "--cards", "--sender", "7", "--wav", song, "--video", "640x360@30", "--bitrate", "622080", "--no-dtx",
                       "--record", folder, "--track-stats", "--bitrates", seconds=SECONDS + 2)
        ours = agent(url, "ours", "--wav", song, "--test-card", "640x360@30", "--video-playout", "rendered", "--speaker", wav,
                     seconds=SECONDS)
        o, r = ours.result(code=(0, 1)), real.result()
        # Its encoder leaves pictures out while it knows little of the way.
        check_pictures(agent_track(o, "real", "video"), "ours sees real's card", 0.7)
        seen = remote_track(r, "ours", "video")
        check_pictures(seen, "real sees our card", 0.9)
        # The first ones are coarse: little is known of the way.
        expect(seen["unreadable"] <= 3 and seen["wrong_sender"] == 0, "each of them whole", seen)
        expect(seen["inbound"][-1]["frames"] > 100, "real counts what it decodes", seen)
        expect(remote_track(r, "ours", "audio")["inbound"][-1]["samples"] > 48_000, "and plays", r["tracks"])
        expect(max(bits for _, bits in r["bitrates"]) > 100_000, "real says what it takes the way for", r["bitrates"])
        check_sound(wav, "ours hears real's melody")
        check_sound(r["recordings"]["ours"], "real hears our melody")


def test_a_melody_that_was_not_heard_is_told():
    song = melody.samples()
    whole = melody.heard(song[4800 * 7 + 100:][:48_000 * 20])
    expect(whole["wrongMs"] <= 40, "all of it is heard wherever it begins", whole)
    broken = song[:48_000 * 20].copy()
    broken[48_000 * 5:48_000 * 6] = 0  # silence
    broken[48_000 * 10:48_000 * 10 + 24_000] = song[:24_000]  # something else
    found = melody.heard(broken)
    expect(1_250 <= found["wrongMs"] <= 1_600, "a second and a half is missing", found)
    expect(900 <= found["longestWrongMs"] <= 1_100, "the longest is the second", found)


def test_a_melody_at_another_speed_is_heard():
    song = melody.samples()[:48_000 * 30]
    windows = song.reshape(-1, melody.WINDOW)
    for speed in (0.67, 0.9, 1.12, 1.4):
        places = (np.arange(int(len(windows) / speed)) * speed).astype(int)
        found = melody.heard(windows[places].ravel())
        expect(found["wrongMs"] <= 100, f"all of it is heard at {speed} of its speed", found)
        # Slower for two seconds, then as before, with what a receiver does to follow, and a gap.
        pieces = np.concatenate((np.arange(500), 500 + (np.arange(100) * speed).astype(int), np.arange(560, 800), np.arange(810, 1_200)))
        mixed = windows[pieces].ravel().copy()
        mixed[48_000 * 6:48_000 * 7] = 0
        found = melody.heard(mixed)
        expect(900 <= found["wrongMs"] <= 1_200, f"and only the silence is missing of a change to {speed}", found)
    noise = np.random.default_rng(1).integers(0, len(melody.SCALE), 300)
    t = np.arange(melody.NOTE)
    false = np.concatenate([np.sin(2 * np.pi * melody.SCALE[note] * t / melody.RATE) * 8_000 for note in noise]).astype(np.int16)
    found = melody.heard(np.concatenate((song, false)))
    expect(found["wrongMs"] >= 0.6 * 30_000, "another melody is not", found)


def test_the_benchmark_of_networks_runs():
    run = subprocess.run(
        [sys.executable, os.path.join(ROOT, "Benchmarks", "networks", "run.py"), "--smoke", "--json"],
        env={**os.environ, "CALLAGENT": CALLAGENT}, capture_output=True, text=True, timeout=300)
    expect(run.returncode == 0, "it runs", (run.stdout[-500:], run.stderr[-1500:]))
    document = json.loads(run.stdout)
    expect(not document["failures"], "every run of it", document["failures"])
    scenes = {(line["row"], line["scene"]) for line in document["lines"]}
    expect({("Q1", "receiving"), ("Q2", "receiving"), ("Q1", "sending, seen by ours"), ("Q2", "sending, seen by libwebrtc")} <= scenes,
           "with a line for each", sorted(scenes))
    for line in document["lines"]:
        if line["figure"] == "pictures shown":
            expect(line["ours"] > 30 and line["libwebrtc"] > 30, "both are seen", line)
