// kgen.attention: iteration space and verifier.
#include "dialect/kgen/Kgen.h"

#include <array>

using namespace mlir;

namespace kgen {
namespace {

/// Use of a dimension as an index of an operand: forbidden, permitted or required.
enum class Use { never, maybe, always };

/// An operand or the result, with the uses of m, n, d and e.
struct Indexed {
  std::string name;
  Value value;
  AffineMap map;
  std::array<Use, 4> uses;
};

SmallVector<Indexed> operandsOf(AttentionOp op) {
  constexpr Use never = Use::never, maybe = Use::maybe, always = Use::always;
  SmallVector<Indexed> list{{"Q", op.getQ(), op.getQMap(), {always, never, always, never}},
                            {"K", op.getK(), op.getKMap(), {never, always, always, never}},
                            {"V", op.getV(), op.getVMap(), {never, always, never, always}}};
  for (auto [operand, map] :
       llvm::zip(op.getEpilogueIns(), op.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    list.push_back({"an epilogue operand", operand, map, {maybe, maybe, never, never}});
  if (op.getKeyCounts() && op.getCountsMap())
    list.push_back({"the counts of keys",
                    op.getKeyCounts(),
                    *op.getCountsMap(),
                    {maybe, never, never, never}});
  list.push_back({"the result", op.getResult(), op.getResultMap(), {always, never, never, always}});
  return list;
}

int64_t rankOf(Value value) { return cast<ShapedType>(value.getType()).getRank(); }

LogicalResult verifyMap(AttentionOp op, const Indexed &operand) {
  unsigned rank = op.getQMap().getNumDims();
  AffineMap map = operand.map;
  if (map.getNumDims() != rank || !map.isProjectedPermutation() ||
      map.getNumResults() != rankOf(operand.value))
    return op.emitOpError() << "the map of " << operand.name
                            << " must be a projected permutation of " << rank << " dimensions into "
                            << rankOf(operand.value) << ", found " << AffineMapAttr::get(map);
  constexpr StringLiteral dimensions[] = {"m", "n", "d", "e"};
  for (auto [number, use] : llvm::enumerate(operand.uses)) {
    bool is = map.isFunctionOfDim(op.getBatchRank() + number);
    if (use != Use::maybe && is != (use == Use::always))
      return op.emitOpError() << operand.name << (is ? " must not be" : " must be")
                              << " indexed by " << dimensions[number];
  }
  return success();
}

/// As in types.
std::string text(int64_t size) { return ShapedType::isDynamic(size) ? "?" : std::to_string(size); }

LogicalResult verifyShape(AttentionOp op, const Indexed &operand) {
  SmallVector<int64_t> sizes = op.getIterationSizes();
  auto shape = cast<ShapedType>(operand.value.getType()).getShape();
  for (auto [position, size] : llvm::enumerate(shape)) {
    int64_t expected = sizes[operand.map.getDimPosition(position)];
    if (size != expected)
      return op.emitOpError() << "dimension " << position << " of " << operand.name << " is "
                              << text(size) << ", expected " << text(expected);
  }
  return success();
}

LogicalResult verifyScore(AttentionOp op) {
  Block &body = op.getScore().front();
  Type element = getElementTypeOrSelf(op.getQ());
  Type accumulator = isa<FloatType>(element) ? accumulatorOf(element) : Type();
  for (Value value : {op.getK(), op.getV()})
    if (!accumulator || accumulatorOf(getElementTypeOrSelf(value)) != accumulator)
      return op.emitOpError("multiplies floats that are added up in one type");
  if (body.getNumArguments() != op.getEpilogueIns().size() + 1)
    return op.emitOpError() << "the score takes " << op.getEpilogueIns().size() + 1
                            << " scalars, found " << body.getNumArguments();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (op.getAccumulatorType() != accumulator || !yield || yield.getValue().getType() != accumulator)
    return op.emitOpError() << "the score is computed from and yields " << accumulator;
  for (auto [operand, argument] : llvm::zip(op.getEpilogueIns(), body.getArguments().drop_front()))
    if (argument.getType() != getElementTypeOrSelf(operand.getType()))
      return op.emitOpError(
          "an argument of the score must have the type of its operand's elements");
  for (Operation &inner : body.without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&inner) && !inner.hasTrait<OpTrait::ConstantLike>())
      return op.emitOpError() << "'" << inner.getName() << "' in a score is not elementwise";
  return success();
}

} // namespace

SmallVector<int64_t> AttentionOp::getIterationSizes() {
  SmallVector<int64_t> sizes(getQMap().getNumDims(), 1);
  for (const Indexed &operand : operandsOf(*this))
    for (auto [position, size] :
         llvm::enumerate(cast<ShapedType>(operand.value.getType()).getShape()))
      sizes[operand.map.getDimPosition(position)] = size;
  return sizes;
}

LogicalResult AttentionOp::verify() {
  if (getQMap().getNumDims() < 4)
    return emitOpError("needs the dimensions m, n, d and e behind those of the batch");
  if (getEpilogueMaps().size() != getEpilogueIns().size())
    return emitOpError("needs one map per epilogue operand");
  if (bool(getKeyCounts()) != getCountsMap().has_value())
    return emitOpError("needs a map of the counts of keys if there are any, and only then");
  for (const Indexed &operand : operandsOf(*this))
    if (failed(verifyMap(*this, operand)))
      return failure();
  for (const Indexed &operand : operandsOf(*this))
    if (failed(verifyShape(*this, operand)))
      return failure();
  SmallVector<int64_t> sizes = getIterationSizes();
  if (ShapedType::isDynamic(sizes[dimD()]) || ShapedType::isDynamic(sizes[dimE()]))
    return emitOpError("the sizes of d and e must be static");
  auto lastOf = [](AffineMap map) { return map.getDimPosition(map.getNumResults() - 1); };
  if (lastOf(getQMap()) != dimD() || lastOf(getVMap()) != dimE() ||
      lastOf(getResultMap()) != dimE())
    return emitOpError("Q must end in d, V and the result in e");
  for (unsigned dimension = 0; dimension < getBatchRank(); ++dimension)
    if (!getResultMap().isFunctionOfDim(dimension))
      return emitOpError("the result must have all dimensions of the batch");
  return verifyScore(*this);
}

} // namespace kgen
