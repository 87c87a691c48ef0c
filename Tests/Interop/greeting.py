"""The voice greeting, measured from what the one who accepts a call is played, with a connection that takes 3 s."""
import os
import tempfile

import numpy

from calls import call
from harness import agent, expect, near, server
from slow_path import slow_path
from sound import RATE, Transition, read_wav, sounding, tone

# Long enough to be speaking still when the call comes.
SENTENCE = ("Thank you for calling, your call is important to all of us here. Please stay with us on the line while we "
            "find somebody who can answer whatever you would like to know about it today.")
SHORT = "One moment."
_said = {}


def accept(url, seconds, *options, delay=3):
    """What somebody hears who accepts a call through a slow way to the server, and the report."""
    with tempfile.TemporaryDirectory() as folder, slow_path(url, delay) as slow:
        path = os.path.join(folder, "heard.wav")
        report = agent(slow.url, "ours", "--speaker", path, *options, seconds=seconds).result()
        return read_wav(path), report


def synthesis(text=SENTENCE):
    """The text once more, from another process: nobody else is in the room, so that it is said to its end and again."""
    if text not in _said:
        with server() as url:
            _said[text], _ = accept(url, 10, "--greeting", text, delay=0)
    return _said[text]


def greeted(text, seconds=3):
    with server() as url:
        tones = agent(url, "tones", "--tone", "1000", seconds=10)
        result = accept(url, seconds, "--greeting", text)
        tones.result()
        return result


def test_greeting_from_acceptance_to_the_call():
    heard, report = greeted(SENTENCE)
    said = synthesis()
    met = Transition(heard, said, 1000)
    expect(met.begin < 1.5 * RATE, "it begins at once: the synthesis takes a fraction of a second", met.begin / RATE)
    expect(met.spoken >= 2 * RATE, "it is the text, sample for sample, until the call comes", met.spoken / RATE)
    expect(met.gap <= 40 and met.holes == 0, "the gap", (met.gap, met.holes))
    near(met.frequency, 1000, 5, "the call's tone")
    expect(met.purity > 0.98 and met.speech_in_call() < 0.5, "no speech under it", (met.purity, met.speech_in_call()))
    summary = report["greeting"]
    expect(summary["text"] == SENTENCE and summary["gapMs"] <= 40 and summary["overlapMs"] == 0, "the report", summary)
    # The synthesis begins with a moment of silence.
    near(summary["playedMs"], met.spoken / 48 + 60, 70, "the report's length is the recording's")
    fade = heard[met.end:met.end + 240]
    if numpy.abs(met.fade).max() > 1_000:
        late = numpy.abs(fade[160:]).max() / numpy.abs(met.fade[160:]).max()
        expect(late < 0.75, "it fades within 5 ms", late)


def test_greeting_is_the_text():
    said, other = synthesis(), synthesis("Good bye.")
    first, last = sounding(said)
    seconds = (last - first) / RATE
    expect(7 <= seconds, "some thirty words take their time", seconds)
    expect(not numpy.array_equal(said[first:first + RATE], other[sounding(other)[0]:][:RATE]), "another text differs")


def test_greeting_loops_with_a_pause():
    said = synthesis(SHORT)
    first, _ = sounding(said)
    loud = numpy.abs(said[first:]) > 64
    blocks = loud[:len(loud) // 480 * 480].reshape(-1, 480).any(axis=1)
    quiet, runs = 0, []
    for block in blocks:
        if block and quiet >= 40:
            runs.append(quiet)
        quiet = 0 if block else quiet + 1
    expect(len(runs) >= 3, "it is said again and again within 8 s", runs)
    expect(all(65 <= run <= 110 for run in runs), "with a pause of 0.7 s and the text's own silence", runs)
    period = numpy.flatnonzero(blocks)[0]
    again = next(at for at in range(48_000, len(said) - first - 24_000, 1)
                 if said[first + at] == said[first] and numpy.array_equal(said[first + at:first + at + 24_000],
                                                                         said[first:first + 24_000]))
    expect(again > 48_000 and period == 0, "the second time is the first one's copy", again)


def test_no_text_no_greeting():
    heard, report = greeted("  ")
    first, _ = sounding(heard)
    expect(first > 2.5 * RATE, "nothing is heard before the call", first / RATE)
    expect("greeting" not in report or report["greeting"] is None, "and nothing reported", report.get("greeting"))


def test_greeting_of_a_whole_call():
    report = call("--participants", "2", "--duration", "4", "--greeting", SENTENCE, "--picture", "320x180@15")
    summary = report["greeting"]
    expect(set(summary) == {"text", "playedMs", "gapMs", "overlapMs"}, "its fields", summary)
    expect(summary["text"] == SENTENCE and summary["playedMs"] > 0, "it was said", summary)
    expect(summary["gapMs"] <= 40 and summary["overlapMs"] == 0, "and gave way in time", summary)


def test_the_measure_sees_what_would_be_wrong():
    """Doctored recordings: without this the tests above would prove nothing."""
    said = synthesis()[:6 * RATE]
    start, cut = sounding(said)[0], 3 * RATE
    call = tone(1000, 3).astype(float)

    def met(*parts):
        return Transition(numpy.concatenate((numpy.zeros(9_600), *parts)), said, 1000)

    right = met(said[start:cut], call)
    expect(right.gap <= 10 and abs(right.spoken - (cut - start)) < 100 and right.speech_in_call() < 0.5,
           "a right one", vars(right) | {"speech": 0, "call": 0, "unsaid": 0, "fade": 0})
    expect(met(said[start:cut], numpy.zeros(2_880), call).gap > 40, "a gap of 60 ms")
    going_on = call + said[cut:cut + len(call)]
    expect(met(said[start:cut], going_on).speech_in_call() > 0.5, "a greeting that goes on under the call")
    expect(met(synthesis(SHORT)[sounding(synthesis(SHORT))[0]:][:RATE], call).spoken < RATE // 10, "another text")
    expect(met(said[start + 480:cut], call).spoken < RATE // 10, "a beginning that is missing")
