"""A model that is wrong or fails, with fewer nodes: one result, then values that become inputs, while it still is."""
import copy

from model import Array

TRIES = 60


def pruned(model):
    """Without nodes, inputs and constants that no result depends on. None if nothing is left that is computed."""
    wanted, nodes = set(model.expected), []
    for node in reversed(model.nodes):
        if wanted.intersection(node.output_names() if hasattr(node, "output_names") else node.outputs):
            wanted.update(node.inputs)
            nodes.insert(0, node)
    if not nodes:
        return None
    made = copy.copy(model)
    keep = lambda given: {name: value for name, value in given.items() if name in wanted}
    made.nodes, made.inputs, made.constants = nodes, keep(model.inputs), keep(model.constants)
    made.more = [(keep(inputs), {k: v for k, v in expected.items() if k in model.expected}) for inputs, expected in model.more]
    made.open = {key: size for key, size in model.open.items() if key[0] in made.inputs}
    if not made.inputs or (model.bounds and not made.open):
        return None
    return made


def with_results(model, names):
    made = copy.copy(model)
    made.expected = {name: model.expected[name] for name in names}
    made.more = [(inputs, {name: expected[name] for name in names}) for inputs, expected in model.more]
    return pruned(made)


def with_input(model, name, shape_of):
    """The value becomes an input."""
    value = getattr(model, "trace", {}).get(name)
    if value is None or name in model.expected:
        return None
    count = len(value.arrays)
    if count != len(model.calls()):
        return None
    made = copy.copy(model)
    made.nodes = [node for node in model.nodes if name not in node.outputs]
    if len(made.nodes) == len(model.nodes) or any(len(n.outputs) > 1 and name in n.outputs for n in model.nodes):
        return None
    arrays = [Array(runs[0], value.element) for runs in value.arrays]
    made.inputs = {**model.inputs, name: arrays[-1]}
    made.more = [({**inputs, name: array}, expected) for (inputs, expected), array in zip(model.more, arrays)]
    made.open = dict(model.open)
    for axis, size in enumerate(value.shape):
        if not isinstance(size, int):
            if size != tuple(shape_of):
                return None
            made.open[name, axis] = "n"
    return pruned(made)


def shrunk(model, outcome, run):
    """(model, outcome): `run` gives a model's outcome."""
    tries = 0

    def better(candidate):
        nonlocal model, outcome, tries
        if candidate is None or tries >= TRIES or len(candidate.nodes) > len(model.nodes):
            return False
        tries += 1
        found = run(candidate)
        if found.kind != outcome.kind:
            return False
        found.target = outcome.target
        model, outcome = candidate, found
        return True

    for name in list(model.expected):
        if len(model.expected) > 1 and name in model.expected and better(with_results(model, [name])):
            break
    sizes = [inputs[name].shape[axis] for inputs, _ in model.more + [(model.inputs, None)] for name, axis in list(model.open)[:1]]
    changed = True
    while changed and tries < TRIES:
        changed = False
        for node in list(reversed(model.nodes)):
            if any(better(with_input(model, name, sizes)) for name in node.outputs):
                changed = True
                break
    return model, outcome
