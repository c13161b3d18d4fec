"""Counts instructions: a counter of 64 bits at each basic block of an assembly text, which neither flags nor the stack notice.

A block begins at a label and after a jump. What is counted is executions times the length of the block in instructions; instructions of
kernels that are bytes in the text (libxsmm's) are not seen, their bytes are part of the text's size. Registers are kept: the counter goes
through %r11, which is kept in memory meanwhile, so only one thread may run.
"""
import dataclasses
import re

LABEL = re.compile(r"([\w.$]+):")
FUNCTION = re.compile(r"\s*\.type\s+([\w.$]+),\s*@function")
JUMP = re.compile(r"j\w+\s+([\w.$]+)")
STACK = re.compile(r"\(%rsp\b")
FRAME = re.compile(r"\(%rbp\b")  # the stack, too, in functions that keep a frame in it
COPY = re.compile(r"(call\w*|jmp)\s+mem(cpy|set|move)\b")
# What a line of code begins with if it is no instruction.
NO_INSTRUCTION = re.compile(r"\s*(#|$|\.|[\w.$]+:)")


@dataclasses.dataclass
class Block:
    """A run of instructions that is entered at its beginning only."""
    function: str
    line: int
    label: str = ""
    length: int = 0
    stack: int = 0  # instructions that refer to the stack
    copies: int = 0  # calls of memcpy and memset
    target: str = ""  # of the jump at its end


class Assembly:
    """A text in AT&T's syntax, cut into blocks."""

    def __init__(self, text, symbol):
        self.lines, self.symbol, self.blocks = text.splitlines(), symbol, []
        self.cut()

    def cut(self):
        functions, function, is_code, block, label = set(), None, False, None, ""
        frames = set()
        for number, line in enumerate(self.lines):
            if match := FUNCTION.match(line):
                functions.add(match[1])
            elif re.match(r"\s*\.text\b", line):
                is_code, block = True, None
            elif match := re.match(r"\s*\.section\s+([\w.$]+)", line):
                is_code, block = match[1].startswith(".text"), None
            elif (match := LABEL.match(line)) and is_code:
                label, block = match[1], None
                if label in functions:
                    function = label
            elif is_code and function and not NO_INSTRUCTION.match(line):
                if block is None:
                    block = Block(function, number, label)
                    self.blocks.append(block)
                    label = ""
                word = line.split("#")[0].strip()
                block.length += 1
                if word.startswith("movq\t%rsp, %rbp"):
                    frames.add(function)
                block.stack += bool(STACK.search(word) or (function in frames and FRAME.search(word)))
                block.copies += bool(COPY.match(word))
                if word.startswith(("j", "ret")):
                    match = JUMP.match(word)
                    block.target, block = match[1] if match else "", None

    def instrumented(self):
        """The text with counters, which are `symbol`: one for each of `blocks`."""
        starts = {block.line: index for index, block in enumerate(self.blocks)}
        result = []
        for number, line in enumerate(self.lines):
            if number in starts:
                counter = f"{self.symbol}+{8 * starts[number]}(%rip)"
                result += [f"\tmovq %r11, {self.symbol}_kept(%rip)", f"\tmovq {counter}, %r11", "\tleaq 1(%r11), %r11",
                           f"\tmovq %r11, {counter}", f"\tmovq {self.symbol}_kept(%rip), %r11"]
            result.append(line)
        result += ["\t.bss", "\t.p2align 3", f"\t.globl {self.symbol}", f"{self.symbol}:", f"\t.zero {8 * max(1, len(self.blocks))}",
                   f"{self.symbol}_kept:", "\t.zero 8"]
        return "\n".join(result) + "\n"

    def innermost_loops(self):
        """Ranges of blocks, from the first to the last, that jumps backwards make and that hold no other range."""
        at = {block.label: index for index, block in enumerate(self.blocks) if block.label}
        ranges = {(at[block.target], index) for index, block in enumerate(self.blocks) if at.get(block.target, index + 1) <= index}
        return [one for one in ranges if not any(one != other and one[0] <= other[0] and other[1] <= one[1] for other in ranges)]

    def stack_references(self):
        """By function: instructions of innermost loops that refer to the stack."""
        result = {}
        for first, last in self.innermost_loops():
            for block in self.blocks[first:last + 1]:
                if block.stack:
                    result[block.function] = result.get(block.function, 0) + block.stack
        return result

    def executed(self, counts):
        """By function: instructions that ran, of the counters' values."""
        result = {}
        for block, count in zip(self.blocks, counts):
            result[block.function] = result.get(block.function, 0) + count * block.length
        return result

    def copies(self, counts):
        """Calls of memcpy and memset that ran."""
        return sum(count * block.copies for block, count in zip(self.blocks, counts))
