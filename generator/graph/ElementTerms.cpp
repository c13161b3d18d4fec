#include "graph/ElementTerms.h"

#include "graph/MakeTerms.h"
#include "graph/Operator.h"

#include <cstring>
#include <limits>
#include <numeric>

namespace kgen {
namespace {

using Kind = ElementTerm::Kind;

constexpr size_t longestList = 1024; ///< of constants in generated code
constexpr size_t mostSteps = 500;    ///< nodes may be read along many paths

bool isNarrow(const GraphValue &value) { return value.type.element == ElementType::i32; }

int64_t integerOf(const Node &node, const std::string &name, int64_t otherwise) {
  auto found = node.attributes.find(name);
  const auto *number =
      found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return number ? *number : otherwise;
}

const std::vector<int64_t> *integersOf(const Node &node, const std::string &name) {
  auto found = node.attributes.find(name);
  return found == node.attributes.end() ? nullptr
                                        : std::get_if<std::vector<int64_t>>(&found->second);
}

} // namespace

ElementTerms::ElementTerms(const Graph &graph) : graph(graph), producers(graph.values.size()) {
  for (const Node &node : graph.nodes)
    for (ValueId output : node.outputs)
      if (output != noValue)
        producers[output] = &node;
}

Subscripts ElementTerms::everyElement(const TensorShape &shape, std::vector<ElementLoop> &loops) {
  Subscripts at(shape.size(), sizeTerm(0));
  for (size_t i : longDims(shape)) {
    ElementTerm counter{Kind::counter};
    counter.number = counters++;
    loops.push_back({counter.number, shape.dim(i)});
    at[i] = std::make_shared<ElementTerm>(std::move(counter));
  }
  return at;
}

ElementTermPtr ElementTerms::elementAt(ValueId id, const Subscripts &at) {
  if (id == noValue || ++steps > mostSteps)
    return nullptr;
  const GraphValue &value = graph.values[id];
  if (value.type.element != ElementType::i32 && value.type.element != ElementType::i64)
    return nullptr;
  for (const ElementTermPtr &subscript : at)
    if (!subscript)
      return nullptr;
  if (value.kind == ValueKind::sizes) {
    ElementTermPtr place = placeOf(value.type.shape, at);
    std::optional<int64_t> number = place ? place->size.number() : std::nullopt;
    if (!place || place->kind != Kind::size || !number || *number < 0 ||
        *number >= int64_t(value.sizes.size()))
      return nullptr;
    return sizeTerm(value.sizes[*number]);
  }
  if (value.kind == ValueKind::weight)
    return weightElement(value, at);
  if (const Node *node = producers[id])
    return resultElement(*node, value, at);
  auto input = std::find(graph.inputs.begin(), graph.inputs.end(), id);
  ElementTermPtr place = placeOf(value.type.shape, at);
  if (input == graph.inputs.end() || !place)
    return nullptr;
  ElementTerm element{Kind::element, {place}};
  element.number = size_t(input - graph.inputs.begin());
  element.isNarrow = isNarrow(value);
  return std::make_shared<ElementTerm>(std::move(element));
}

ElementTermPtr ElementTerms::weightElement(const GraphValue &value, const Subscripts &at) const {
  std::optional<std::vector<int64_t>> numbers =
      numbersOf(static_cast<ValueId>(&value - graph.values.data()));
  ElementTermPtr place = placeOf(value.type.shape, at);
  if (!numbers || numbers->empty() || !place)
    return nullptr;
  for (int64_t number : *numbers)
    if (number < -largestTermNumber || number > largestTermNumber)
      return nullptr;
  const bool areEqual = std::all_of(numbers->begin(), numbers->end(),
                                    [&](int64_t number) { return number == numbers->front(); });
  if (areEqual)
    return sizeTerm(numbers->front());
  if (place->kind == Kind::size && place->size.isNumber())
    return sizeTerm(numbers->at(size_t(*place->size.number())));
  if (numbers->size() > longestList)
    return nullptr;
  ElementTerm listed{Kind::listed, {place}};
  listed.list = *numbers;
  return std::make_shared<ElementTerm>(std::move(listed));
}

ElementTermPtr ElementTerms::resultElement(const Node &node, const GraphValue &value,
                                           const Subscripts &at) {
  const std::string &op = node.op->name;
  auto typed = [&](ElementTermPtr term) {
    return isNarrow(value) ? narrowed(std::move(term)) : term;
  };
  if (op == "Identity")
    return elementAt(node.inputs[0], at);
  if (op == "Cast" || op == "CastLike") {
    ElementTermPtr term = elementAt(node.inputs[0], at);
    return isNarrow(graph.values[node.inputs[0]]) ? term : typed(term);
  }
  if (op == "Add" || op == "Sum")
    return typed(combined(Kind::sum, node, at));
  if (op == "Sub")
    return typed(combined(Kind::difference, node, at));
  if (op == "Mul")
    return typed(combined(Kind::product, node, at));
  if (op == "Neg")
    return typed(makeTerm(Kind::difference, sizeTerm(0), elementAt(node.inputs[0], at)));
  if (op == "Max" || op == "Min")
    return combined(op == "Max" ? Kind::greater : Kind::lesser, node, at);
  if (op == "ReduceMax" || op == "ReduceMin")
    return reduced(op == "ReduceMax" ? Kind::greater : Kind::lesser, node, at);
  if (op == "ReduceSum")
    return typed(reduced(Kind::sum, node, at));
  if (op == "Clip")
    return clipped(node, at);
  if (op == "Range")
    return typed(rangeElement(node, at));
  if (op == "Gather")
    return gathered(node, at);
  if (op == "Slice")
    return sliced(node, at);
  return moved(node, value, at);
}

ElementTermPtr ElementTerms::combined(Kind kind, const Node &node, const Subscripts &at) {
  ElementTermPtr term = broadcastAt(node.inputs[0], at);
  for (size_t i = 1; i < node.inputs.size() && term; ++i)
    term = makeTerm(kind, term, broadcastAt(node.inputs[i], at));
  return term;
}

ElementTermPtr ElementTerms::clipped(const Node &node, const Subscripts &at) {
  ElementTermPtr term = elementAt(node.inputs[0], at);
  for (size_t i = 1; i < node.inputs.size(); ++i)
    if (node.inputs[i] != noValue)
      term = makeTerm(i == 1 ? Kind::greater : Kind::lesser, term, onlyElement(node.inputs[i]));
  return term;
}

ElementTermPtr ElementTerms::moved(const Node &node, const GraphValue &value,
                                   const Subscripts &at) {
  const std::string &op = node.op->name;
  const ValueId input = node.inputs.empty() ? noValue : node.inputs[0];
  if (op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten")
    return elementAt(input, reshaped(value.type.shape, at, shapeOf(input)));
  if (op == "Expand")
    return broadcastAt(input, at);
  if (op != "Transpose" && op != "Tile")
    return nullptr;
  Subscripts from(at.size());
  const std::vector<int64_t> *order = integersOf(node, "perm");
  for (size_t i = 0; i < at.size(); ++i)
    if (op == "Tile")
      from[i] = shapeOf(input).dim(i) == Dim(1)
                    ? sizeTerm(0)
                    : makeTerm(Kind::remainder, at[i], sizeTerm(shapeOf(input).dim(i)));
    else
      from[order && !order->empty() ? size_t((*order)[i]) : at.size() - 1 - i] = at[i];
  return elementAt(input, from);
}

ElementTermPtr ElementTerms::gathered(const Node &node, const Subscripts &at) {
  const TensorShape &whole = shapeOf(node.inputs[0]);
  const size_t rank = shapeOf(node.inputs[1]).size();
  int64_t axis = integerOf(node, "axis", 0);
  axis += axis < 0 ? int64_t(whole.size()) : 0;
  ElementTermPtr index =
      elementAt(node.inputs[1], Subscripts(at.begin() + axis, at.begin() + axis + int64_t(rank)));
  if (!index || index->kind != Kind::size)
    return nullptr;
  Dim place = index->size;
  if (place.bounds().max < 0)
    place = place + whole.dim(size_t(axis));
  if (place.bounds().min < 0 || (whole.dim(size_t(axis)) - place).bounds().min < 1)
    return nullptr;
  Subscripts from(at.begin(), at.begin() + axis);
  from.push_back(sizeTerm(place));
  from.insert(from.end(), at.begin() + axis + int64_t(rank), at.end());
  return elementAt(node.inputs[0], from);
}

std::optional<SliceStep> ElementTerms::sliceAlong(const Node &node, size_t axis) const {
  const TensorShape &whole = shapeOf(node.inputs[0]);
  std::optional<std::vector<Dim>> starts =
      node.inputs.size() > 1 ? sizesOf(node.inputs[1]) : std::nullopt;
  std::optional<std::vector<int64_t>> axes = axesOf(node, 3, whole.size());
  if (!starts || !axes || (!axes->empty() && axes->size() != starts->size()))
    return std::nullopt;
  std::vector<int64_t> steps(starts->size(), 1);
  if (node.inputs.size() > 4 && node.inputs[4] != noValue) {
    std::optional<std::vector<int64_t>> given = numbersOf(node.inputs[4]);
    if (!given)
      return std::nullopt;
    steps = *given;
  }
  SliceStep slice{0, 1};
  for (size_t i = 0; i < starts->size(); ++i)
    if ((axes->empty() ? i : size_t((*axes)[i])) == axis)
      slice = {(*starts)[i], steps[i]};
  if (slice.start.bounds().max < 0)
    slice.start = slice.start + whole.dim(axis);
  if (slice.start.bounds().min < 0 ||
      slice.step < 1) // else it is one before the end: there are elements
    return std::nullopt;
  return slice;
}

ElementTermPtr ElementTerms::sliced(const Node &node, const Subscripts &at) {
  Subscripts from = at;
  for (size_t axis = 0; axis < at.size(); ++axis) {
    std::optional<SliceStep> slice = sliceAlong(node, axis);
    if (!slice)
      return nullptr;
    from[axis] = makeTerm(Kind::sum, makeTerm(Kind::product, at[axis], sizeTerm(slice->step)),
                          sizeTerm(slice->start));
  }
  return elementAt(node.inputs[0], from);
}

ElementTermPtr ElementTerms::reduced(Kind kind, const Node &node, const Subscripts &at) {
  const TensorShape &whole = shapeOf(node.inputs[0]);
  const std::vector<int64_t> *given = integersOf(node, "axes");
  std::optional<std::vector<int64_t>> axes = axesOf(node, 1, whole.size());
  if (!axes)
    return nullptr;
  if (axes->empty() && given)
    for (int64_t axis : *given)
      axes->push_back(axis < 0 ? axis + int64_t(whole.size()) : axis);
  std::vector<bool> isReduced(whole.size());
  for (int64_t axis : *axes)
    isReduced[size_t(axis)] = true;
  if (axes->empty() && integerOf(node, "noop_with_empty_axes", 0) == 0)
    isReduced.assign(whole.size(), true);
  ElementTerm term{Kind::reduced};
  term.combine = kind;
  Subscripts from = everyElement(whole, term.loops);
  std::vector<ElementLoop> loops;
  const bool keeps = integerOf(node, "keepdims", 1) != 0;
  size_t next = 0, loop = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    const bool isLoop = whole.dim(i) != Dim(1);
    if (isReduced[i] && isLoop)
      loops.push_back(term.loops[loop]);
    else if (!isReduced[i])
      from[i] = at[next];
    loop += isLoop;
    next += !isReduced[i] || keeps;
  }
  term.loops = loops;
  for (const ElementLoop &each : loops)
    if (each.count.bounds().min < 1 && kind != Kind::sum)
      return nullptr; // the extreme of nothing
  ElementTermPtr body = elementAt(node.inputs[0], from);
  if (!body || loops.empty())
    return body;
  term.operands = {body};
  return std::make_shared<ElementTerm>(std::move(term));
}

ElementTermPtr ElementTerms::rangeElement(const Node &node, const Subscripts &at) {
  return makeTerm(Kind::sum, onlyElement(node.inputs[0]),
                  makeTerm(Kind::product, at[0], onlyElement(node.inputs[2])));
}

ElementTermPtr ElementTerms::broadcastAt(ValueId value, const Subscripts &at) {
  if (value == noValue)
    return nullptr;
  const TensorShape &shape = shapeOf(value);
  Subscripts from(at.end() - int64_t(shape.size()), at.end());
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape.dim(i) == Dim(1))
      from[i] = sizeTerm(0);
  return elementAt(value, from);
}

ElementTermPtr ElementTerms::onlyElement(ValueId value) {
  return value == noValue ? nullptr
                          : elementAt(value, Subscripts(shapeOf(value).size(), sizeTerm(0)));
}

std::optional<std::vector<Dim>> ElementTerms::sizesOf(ValueId id) const {
  if (id == noValue)
    return std::nullopt;
  if (graph.values[id].kind == ValueKind::sizes)
    return graph.values[id].sizes;
  std::optional<std::vector<int64_t>> numbers = numbersOf(id);
  if (!numbers)
    return std::nullopt;
  return std::vector<Dim>(numbers->begin(), numbers->end());
}

std::optional<std::vector<int64_t>> ElementTerms::numbersOf(ValueId id) const {
  const GraphValue &value = graph.values[id];
  std::vector<int64_t> numbers;
  if (value.kind == ValueKind::sizes) {
    for (const Dim &size : value.sizes)
      if (!size.isNumber())
        return std::nullopt;
      else
        numbers.push_back(*size.number());
    return numbers;
  }
  if (value.kind != ValueKind::weight || !value.data)
    return std::nullopt;
  const size_t width = isNarrow(value) ? sizeof(int32_t) : sizeof(int64_t);
  if (!isNarrow(value) && value.type.element != ElementType::i64)
    return std::nullopt;
  for (size_t at = 0; at + width <= value.data->size(); at += width) {
    int64_t wide = 0;
    int32_t narrow = 0;
    std::memcpy(isNarrow(value) ? static_cast<void *>(&narrow) : &wide, value.data->data() + at,
                width);
    numbers.push_back(isNarrow(value) ? narrow : wide);
  }
  return numbers;
}

std::optional<std::vector<int64_t>> ElementTerms::axesOf(const Node &node, size_t input,
                                                         size_t rank) const {
  if (node.inputs.size() <= input || node.inputs[input] == noValue)
    return std::vector<int64_t>();
  std::optional<std::vector<int64_t>> axes = numbersOf(node.inputs[input]);
  if (axes)
    for (int64_t &axis : *axes)
      axis += axis < 0 ? int64_t(rank) : 0;
  return axes;
}

} // namespace kgen
