"""`kgen ops NAME` says what an operator's inputs and results are, and its example works: operator_pages.py KGEN

Each example is a graph of one library, which `kgen check` takes: its node has the page's names in their order. A page names as many operands
as the operator takes.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

KGEN = os.path.abspath(sys.argv[1])
problems = []


def most(text):
    """Of "2-3" 3, of "1.." 1: one name stands for all."""
    return int(re.findall(r"\d+", text)[-1])


def example_of(operator):
    """Its graph, under a name of its own, and the names that its node reads and writes."""
    text = operator["example"]
    node = re.search(r"- \{name: node, op: (\w+), inputs: \[(.*?)\], outputs: \[(.*?)\]", text)
    return text.replace("- name: example", f"- name: example_{operator['name']}"), node and (node[1], node[2].split(", "), node[3].split(", "))


operators = json.loads(subprocess.run([KGEN, "ops", "--json"], stdout=subprocess.PIPE, check=True).stdout)
library = "library: pages\ntargets: [x86-64-v2]\ngraphs:\n"
for operator in operators:
    name = operator["name"]
    if not operator.get("example") or not operator.get("operands") or not operator.get("result list"):
        problems.append(f"{name} has no page")
        continue
    if len(operator["operands"]) != most(operator["inputs"]) or len(operator["result list"]) != most(operator["results"]):
        problems.append(f"{name} takes {operator['inputs']} and gives {operator['results']}: its page says {len(operator['operands'])} and "
                        f"{len(operator['result list'])}")
    text, node = example_of(operator)
    library += text
    if not node or node[0] != name:
        problems.append(f"{name}: its example is {text}")
        continue
    for key, used, count in (("operands", node[1], operator["inputs"]), ("result list", node[2], operator["results"])):
        names = [entry["name"] for entry in operator[key]]
        wrong = [one for one, said in zip(used, names) if one not in ('""', said)]
        if wrong and not count.endswith(".."):
            problems.append(f"{name}: its example has {wrong}, its page {names}")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "pages.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(library)
    done = subprocess.run([KGEN, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        problems.append(done.stdout)
page = subprocess.run([KGEN, "ops", "GRU"], stdout=subprocess.PIPE, text=True, check=True).stdout
for line in ("W {2,}\\[directions, 3\\*hidden, features\\] {2,}gates in the order update z, reset r, hidden h",
             "initial_h {2,}\\[directions, batch, hidden\\] {2,}optional: zeros, if absent", "For example", "op: GRU, inputs: \\[X, W, R"):
    if not re.search(line, page):
        problems.append(f"kgen ops GRU does not say {line}:\n{page}")
print("\n".join(problems) or f"{len(operators)} pages")
sys.exit(bool(problems) or len(operators) < 150)
