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
from sound import QUIET, RATE, check_tone, sounding, tone, tone_level


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
        ours = join(sound, slow.url, "ours", "--speaker", "pulse:out", "--greeting", SENTENCE, seconds=5)
        while_waiting(sound)
        report = ours.result()
        heard = sound.heard(recording)
        tones.result()
        return heard, report


def test_greeting_through_a_sink_ends_with_the_call():
    heard, report = greeted()
    said, call = synthesis(), first_of_tone(heard, 1000)
    summary = report["greeting"]
    expect(summary["gapMs"] <= 40 and summary["overlapMs"] == 0, "greeting and call met without gap or overlap", summary)
    # A machine that is too slow loses some of it on the way through the daemon; what is heard is the text in its order.
    first = sounding(said)[0]
    places = places_of(said[first:first + int((summary["playedMs"] - 200) * 48)], heard[:call])
    found = [place for place in places if place is not None]
    expect(len(found) >= 0.7 * len(places), "the text is heard", (len(found), len(places)))
    # A vowel may be found once more elsewhere.
    backwards = sum(later < earlier for earlier, later in zip(found, found[1:]))
    expect(backwards <= 2, "in its order", found)
    expect(found[0] < sounding(heard)[0] + RATE // 4, "from its beginning", found)
    before = heard[:call]
    silence = (call - numpy.flatnonzero(numpy.abs(before) > QUIET)[-1]) / 48
    expect(silence < 250, "until the call", silence)
    check_call_alone(heard[call:], said)


def test_no_greeting_is_left_where_the_sound_system_stalls():
    def stall(sound):
        wait(2.2)
        sound.pause()
        wait(2.5)
        sound.go_on()

    heard, _ = greeted(while_waiting=stall)
    call = first_of_tone(heard, 1000)
    expect(call > RATE // 2, "something was heard before", call / RATE)
    check_call_alone(heard[call:], synthesis())


def check_call_alone(heard, said):
    """The call's tone and, from its first moment on, nothing of what was said before."""
    check_tone(heard, 1000, 1.5, holes_ms=800)
    expect(all(place is None for place in places_of(said, heard[:2 * RATE])), "nothing of the greeting follows the call's first sound")


def places_of(said, heard, block=RATE // 20):
    """Where each loud 50 ms of a text are in a recording; None for those that are not."""
    power = numpy.convolve(heard ** 2, numpy.ones(block), "valid")
    size = 1 << (len(heard) + block).bit_length()
    spectrum = numpy.fft.rfft(heard, size)
    places = []
    for at in range(0, len(said) - block, block):
        part = said[at:at + block]
        energy = float(part @ part)
        if energy < block * 1_000 ** 2:
            continue
        found = numpy.fft.irfft(spectrum * numpy.fft.rfft(part, size).conj(), size)[:len(power)]
        match = found / numpy.sqrt(energy * numpy.maximum(power, energy / 4))
        places.append(int(match.argmax()) if match.max() > 0.9 else None)
    return places


def first_of_tone(samples, hertz):
    """The first sample from which on a tone lasts for 100 ms."""
    levels = tone_level(samples, hertz)
    on = levels > numpy.median(levels[-200:]) / 2
    run = numpy.convolve(on, numpy.ones(20), "valid") >= 20
    expect(run.any(), "the tone is heard")
    return int(run.argmax()) * 240
