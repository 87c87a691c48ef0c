"""Measurements of recorded sound, all at 48 kHz: tones, what was said, and how one gave way to the other."""
import wave

import numpy

from harness import expect, near

RATE = 48_000
QUIET = 64  # below it a sample counts as silence


def read_wav(path):
    with wave.open(path) as file:
        expect(file.getframerate() == RATE and file.getsampwidth() == 2, f"{path} has 16 bits at 48 kHz")
        samples = numpy.frombuffer(file.readframes(file.getnframes()), "<i2")
        return samples.reshape(-1, file.getnchannels())[:, 0].astype(float)


def tone(hertz, seconds, amplitude=8_000):
    return (amplitude * numpy.sin(2 * numpy.pi * hertz * numpy.arange(int(seconds * RATE)) / RATE)).astype("<i2")


def strongest(samples):
    """The strongest frequency in hertz and its share of the power."""
    spectrum = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples)))) ** 2
    peak = int(spectrum[1:].argmax()) + 1
    around = spectrum[max(0, peak - 20):peak + 21].sum()
    return peak * RATE / len(samples), around / max(spectrum.sum(), 1e-9)


def sounding(samples):
    """The indices of the first and the last sample that are not silence."""
    loud = numpy.flatnonzero(numpy.abs(samples) > QUIET)
    expect(len(loud), "there is sound in the recording")
    return loud[0], loud[-1] + 1


def check_tone(samples, hertz, seconds, holes_ms=200):
    """A pure tone for so long, with at most so many milliseconds of silence between its beginning and its end."""
    first, last = sounding(samples)
    heard = samples[first:last]
    expect(len(heard) >= seconds * RATE, f"the tone lasts {seconds} s", len(heard) / RATE)
    frequency, share = strongest(heard[RATE // 2:])
    near(frequency, hertz, hertz * 0.01, "the tone's frequency")
    expect(share > 0.8, "the tone is pure", share)
    blocks = numpy.abs(heard[:len(heard) // 480 * 480]).reshape(-1, 480).max(axis=1)
    holes = int((blocks < QUIET).sum()) * 10
    expect(holes <= holes_ms, "the tone has no holes", holes)


def tone_level(samples, hertz, block=240):
    """The amplitude of a tone in each block of 5 ms."""
    count = len(samples) // block
    wave_form = numpy.exp(-2j * numpy.pi * hertz * numpy.arange(count * block) / RATE).reshape(count, block)
    return 2 * numpy.abs((samples[:count * block].reshape(count, block) * wave_form).mean(axis=1))


class Transition:
    """Where speech, which is known from another synthesis of the same text, gives way to a tone.

    Up to `end` the recording is the text, sample for sample, but for `holes` of silence; `spoken` is how much of the text
    that is. Both in samples. `gap` is the silence in ms from there to the call's first 5 ms.
    """

    def __init__(self, heard, synthesis, hertz):
        self.begin, _ = sounding(heard)
        self.speech = synthesis[sounding(synthesis)[0]:]
        # Silence apart: a machine that is too slow puts holes in.
        at, of_text = (numpy.flatnonzero(samples) for samples in (heard[self.begin:], self.speech))
        length = min(len(at), len(of_text))
        differs = numpy.flatnonzero(heard[self.begin:][at[:length]] != self.speech[of_text[:length]])
        count = int(differs[0]) if len(differs) else length
        self.spoken = int(of_text[count - 1]) + 1 if count else 0
        self.end = self.begin + (int(at[count - 1]) + 1 if count else 0)
        self.holes = self.end - self.begin - self.spoken
        silent = int(of_text[count]) - self.spoken if count < len(of_text) else 0
        self._call(heard, hertz, silent)

    def _call(self, heard, hertz, silent):
        levels = tone_level(heard[self.end:], hertz)
        full = float(numpy.median(levels[-100:]))
        expect(full > 500, "the call is heard in the end", full)
        first = int(numpy.argmax(levels > full / 2))
        self.gap = max(0.0, first * 5.0 - silent * 1_000 / RATE)
        self.fade = self.speech[self.spoken:self.spoken + 240]
        skipped = (first + 4) * 240
        self.call = heard[self.end + skipped:]
        self.frequency, self.purity = strongest(self.call)
        self.hertz, self.unsaid = hertz, self.speech[self.spoken + skipped:]

    def speech_in_call(self):
        """How loud the text goes on under the call, at the worst 20 ms: 1 where it does, about 0 where not."""
        block, worst = RATE // 50, 0.0
        time = numpy.arange(block) * 2 * numpy.pi * self.hertz / RATE
        tones = numpy.stack((numpy.cos(time), numpy.sin(time)), 1)
        for at in range(0, min(len(self.unsaid), len(self.call)) - block, block):
            said, heard = (samples[at:at + block] - tones @ numpy.linalg.lstsq(tones, samples[at:at + block])[0]
                           for samples in (self.unsaid, self.call))
            if numpy.abs(said).max() > 2_000:
                worst = max(worst, abs(float(said @ heard)) / float(said @ said))
        return worst
