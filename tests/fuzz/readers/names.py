"""Names that nobody should give to anything: in models, whose names are bytes, and as `original` in specs."""
import json
import shutil

WORDS = ["int", "while", "register", "main", "NULL", "errno", "stdin", "y", "x", "f", "tiny", "TINY_H", "_", "__", "_X", "0", "9x", "a b", "a-b", "a.b", "a/b", "../a", "/etc/passwd",
         "C:\\a", "*/", "/*", "//", "*/ int z; /*", "??/", "\\", "\\\n", "\n", "\r\n", "\t", "\0", "\x1b[2J", "\x7f", "%s%n", "$(id)", "`id`", "${x}", "#define x", "'", '"', '"""', "'''",
         "</script>", "<b>", "&amp;", "{", "}", "{{x}}", "[0]", "é", "ß", "ﬀ", "名", "\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\ufeff", "\U0001f600", "\u0000x", "a" * 300, "a" * 5000, "None", "def", "self",
         "import os", "True", "con", "nul", "-", "--help", "-o", "@", "%", "!", "~", "null", "yes", "1e3", "", " ", "\ud800"]
BYTES = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"a\xffb", b"\xe2\x82", b"\x80" * 40]


def word(rng):
    return "".join(rng.choice(WORDS) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def name(rng):
    """As bytes, which need not be UTF-8."""
    text = word(rng).encode("utf-8", "surrogatepass")
    return text if rng.random() < 0.7 else rng.choice([text, b""]) + rng.choice(BYTES) + rng.choice([b"", text])


def readers(spec, case, model):
    compiler = shutil.which("cc") or "cc"
    checks = [compiler, "-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-Iout"]

    def of_model(rng, number):
        names = [name(rng) if rng.random() < 0.8 else default for default in (b"x", b"n", b"y", b"v")]
        files = {"net.onnx": model(*names)}
        if number % 4 == 0:
            return case(files, ["import", "net.onnx", "-o", "spec"])
        if number % 4 == 1:
            return case(files, ["explain", "net.onnx", "--html", "page.html", "--target", "x86-64-v2"])
        return case(files, ["generate", "net.onnx", "-o", "out", "-q", "--library", "tiny", "--target", "x86-64-v2"], then=[*checks, "out/tiny.c"])

    def original(rng, _):
        text = json.dumps(word(rng), ensure_ascii=rng.random() < 0.5)
        if rng.random() < 0.2:
            text = word(rng)
        inputs = spec.replace('{x: "f32[4]"}', "{x: {type: \"f32[4]\", original: " + text + "}}")
        results = spec.replace("name: y, op", "name: y, original: " + text + ", op")
        return case({"s.yaml": rng.choice([inputs, results])}, ["generate", "s.yaml", "-o", "out", "-q"], then=[*checks, "out/tiny.c"])

    return {"names": of_model, "original": original}
