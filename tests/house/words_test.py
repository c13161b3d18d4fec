"""words.py on made-up sources."""
import tempfile
from pathlib import Path

from words import beginnings, call_problems, check, length_problems, long_functions, read_list, start_problems, \
    word_problems

ENTRIES = read_list("# a comment\nid Soon -> PrefetchTarget\nphrase past the caches -> non-temporal store\n")
CPP, README = Path("a.cpp"), Path("README.md")
assert word_problems(CPP, "int x;\nSoon soon;\n", ENTRIES) == ["2: 'Soon' (say PrefetchTarget)"]
assert word_problems(CPP, "int Sooner, soon;\n", ENTRIES) == []
# A phrase goes on in the next line of a comment, but not across code; strings are no comments.
assert word_problems(CPP, "// Past the\n// caches.\n", ENTRIES) == ['1: "Past the caches" (say non-temporal store)']
assert word_problems(CPP, "// past the\nint a;\n// caches\n", ENTRIES) == []
assert word_problems(CPP, 'const char *a = "past the caches";\n', ENTRIES) == []
assert word_problems(README, "Stores go past\nthe caches.\n", ENTRIES) != []

# Comments begin at their first lines, also those of members; remarks after code are no comments of something.
STARTS = read_list("start What -> a noun\nstart The same -> Like ...\n")
assert start_problems(CPP, "/// What it is.\nint a;\n", STARTS) == ['1: a comment begins with "What" (say a noun)']
assert start_problems(CPP, "int a; ///< What it is.\n  // The same.\n", STARTS) == ['1: a comment begins with "What" (say a noun)']
assert start_problems(CPP, "int a;\n  // The same.\n", STARTS) != []
assert start_problems(CPP, "/// A word.\n/// What goes on.\nint b; // What\n// Whatever\n", STARTS) == []
assert start_problems(Path("a.td"), '  InterfaceMethod<"What it is.", "int", "f">\n  let summary = "The same.";\n', STARTS) != []
assert len(beginnings(Path("a.td"), 'let summary = "The same.";\n/// What.\n')) == 2
assert start_problems(README, "// What\n", STARTS) == []

CALLS = read_list("call (of|over)[A-Z]\\w* -> a verb\ncall of -> get\n")
assert call_problems(CPP, "int a;\nint ofRow(int x) { return overRows(x); }\n", CALLS) == \
    ["2: a function 'ofRow' (say a verb)", "2: a function 'overRows' (say a verb)"]
assert call_problems(CPP, "auto a = A::of(b);\n", CALLS) == ["1: a function 'of' (say get)"]
assert call_problems(CPP, "A(int ofB) : ofB(ofB) {} // ofRow(x)\nint ofRow = rowOf(\"of(1)\");\n", CALLS) == []

BODY = "  f();\n" * 57
assert long_functions("namespace a {\nvoid g() {\n" + BODY + "}\n}\n") == []
assert long_functions("namespace a {\nvoid g() {\n" + BODY + "  f();\n}\n}\n") == [(2, 60)]
assert long_functions("class A {\n" + "  void g() { f(); }\n" * 70 + "};\n") == []
assert long_functions("void g() {\n  static const T t = {\n" + "    1,\n" * 70 + "  };\n}\n") == []
assert long_functions('void g() {\n  f("}");  // }\n' + BODY + "}\n") == [(1, 60)]
assert length_problems(CPP, "\n" * 400) == [] and length_problems(CPP, "\n" * 401) != []

with tempfile.TemporaryDirectory() as folder:
    source = Path(folder) / "generator" / "A.cpp"
    source.parent.mkdir()
    source.write_text("Soon soon;\n" + "\n" * 400)
    assert len(check(Path(folder), ENTRIES)) == 2
    assert len(check(Path(folder), ENTRIES + read_list("longer generator/A.cpp"))) == 1
    source.write_text("// past the end\nint a;\n// past the end, past it\n")
    assert check(Path(folder), read_list("most 3 past")) == []
    assert check(Path(folder), read_list("most 2 past")) == ['"past" is used 3 times, more than 2: generator/A.cpp:1, generator/A.cpp:3, generator/A.cpp:3']
    assert check(Path(folder), read_list("most 1 past the end")) != []
