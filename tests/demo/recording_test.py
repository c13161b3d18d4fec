"""demo/voice/recording.py accepts spans within 100 ms, and no others; its resampling keeps a tone: recording_test.py FOLDER"""
import contextlib
import io
import sys
import tempfile
from pathlib import Path

import numpy

sys.path.insert(0, sys.argv[1])
import recording

TRUE = "speech 1.000 s to 2.000 s\nspeech 3.500 s to 4.000 s\n"
CASES = [(TRUE, 0), ("   0.00 s |  |\nspeech 1.099 s to 1.901 s\nspeech 3.401 s to 4.099 s\n", 0), (TRUE.replace("1.000", "1.101"), 1),
         (TRUE.replace("4.000", "3.899"), 1), (TRUE.splitlines()[0] + "\n", 1), (TRUE + "speech 5.000 s to 6.000 s\n", 1), ("no speech\n", 1)]


def check(true, found):
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        for name, text in (("true", true), ("found", found)):
            Path(folder, name).write_text(text)
        return recording.check(Path(folder, "true"), Path(folder, "found"))


for text, status in CASES:
    assert check(TRUE, text) == status, text
assert check("", "") == 1, "a recording without speech shows nothing"

for rate in (8000, 16000, 22050, 44100):
    heard = recording.resampled(numpy.sin(2 * numpy.pi * 440 / rate * numpy.arange(rate)), rate)
    want = numpy.sin(2 * numpy.pi * 440 / recording.RATE * numpy.arange(recording.RATE))
    assert len(heard) == len(want) and abs(heard - want)[200:-200].max() < 2e-3, rate
high = recording.resampled(numpy.sin(2 * numpy.pi * 9000 / 22050 * numpy.arange(22050)), 22050)
assert abs(high)[200:-200].max() < 2e-3, "what 16 kHz cannot hold does not fold back"
