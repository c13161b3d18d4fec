"""Writes graphs as specs, node by node: weights have seeds, so that a file holds no numbers but scales.

    @network(open={"rows": 64})
    def mlp(g, rows=16):
        x = g.input(f"f32[{rows}, 128]")
        g.output(g.op("Relu", g.linear(x, 128, 64)))

is the network `mlp`, and `mlp-open`, whose rows are given in each call: 1 to 64, and `rows` of the function is the name of the size.
"""
import zlib

NETWORKS = {}  # by name: the function that writes it, and the sizes that its open twin has


def network(name=None, open=None, **arguments):
    """Registers a function that writes a graph. `open`: names of its parameters that are sizes, and the greatest of each."""

    def register(write):
        title = name or write.__name__.replace("_", "-")
        for suffix, sizes in (("", None), ("-open", open)):
            if suffix and not open:
                continue
            if title + suffix in NETWORKS:
                raise ValueError(f"two networks are called {title}{suffix}")
            NETWORKS[title + suffix] = (write, sizes, arguments)
        return write

    return register


def text_of(value):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(one) for one in value) + "]"
    return str(value)


class Graph:
    """A graph of one library. Values are names of the spec; weights are written when they are first asked for."""

    def __init__(self, name, dims=None):
        self.name, self.dims = name, dims or {}
        self.keys, self.inputs, self.weights, self.nodes, self.outputs = {}, [], [], [], []
        self.known, self.seed = {}, zlib.crc32(name.encode()) % 100000

    def input(self, type, name=None):
        name = name or f"x{len(self.inputs)}"
        self.inputs.append(f"{name}: {type if type[0] == '{' else chr(34) + type + chr(34)}")
        return name

    def weight(self, type, value=None, quantize=None):
        """A weight of equal or listed elements, or a random one. Equal ones are one weight."""
        key = (type, text_of(value)) if value is not None else None
        if key in self.known:
            return self.known[key]
        name = f"w{len(self.weights)}"
        self.seed += 1
        how = f"random: {{seed: {self.seed}}}" if value is None else f"value: {text_of(value)}"
        self.weights.append(f'{name}: {{type: "{type}", {how}{f", quantize: {quantize}" if quantize else ""}}}')
        if key:
            self.known[key] = name
        return name

    def scalar(self, value, type="f32"):
        return self.weight(f"{type}[]", value)

    def shape(self, *sizes):
        return self.weight(f"i64[{len(sizes)}]", list(sizes))

    def op(self, op, *inputs, outputs=1, **attributes):
        """Adds a node, and returns its result, or its results where there are several."""
        name = f"v{len(self.nodes)}"
        results = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        listed = ", ".join('""' if one is None else one for one in inputs)
        line = f"name: {name}, op: {op}, inputs: [{listed}]"
        if attributes:
            line += f", attributes: {{{', '.join(f'{key}: {text_of(value)}' for key, value in attributes.items())}}}"
        if outputs > 1:
            line += f", outputs: [{', '.join(results)}]"
        self.nodes.append(f"{{{line}}}")
        return name if outputs == 1 else results

    def output(self, *values):
        self.outputs += values

    # What networks are made of.

    def linear(self, x, before, after, bias=True, type="f32"):
        y = self.op("MatMul", x, self.weight(f"{type}[{before}, {after}]"))
        return self.op("Add", y, self.weight(f"{type}[{after}]")) if bias else y

    def conv(self, x, before, after, kernel=3, stride=1, group=1, dilation=1, type="f32"):
        pad = dilation * (kernel - 1) // 2
        return self.op("Conv", x, self.weight(f"{type}[{after}, {before // group}, {kernel}, {kernel}]"), self.weight(f"{type}[{after}]"),
                       group=group, strides=[stride] * 2, pads=[pad] * 4, dilations=[dilation] * 2)

    def causal(self, x, before, after, kernel=3, dilation=1, group=1):
        """A convolution over time that sees nothing to come."""
        return self.op("Conv", x, self.weight(f"f32[{after}, {before // group}, {kernel}]"), self.weight(f"f32[{after}]"), group=group,
                       dilations=[dilation], pads=[dilation * (kernel - 1), 0])

    def layer_norm(self, x, width, type="f32"):
        return self.op("LayerNormalization", x, self.weight(f"{type}[{width}]"), self.weight(f"{type}[{width}]"))

    def rms_norm(self, x, width):
        return self.op("RMSNormalization", x, self.weight(f"f32[{width}]"))

    def reshape(self, x, *sizes):
        return self.op("Reshape", x, self.shape(*sizes))

    def text(self):
        """The graph, as an entry of `graphs` of a spec."""
        indent = "\n      "
        lines = [f"  - name: {self.name.replace('-', '_')}"]
        if self.dims:
            lines.append(f"    dims: {{{', '.join(f'{name}: {{max: {greatest}}}' for name, greatest in self.dims.items())}}}")
        lines += [f"    {key}: {value}" for key, value in self.keys.items()]
        lines.append(f"    inputs: {{{', '.join(self.inputs)}}}")
        if self.weights:
            lines.append("    weights:" + indent + indent.join(self.weights))
        lines.append("    nodes:" + indent + indent.join(f"- {node}" for node in self.nodes))
        return "\n".join(lines + [f"    outputs: [{', '.join(self.outputs)}]"]) + "\n"


def library_of(names, library="networks"):
    """The text of a spec whose graphs are the networks of these names."""
    text = f"library: {library}\ngraphs:\n"
    for name in names:
        write, sizes, arguments = NETWORKS[name]
        graph = Graph(name, sizes)
        write(graph, **arguments, **{size: size for size in sizes or {}})
        text += graph.text()
    return text
