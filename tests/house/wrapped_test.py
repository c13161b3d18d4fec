"""Self-test of wrapped.py: what is wrapped, and what stays as it is."""
import wrapped

LONG = " ".join(["word"] * 30)


def lines(name, text):
    result = wrapped.wrap(name, text)
    assert wrapped.wrap(name, result) == result, "wrapping again changes it"
    return result.split("\n")


def fits(found):
    return all(len(line) <= wrapped.WIDTH for line in found)


def test_markdown():
    assert fits(lines("a.md", LONG)) and lines("a.md", LONG)[1].startswith("word")
    item = lines("a.md", f"- {LONG}\n- b")
    assert fits(item) and item[1].startswith("  word") and item[-1] == "- b"
    for kept in (f"| {LONG} |", f"# {LONG}", f"```\n{LONG}\n```", f"    {LONG}", "x" * 120, f"[{LONG}](x)"):
        assert "\n".join(lines("a.md", kept)).split() == kept.split()
        assert kept.startswith("[") or lines("a.md", kept) == kept.split("\n"), kept
    # A word that would begin a list stays where it is.
    assert not any(line.startswith("- ") for line in lines("a.md", "a" * 98 + " - " + LONG))
    short = "one\ntwo"
    assert lines("a.md", short) == short.split("\n")


def test_tablegen():
    text = f'  let summary = "{LONG}";\n  let description = [{{\n    {LONG}\n\n    ```mlir\n    {LONG}\n    ```\n  }}];'
    found = lines("a.td", text)
    assert [line for line in found if len(line) > wrapped.WIDTH] == ["    " + LONG], found
    assert "".join(found).count('"') == 4 and "    ```mlir" in found
    rows = f"  let description = [{{\n    Rows:\n      {LONG}\n      b\n  }}];"
    assert lines("a.td", rows)[3].startswith("        word") and "      b" in lines("a.td", rows)


def test_lists_of_macros():
    found = lines("a.def", f'NAME(a, b, "unit", "{LONG}")')
    assert fits(found) and found[0] == 'NAME(a, b, "unit",' and found[1].startswith('     "word') and found[-1].endswith('")')


def test_comments():
    found = lines("a.yaml", f"# {LONG}\n#   row: {LONG}\nkey: {LONG}")
    assert [line for line in found if len(line) > wrapped.WIDTH] == [f"key: {LONG}"]
    assert any(line.startswith("#   row:") for line in found) and any(line.startswith("#     word") for line in found)
    # A line that ends early on purpose stays one.
    assert lines("a.yaml", f"# First.\n# {LONG}")[0] == "# First."


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
