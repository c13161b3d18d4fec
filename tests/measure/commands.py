"""What the tests of kgen's measuring commands share: a small library, and a call with its answer."""
import shutil
import subprocess
import sys

SPEC = """library: small
targets: [x86-64-v2, x86-64-v3]
graphs:
  - name: layer
    inputs: {x: "f32[20, 48]"}
    weights:
      w: {type: "f32[48, 37]", random: {seed: 1}}
      b: {type: "f32[37]", random: {seed: 2}}
    nodes:
      - {name: product, op: MatMul, inputs: [x, w]}
      - {name: sum, op: Add, inputs: [product, b]}
      - {name: y, op: Relu, inputs: [sum]}
    outputs: [y]
  - name: moved
    inputs: {x: "f32[6, 9]"}
    nodes:
      - {name: y, op: Transpose, inputs: [x], attributes: {perm: [1, 0]}}
    outputs: [y]
"""


class Commands:
    def __init__(self, kgen, folder, spec=SPEC):
        self.kgen, self.folder = kgen, folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.spec = folder / "small.yaml"
        self.spec.write_text(spec)

    def call(self, command, *options):
        """Exit code, standard output and standard error."""
        done = subprocess.run([self.kgen, command, self.spec, *options], capture_output=True, text=True, cwd=self.folder)
        print(done.stdout + done.stderr)
        return done.returncode, done.stdout, done.stderr

    def expect(self, code, command, *options, texts=()):
        answer = self.call(command, *options)
        missing = [text for text in texts if text not in answer[1] + answer[2]]
        if answer[0] != code or missing:
            sys.exit(f"{command} {options}: expected exit code {code} and {texts}, got {answer[0]} without {missing}")
        return answer[1]


def require(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")
