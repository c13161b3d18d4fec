"""A recording with speech at known times, and whether the demonstration has found it.

  recording.py make WAV TRUTH     speech from espeak-ng, pauses and noises from here: 16 bits, one channel, 16 kHz
  recording.py check TRUTH FOUND  FOUND is what the program printed: each span must begin and end within 100 ms of a true one
"""
import re
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy

RATE = 16000
TOLERANCE = 0.100  # seconds
PEAK = 0.4  # of speech, of full scale
# What is heard, one after the other: a sentence, or a noise and its seconds.
SCENES = [("pause", 1.0), "This program is listening to a voice.", ("pause", 1.2), ("hiss", 0.8), ("pause", 0.7),
          "It was compiled from a model before it ran.", ("pause", 0.9), ("tone", 0.8), ("pause", 0.8),
          "Nobody speaks in the pauses.", ("knocks", 1.6), ("pause", 0.6), "That was all.", ("pause", 1.5)]


def resampled(samples, rate):
    """At RATE, by a windowed sinc of 32 zero crossings on either side."""
    cutoff = min(1.0, RATE / rate) * 0.95
    half = int(32 / cutoff)
    at = numpy.arange(int(len(samples) * RATE / rate)) * (rate / RATE)
    taps = numpy.floor(at).astype(int)[:, None] + numpy.arange(-half, half + 1)
    distance = taps - at[:, None]
    weights = cutoff * numpy.sinc(cutoff * distance) * numpy.cos(numpy.pi / 2 * distance / (half + 1)) ** 2
    return (numpy.pad(samples, half + 1)[numpy.clip(taps, -half - 1, len(samples) + half) + half + 1] * weights).sum(1)


def spoken(text):
    """The sentence without the silence around it, which is below 1 % of its peak."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-w", path, text], check=True)
        with wave.open(str(path)) as file:
            samples, rate = numpy.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768.0, file.getframerate()
    samples = resampled(samples, rate)
    loud = numpy.flatnonzero(abs(samples) > 0.01 * abs(samples).max())
    samples = samples[loud[0]:loud[-1] + 1]
    return samples * (PEAK / abs(samples).max())


def noise(kind, seconds, random):
    time = numpy.arange(int(seconds * RATE)) / RATE
    if kind == "hiss":
        return 0.1 * random.standard_normal(len(time))
    if kind == "tone":
        return 0.2 * numpy.sin(2 * numpy.pi * 440 * time)
    if kind == "knocks":
        return 0.3 * random.standard_normal(len(time)) * numpy.exp(-60 * (time % 0.4)) * (time > 0.4)
    return 0 * time


def make(wav, truth):
    random = numpy.random.default_rng(31)
    parts, spans, length = [], [], 0
    for scene in SCENES:
        parts.append(spoken(scene) if isinstance(scene, str) else noise(*scene, random))
        if isinstance(scene, str):
            spans.append((length / RATE, (length + len(parts[-1])) / RATE))
        length += len(parts[-1])
    samples = numpy.concatenate(parts) + 0.002 * random.standard_normal(length)  # a quiet room, 46 dB below the speech's peak
    with wave.open(wav, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples.clip(-1, 1) * 32767).round().astype("<i2").tobytes())
    Path(truth).write_text("".join(f"speech {begin:.3f} s to {end:.3f} s\n" for begin, end in spans))


def spans_in(path):
    return [(float(begin), float(end)) for begin, end in re.findall(r"^speech +([\d.]+) s to +([\d.]+) s$", Path(path).read_text(), re.MULTILINE)]


def check(truth, found):
    true, seen = spans_in(truth), spans_in(found)
    good = bool(true) and len(true) == len(seen)
    print(f"{'true':>17}{'found':>19}{'difference':>20}")
    for (begin, end), (first, last) in zip(true, seen):
        fits = max(abs(first - begin), abs(last - end)) <= TOLERANCE
        good = good and fits
        print(f"{begin:8.3f} {end:8.3f} {first:9.3f} {last:8.3f}   {1000 * (first - begin):+6.0f} {1000 * (last - end):+6.0f} ms{'' if fits else '  more than 100 ms'}")
    if len(true) != len(seen):
        print(f"{len(true)} times somebody speaks, {len(seen)} are found: {seen}")
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("make", "check"):
        sys.exit(__doc__)
    sys.exit(make(*sys.argv[2:]) if sys.argv[1] == "make" else check(*sys.argv[2:]))
