"""PulseAudio in and out, with a real daemon: `callagent join --speaker pulse`, `--mic pulse`."""
import os
import select
import subprocess
import tempfile

import numpy

from greeting import SENTENCE, synthesis
from harness import CALLAGENT, KEY, SECRET, Child, agent, agent_track, expect, lk_peer, near, remote_track, server
from pulse_daemon import daemon
from slow_path import slow_path
from sound import RATE, Transition, check_tone, sounding, tone


def join(sound, url, identity, *arguments, seconds=8):
    """A participant whose sound system is `sound`."""
    return Child(identity, sound.command(
        CALLAGENT, "join", "--url", url, "--key", KEY, "--secret", SECRET, "--room", "interop", "--identity", identity,
        "--duration", str(seconds), "--json", *arguments))


def wait(seconds):
    select.select([], [], [], seconds)


def played(device):
    """What `out` plays while a participant listens to another one's tone of 880 Hz, and the report."""
    with server() as url, daemon() as sound:
        recording = sound.record("out.monitor")
        real = lk_peer(url, "real", "--tone", "880", "--no-dtx", seconds=10)
        report = join(sound, url, "ours", "--speaker", device, seconds=8).result()
        heard = sound.heard(recording)
        real.result()
        return heard, report


def test_speaker_plays_into_a_sink():
    heard, report = played("pulse:out")
    check_tone(heard, 880, 4)
    near(agent_track(report, "real", "audio")["audio"]["dominantHz"], 880, 15, "what arrived")


def test_speaker_plays_into_the_default_sink():
    heard, _ = played("pulse")
    check_tone(heard, 880, 4)


def test_microphone_is_heard_by_the_others():
    with server() as url, daemon() as sound:
        sound.play("in", tone(660, 30))
        ours = join(sound, url, "ours", "--mic", "pulse:in.monitor", seconds=9)
        real = lk_peer(url, "real", seconds=7).result()
        ours.result()
        track = remote_track(real, "ours", "audio")
        near(track["dominant_hz"], 660, 7, "the microphone's tone")
        expect(track["tone_purity"] > 0.8 and track["sounding_frames"] > 300, "it arrives whole", track)


def test_no_sound_system_and_no_such_device_are_told():
    with server() as url, daemon() as sound, tempfile.TemporaryDirectory() as folder:
        nowhere = {"PULSE_SERVER": f"unix:{folder}/none"}
        there = {"PULSE_SERVER": f"unix:{sound.socket}"}
        cases = [(option, {"HOME": folder, "XDG_RUNTIME_DIR": folder, **nowhere}, device, "Connection refused")
                 for option in ("--speaker", "--mic") for device in ("pulse", "pulse:out")]
        cases += [("--speaker", there, "pulse:absent", "absent"), ("--mic", there, "pulse:absent", "absent")]
        for option, environment, device, named in cases:
            ran = subprocess.run(
                [CALLAGENT, "join", "--url", url, "--key", KEY, "--secret", SECRET, "--room", "r", "--identity", "a",
                 "--duration", "2", option, device],
                env=dict(os.environ, **environment), capture_output=True, text=True, timeout=60)
            seen = (option, device, ran.returncode, ran.stderr)
            expect(ran.returncode == 3, "an environment without that sound exits with 3", seen)
            expect(ran.stderr.startswith("callagent: PulseAudio device") and named in ran.stderr, "it is named", seen)
            expect("pactl" in ran.stderr and ran.stderr.count("\n") == 1, "one line, with the remedy", seen)


def test_a_daemon_that_dies_does_not_end_the_call():
    with server() as url, daemon() as sound:
        sound.play("in", tone(660, 30))
        ours = join(
            sound, url, "ours", "--speaker", "pulse:out", "--mic", "pulse:in.monitor", "--test-card", "320x180@15",
            seconds=12)
        real = lk_peer(url, "real", "--tone", "880", "--video", "320x180@15", "--no-dtx", seconds=14)
        wait(5)
        sound.die()
        report = ours.result(code=1)
        seen = real.result()
        lost = [failure for failure in report["failures"] if "PulseAudio device" in failure]
        expect(len(lost) == 2 and len(report["failures"]) == 2, "both devices are named, and nothing else failed",
               report["failures"])
        expect(report["durationSeconds"] >= 11.5, "the call went on to its end", report["durationSeconds"])
        video = agent_track(report, "real", "video")
        expect(video["framesDecoded"] > 15 * 9, "pictures came until the end", video)
        expect(remote_track(seen, "ours", "video")["frames"] > 15 * 9, "and went", seen["tracks"])
        ours.errors.seek(0)
        said = ours.errors.read()
        expect(said.count("the call goes on without it") == 2, "it is said when it happens", said)


def greeted(*, while_waiting=lambda sound: None):
    """What a sink plays where somebody accepts a call, whose connection takes 3 s, and is greeted."""
    with server() as url, daemon() as sound, slow_path(url, 3) as slow:
        recording = sound.record("out.monitor")
        tones = agent(url, "tones", "--tone", "1000", seconds=14)
        ours = join(sound, slow, "ours", "--speaker", "pulse:out", "--greeting", SENTENCE, seconds=5)
        while_waiting(sound)
        report = ours.result()
        heard = sound.heard(recording)
        tones.result()
        return heard, report


def test_greeting_through_a_sink_ends_with_the_call():
    heard, report = greeted()
    met = Transition(heard, synthesis(), 1000)
    expect(met.spoken >= 2.5 * RATE, "it is the text, from acceptance on", met.spoken / RATE)
    expect(met.gap <= 40, "the call follows at once", met.gap)
    near(met.frequency, 1000, 10, "what follows is the call")
    expect(met.purity > 0.95 and met.speech_in_call() < 0.5, "alone", (met.purity, met.speech_in_call()))
    expect(report["greeting"]["gapMs"] <= 40 and report["greeting"]["overlapMs"] == 0, "and told so", report["greeting"])


def test_no_greeting_is_left_where_the_sound_system_stalls():
    def stall(sound):
        wait(2.2)
        sound.pause()
        wait(2.5)
        sound.go_on()

    heard, _ = greeted(while_waiting=stall)
    levels = numpy.abs(heard[sounding(heard)[0]:])
    expect(len(levels) > 2 * RATE, "something was played before and after", len(levels) / RATE)
    first = first_of_tone(heard, 1000)
    after = heard[first:first + 2 * RATE]
    expect(len(after) == 2 * RATE, "the call is heard after the stall", len(after) / RATE)
    check_tone(after, 1000, 1.5, holes_ms=800)
    said = synthesis()
    blocks = [said[at:at + 4_800] for at in range(0, len(said) - 4_800, 4_800)]
    for block in blocks:
        if numpy.abs(block).max() > 2_000:
            match = numpy.correlate(after, block, "valid") / (numpy.linalg.norm(block) * numpy.linalg.norm(after[:4_800]))
            expect(numpy.abs(match).max() < 0.5, "nothing of the greeting follows the call's first sound")


def first_of_tone(samples, hertz):
    """The first sample from which on a tone lasts for 100 ms."""
    from sound import tone_level
    levels = tone_level(samples, hertz)
    on = levels > numpy.median(levels[-200:]) / 2
    run = numpy.convolve(on, numpy.ones(20), "valid") >= 20
    expect(run.any(), "the tone is heard")
    return int(run.argmax()) * 240
