"""The program of demo/voice with a network that hears loudness (vad.yaml): what it draws and finds, and which files it refuses.

  voice.py VOICE SCENARIO WORK_FOLDER
"""
import array
import math
import pathlib
import random
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

RATE, WINDOW, BEFORE = 16000, 512, 64
BLOCKS = " ▁▂▃▄▅▆▇█"
SVG = "{http://www.w3.org/2000/svg}"


def require(good, what):
    if not good:
        sys.exit(f"failed: {what}")


def chunk(name, data, size=None):
    return name + struct.pack("<I", len(data) if size is None else size) + data + b"\0" * (len(data) % 2)


def fmt(kind=1, channels=1, rate=RATE, bits=16):
    return chunk(b"fmt ", struct.pack("<HHIIHH", kind, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits))


def wav(*chunks):
    return b"RIFF" + struct.pack("<I", 4 + sum(map(len, chunks))) + b"WAVE" + b"".join(chunks)


def data(samples):
    return chunk(b"data", struct.pack(f"<{len(samples)}h", *samples))


class Voice:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, encoding="utf-8")

    def on(self, content, *arguments):
        (self.folder / "sound.wav").write_bytes(content)
        return self.run("sound.wav", *arguments)

    def hears(self, samples):
        """Lines of blocks, spans in seconds, and the picture; all of them as they should be."""
        ran = self.on(wav(fmt(), data(samples)), "picture.svg")
        require(ran.returncode == 0, ran.stderr)
        lines = ran.stdout.splitlines()
        blocks = "".join(line.split("|")[1] for line in lines if "|" in line)
        times = [line.split()[0] for line in lines if "|" in line]
        want = probabilities(samples)
        require([float(time) for time in times] == [round(80 * i * WINDOW / RATE, 2) for i in range(len(times))], f"times {times}")
        require(len(blocks) == len(want), f"{len(blocks)} windows, expected {len(want)}")
        for i, (block, p) in enumerate(zip(blocks, want)):
            require(abs(BLOCKS.index(block) - 8 * p) <= 0.501, f"window {i} is '{block}', its probability {p}")
        found = [(float(line.split()[1]), float(line.split()[4])) for line in lines if line.startswith("speech ")]
        require(bool(found) != ("no speech" in lines), "spans or 'no speech'")
        picture(ElementTree.parse(self.folder / "picture.svg").getroot(), want, found)
        return found


def loudness(values):
    return sum(max(v, -v / 2) for v in values) / len(values)


def probabilities(samples):
    """What vad.yaml computes, in double precision."""
    values = [s / 32768 for s in samples] + [0.0] * (-len(samples) % WINDOW)
    state, result, before = 0.0, [], [0.0] * BEFORE
    for at in range(0, len(values), WINDOW):
        now = values[at:at + WINDOW]
        mean = loudness(now)
        result.append(min(max(loudness(before) / 2 + 2 * mean + state / 4, 0.0), 1.0))
        state, before = state / 2 + mean, now[-BEFORE:]
    return result


def picture(root, want, found):
    require(root.tag == SVG + "svg", "an SVG")
    line, = root.iter(SVG + "polyline")
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    require([x for x, _ in points] == [2 * i + 1 for i in range(len(want))], "a point in the middle of each window")
    require(all(abs(y - (100 - 100 * p)) < 0.02 for (_, y), p in zip(points, want)), "probabilities from bottom to top")
    shaded = [(float(r.get("x")), float(r.get("width"))) for r in root.iter(SVG + "rect") if r.get("class") == "speech"]
    second = 2 * RATE / WINDOW
    require(len(shaded) == len(found), "a shade for each span")
    require(all(abs(x - b * second) < 0.1 and abs(w - (e - b) * second) < 0.1 for (x, w), (b, e) in zip(shaded, found)), "its place")
    words = [t.text for t in root.iter(SVG + "text") if t.get("class") in ("word", "percent")]
    require(words == ["0 %", "50 %", "100 %", "probability of speech", "time"], f"words at the axes: {words}")
    labels = [(float(t.get("x")), t.text) for t in root.iter(SVG + "text") if t.get("class") == "second"]
    require(labels == [(round(i * second, 2), f"{i} s") for i in range(int(len(want) * WINDOW / RATE) + 1)], f"an axis of seconds {labels}")


def windows(*levels):
    """Square waves: a level, of full scale, for each window."""
    return [int(32767 * level) * (1 if i % 2 else -1) for level in levels for i in range(WINDOW)]


def draws(voice):
    generator = random.Random(5)
    loud = [generator.random() ** 2 for _ in range(333)]
    samples = [int(32767 * loud[i // WINDOW] * math.sin(i)) for i in range(332 * WINDOW + 77)]
    voice.hears(samples)
    voice.hears(samples[:80 * WINDOW])
    voice.hears([-32768] * WINDOW + [32767] * 3)
    voice.hears([1])
    require(voice.hears([]) == [], "nothing is heard in an empty recording")


def spans(voice):
    """A level of 0.4 is heard with 0.6 and more, silence with 0.3 and less."""
    def found(*counts):
        levels = [level for i, n in enumerate(counts) for level in [0.4 if i % 2 else 0.0] * n]
        return [(round(b * RATE / WINDOW), round(e * RATE / WINDOW)) for b, e in voice.hears(windows(*levels))]
    require(found(10, 20, 10) == [(10, 30)], "one span")
    require(found(0, 5) == [(0, 5)], "a recording that is speech")
    require(found(10, 20, 7, 20, 3) == [(10, 57)], "a short pause is part of it")
    require(found(10, 20, 8, 20, 3) == [(10, 30), (38, 58)], "a long pause is not")
    require(found(10, 2, 20, 3, 20, 2) == [(32, 35)], "what is shorter than 3 windows does not count")
    require(found(10, 1, 5, 1, 10) == [(10, 17)], "but its pauses do")
    require(found(30) == [], "silence")


def refuses(voice):
    good = data([1, 2, 3])
    for content, text in [
            (b"", "not a WAV file"), (b"RIFF\0\0\0\0WAV", "not a WAV file"), (b"RIFX\0\0\0\0WAVE" + fmt() + good, "not a WAV file"),
            (wav(), "it has no fmt chunk before its samples"), (wav(good), "it has no fmt chunk before its samples"),
            (wav(fmt()), "it has no samples"), (wav(fmt())[:-1], "it ends within a chunk"),
            (wav(chunk(b"fmt ", b"\1\0")), "its fmt chunk is shorter than 16 bytes"),
            (wav(fmt(kind=3), good), "expected PCM samples of 16 bits"), (wav(fmt(bits=8), good), "expected PCM samples of 16 bits"),
            (wav(fmt(channels=2), good), "expected one channel"), (wav(fmt(rate=22050), good), "expected 16000 samples a second"),
            (wav(fmt(), chunk(b"data", b"abcd", 5)), "it ends within a chunk"),
            (wav(fmt(), chunk(b"data", b"abcd", 2**32 - 1)), "it ends within a chunk"),
            (wav(fmt(), chunk(b"data", b"abc")), "it ends within a sample"),
            (wav(chunk(b"LIST", b"abc", 2**32 - 9), fmt(), good), "it ends within a chunk")]:
        ran = voice.on(content)
        require(ran.returncode == 1 and ran.stderr == f"sound.wav: {text}\n", f"{text}: {ran.returncode} {ran.stderr}")
        require(not ran.stdout, "nothing is drawn")
    for content in (wav(chunk(b"LIST", b"abc"), fmt(), chunk(b"fact", b""), good), wav(fmt(), good) + b"tail", wav(fmt(), good, chunk(b"LIST", b"a"))):
        require(voice.on(content).returncode == 0, "other chunks are skipped")
    whole = wav(chunk(b"LIST", b"abc"), fmt(), good)
    for size in range(len(whole)):
        require(voice.on(whole[:size]).returncode == 1, f"refuses the first {size} bytes")
    require(voice.run().returncode == 2 and voice.run("a", "b", "c").returncode == 2, "usage")
    require("cannot be opened" in voice.run("missing.wav").stderr, "no file")
    require("cannot be read" in voice.run(".").stderr, "a folder")
    ran = voice.on(whole, "missing/picture.svg")
    require(ran.returncode == 1 and "missing/picture.svg: cannot be written" in ran.stderr, "no place for the picture")
    ran = voice.on(whole, "/dev/full")
    require(ran.returncode == 1 and "/dev/full: cannot be written" in ran.stderr, "a full disk")
    long = array.array("h", [0]) * (2**24)
    require("longer than 17 minutes" in voice.on(wav(fmt(), chunk(b"data", long.tobytes()))).stderr, "a long recording")


if __name__ == "__main__":
    {"draws": draws, "spans": spans, "refuses": refuses}[sys.argv[2]](Voice(sys.argv[1], sys.argv[3]))
