#!/usr/bin/env python3
"""Random networks, larger than a cache, against plain loops.

Makes libraries of one image network and one encoder each: chains of the blocks that networks are made of (inverted
residuals with and without gates, grouped bottlenecks, dense blocks, up and down paths, attention, gated layers) with sizes
that nobody publishes. `kgen bench` compares every variant, on one thread and on two, with plain loops.

    random_networks.py KGEN FIRST_SEED COUNT [argument of kgen bench...]

Prints one line a seed; exits 1 if a network was not compiled or a result is wrong. The spec of a failing seed is kept.
"""
import random
import subprocess

import seeds

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


class Network:
    """The text of a graph; each method adds nodes and returns the name of their result."""

    def __init__(self, rng, name, inputs):
        self.rng, self.name, self.inputs = rng, name, inputs
        self.weights, self.nodes = [], []

    def spec(self, outputs):
        inputs = ", ".join(f'{name}: "{type}"' for name, type in self.inputs.items())
        return (f"  - name: {self.name}\n    inputs: {{{inputs}}}\n    weights:\n" + "".join(self.weights) +
                "    nodes:\n" + "".join(self.nodes) + f"    outputs: [{', '.join(outputs)}]\n")

    def weight(self, shape, value=None, type="f32"):
        name = f"w{len(self.weights)}"
        content = f"random: {{seed: {len(self.weights) + 1}}}" if value is None else f"value: {value}"
        self.weights.append(f'      {name}: {{type: "{type}{list(shape)}", {content}}}\n')
        return name

    def node(self, op, *inputs, **attributes):
        name = f"n{len(self.nodes)}"
        text = ", ".join(f"{key}: {value}" for key, value in attributes.items())
        self.nodes.append(f"      - {{name: {name}, op: {op}, inputs: [{', '.join(inputs)}], attributes: {{{text}}}}}\n")
        return name

    def activation(self, x):
        op = self.rng.choice(["Relu", "Relu", "HardSwish", "LeakyRelu", "swish", "Gelu", "clip", None])
        if op == "swish":
            return self.node("Mul", x, self.node("Sigmoid", x))
        if op == "clip":
            return self.node("Clip", x, self.weight([], 0), self.weight([], 6))
        return self.node(op, x) if op else x


class Images(Network):
    """Images of one size in a batch of one or two; `channels`, `height` and `width` are those of the last result."""

    def __init__(self, rng, name):
        self.batch, self.channels = rng.choice([1, 1, 1, 2]), rng.choice([1, 3, 4, 16])
        self.height, self.width = rng.randint(20, 100), rng.randint(20, 100)
        super().__init__(rng, name, {"image": f"f32[{self.batch}, {self.channels}, {self.height}, {self.width}]"})

    def conv(self, x, to, kernel=1, stride=1, group=1, dilation=1):
        pad = dilation * (kernel - 1) // 2
        products = self.channels // group * kernel**2
        filters = self.weight([to, self.channels // group, kernel, kernel])
        y = self.node("Conv", x, filters, self.weight([to]), strides=[stride] * 2, pads=[pad] * 4, group=group, dilations=[dilation] * 2)
        self.channels = to
        self.height, self.width = ((n + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1 for n in (self.height, self.width))
        # Sums as large as what was summed.
        return self.node("Mul", y, self.weight([], 3 / products**0.5))

    def inverted_residual(self, x):
        before, wide = self.channels, self.channels * self.rng.choice([2, 3, 6])
        stride = self.rng.choice([1, 1, 2])
        y = self.activation(self.conv(x, wide))
        y = self.activation(self.conv(y, wide, self.rng.choice([3, 3, 5, 7]), stride, wide))
        if self.rng.random() < 0.4:
            narrow = max(1, wide // 8)
            gate = self.node("GlobalAveragePool", y)
            gate = self.node("Relu", self.node("Conv", gate, self.weight([narrow, wide, 1, 1])))
            y = self.node("Mul", y, self.node("Sigmoid", self.node("Conv", gate, self.weight([wide, narrow, 1, 1]))))
        y = self.conv(y, before if stride == 1 else self.rng.randint(8, 48))
        return self.node("Add", x, y) if stride == 1 else y

    def bottleneck(self, x):
        groups, of = self.rng.choice([1, 2, 4, 8]), self.rng.choice([2, 4, 8, 12, 16])
        y = self.activation(self.conv(x, groups * of))
        y = self.activation(self.conv(y, groups * of, 3, self.rng.choice([1, 1, 2]), groups, self.rng.choice([1, 1, 1, 2, 3])))
        return self.activation(self.conv(y, self.rng.randint(5, 70)))

    def dense(self, x):
        for _ in range(self.rng.randint(1, 3)):
            before = self.channels
            y = self.conv(self.node("Relu", x), self.rng.choice([8, 12, 32]), 3)
            x = self.node("Concat", x, y, axis=1)
            self.channels += before
        return x

    def normalized(self, x):
        groups = self.rng.choice([g for g in (1, 2, 3, 4, 8, 16) if self.channels % g == 0])
        y = self.node("GroupNormalization", x, self.weight([self.channels], 1), self.weight([self.channels]), num_groups=groups)
        return self.activation(y)

    def pool(self, x):
        kernel, stride = self.rng.choice([2, 3, 5]), self.rng.choice([1, 2])
        pad = (kernel - 1) // 2
        y = self.node(self.rng.choice(["MaxPool", "AveragePool"]), x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4)
        self.height, self.width = ((n + 2 * pad - kernel) // stride + 1 for n in (self.height, self.width))
        return y

    def down_and_up(self, x):
        before, high, wide = self.channels, self.height, self.width
        y = self.activation(self.conv(x, self.rng.randint(8, 40), 3, 2))
        if self.rng.random() < 0.5:
            y = self.node("Resize", y, '""', '""', self.weight([4], [self.batch, self.channels, high, wide], "i64"), mode=self.rng.choice(["nearest", "linear"]))
        else:
            filters = self.weight([self.channels, before, 2, 2])
            y = self.node("ConvTranspose", y, filters, strides=[2, 2], pads=[0, 0, high % 2, wide % 2])
            self.channels = before
        self.height, self.width = high, wide
        self.channels += before
        return self.node("Concat", x, y, axis=1)

    def make(self):
        x = self.conv("image", self.rng.choice([16, 24, 32, 45]), self.rng.choice([3, 5, 7]), self.rng.choice([1, 2]))
        blocks = [self.inverted_residual, self.inverted_residual, self.bottleneck, self.dense, self.normalized, self.pool, self.down_and_up]
        for _ in range(self.rng.randint(2, 5)):
            if min(self.height, self.width) < 6:
                break
            x = self.rng.choice(blocks)(x)
            if self.channels > 200:
                x = self.conv(x, 40)
        outputs = [x]
        if self.rng.random() < 0.5:
            flat = self.node("Flatten", self.node("GlobalAveragePool", x))
            outputs.append(self.node("Softmax", self.node("Gemm", flat, self.weight([self.channels, 17]), self.weight([17]))))
        return self.spec(outputs)


class Encoder(Network):
    """Layers over `rows` of `width` numbers."""

    def __init__(self, rng, name):
        self.rows, self.heads, self.size = rng.randint(1, 140), rng.choice([1, 2, 3, 4, 6]), rng.choice([8, 20, 32, 48, 64])
        self.batch, self.width = rng.choice([1, 1, 3]), self.heads * self.size
        super().__init__(rng, name, {"tokens": f"f32[{self.batch}, {self.rows}, {self.width}]"})

    def linear(self, x, before, to):
        y = self.node("MatMul", x, self.weight([before, to]))
        return self.node("Add", self.node("Mul", y, self.weight([], 3 / before**0.5)), self.weight([to]))

    def norm(self, x):
        scale = self.weight([self.width])
        if self.rng.random() < 0.3:
            return self.node("RMSNormalization", x, scale)
        return self.node("LayerNormalization", x, scale, self.weight([self.width]))

    def attention(self, x):
        q = self.linear(x, self.width, self.width)
        few = self.rng.choice([h for h in range(1, self.heads + 1) if self.heads % h == 0])
        k, v = (self.linear(x, self.width, few * self.size) for _ in range(2))
        y = self.node("Attention", q, k, v, q_num_heads=self.heads, kv_num_heads=few, is_causal=self.rng.choice([0, 1]))
        return self.linear(y, self.width, self.width)

    def feed_forward(self, x):
        wide = self.rng.randint(self.width, 3 * self.width)
        y = self.activation(self.linear(x, self.width, wide))
        if self.rng.random() < 0.4:
            y = self.node("Mul", y, self.linear(x, self.width, wide))
        return self.linear(y, wide, self.width)

    def make(self):
        x, after = "tokens", self.rng.random() < 0.5
        for _ in range(self.rng.randint(1, 2)):
            for part in (self.attention, self.feed_forward):
                x = self.norm(self.node("Add", x, part(x))) if after else self.node("Add", x, part(self.norm(x)))
        return self.spec([x])


def run(kgen, seed, arguments):
    """Whether both networks of a seed are right; works in the current folder."""
    rng = random.Random(seed)
    with open("networks.yaml", "w") as file:
        file.write(f"library: networks\ntargets: [{', '.join(TARGETS)}]\ngraphs:\n")
        file.write(Images(rng, "images").make() + Encoder(rng, "encoder").make())
    command = [kgen, "bench", "networks.yaml", "--hot", "--time", "0.001", "--threads", "1,2", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    print(f"seed {seed}: " + ("right" if done.returncode == 0 else f"kgen exited {done.returncode}:\n{done.stdout}{done.stderr}"), flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    seeds.main(run, "networks")
