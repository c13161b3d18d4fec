// Causal masks: what indices of queries and keys, and constants, make of a score.
//
// A mask is computed from ramps (indices, constants that count up) by a comparison, or is a
// constant itself. Whatever follows has two values, one for the keys that a query sees and one for
// the rest: both are found by folding each operation twice.
#include "analysis/ConstantBytes.h"
#include "transforms/attention/AttentionPatterns.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

namespace {

/// Meaning of the index of a loop or a dimension.
enum class Role : uint8_t { other, query, key };
using Roles = SmallVector<Role>;

/// Known value of a scalar at query m and key n.
struct Known {
  enum class Kind : uint8_t { nothing, ramp, values } kind = Kind::nothing;
  int64_t ofQuery = 0, ofKey = 0, offset = 0; ///< ramp: ofQuery * m + ofKey * n + offset
  Attribute seen = {}, hidden = {};           ///< values: where n <= m + bound, and elsewhere
  std::optional<int64_t> bound = {};          ///< values: nothing where both are the same

  static Known constant(Attribute value) { return values(value, value, std::nullopt); }
  static Known values(Attribute seen, Attribute hidden, std::optional<int64_t> bound) {
    return {Kind::values, 0, 0, 0, seen, hidden, bound};
  }
  static Known ramp(int64_t ofQuery, int64_t ofKey, int64_t offset) {
    return {Kind::ramp, ofQuery, ofKey, offset};
  }
  explicit operator bool() const { return kind != Kind::nothing; }
};

/// The element `index` of the bytes of a constant.
Attribute elementAt(ArrayRef<char> bytes, Type type, int64_t index) {
  int64_t width = type.getIntOrFloatBitWidth() / 8;
  auto one = RankedTensorType::get({1}, type);
  return DenseElementsAttr::getFromRawBuffer(one, bytes.slice(index * width, width))
      .getSplatValue<Attribute>();
}

/// A constant vector that counts up along `role`.
Known rampOf(ArrayRef<char> bytes, Type type, int64_t size, Role role) {
  if (!type.isSignlessInteger())
    return {};
  auto at = [&](int64_t i) { return cast<IntegerAttr>(elementAt(bytes, type, i)).getInt(); };
  for (int64_t i = 1; i < size; ++i)
    if (at(i) != at(0) + i)
      return {};
  return Known::ramp(role == Role::query, role == Role::key, at(0));
}

/// A constant matrix of two values, one up to a diagonal and one after it.
Known triangleOf(ArrayRef<char> bytes, Type type, int64_t rows, int64_t columns) {
  int64_t width = type.getIntOrFloatBitWidth() / 8, bound = 0;
  auto at = [&](int64_t m, int64_t n) { return bytes.slice((m * columns + n) * width, width); };
  while (bound + 1 < columns && at(0, bound + 1) == at(0, 0))
    ++bound;
  if (bound + 1 == columns)
    return {};
  ArrayRef<char> seen = at(0, 0), hidden = at(0, columns - 1);
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n)
      if (at(m, n) != (n <= m + bound ? seen : hidden))
        return {};
  return Known::values(elementAt(bytes, type, 0), elementAt(bytes, type, columns - 1), bound);
}

/// Evaluates scalars of the bodies that lead to a score.
class MaskValues {
public:
  /// `scalar` is in the body of `op`, whose loops have these roles.
  Known valuesOf(linalg::GenericOp op, Value scalar, const Roles &roles);

private:
  Known tensorValues(Value tensor, const Roles &roles);
  Known constantValues(ElementsAttr constant, const Roles &roles);
  Known rampValues(Operation *op, ArrayRef<Known> operands);
  Known combinedValues(Operation *op, ArrayRef<Known> operands);

  unsigned depth = 0; ///< of the tensors that lead to the one that is asked for
  unsigned count = 0; ///< scalars that were looked at
};

Known MaskValues::constantValues(ElementsAttr constant, const Roles &roles) {
  Type type = constant.getElementType();
  ArrayRef<int64_t> shape = constant.getShapedType().getShape();
  if (constant.isSplat() && !isa<DenseResourceElementsAttr>(constant))
    return Known::constant(constant.getSplatValue<Attribute>());
  SmallVector<unsigned> wide;
  for (auto [dimension, size] : llvm::enumerate(shape))
    if (size != 1)
      wide.push_back(dimension);
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  if (bytes.empty() || type.getIntOrFloatBitWidth() % 8 != 0)
    return {};
  if (wide.size() == 1 && roles[wide[0]] != Role::other)
    return rampOf(bytes, type, shape[wide[0]], roles[wide[0]]);
  if (wide.size() == 2 && roles[wide[0]] == Role::query && roles[wide[1]] == Role::key)
    return triangleOf(bytes, type, shape[wide[0]], shape[wide[1]]);
  return {};
}

/// The roles of the dimensions before a reshape that makes `result` of them, or of which it makes
/// these: each group may have one dimension that is not 1.
std::optional<Roles> rolesBefore(ArrayRef<ReassociationIndices> groups, bool isExpansion,
                                 ArrayRef<int64_t> wideShape, const Roles &roles) {
  Roles before(isExpansion ? groups.size() : wideShape.size(), Role::other);
  for (auto [i, group] : llvm::enumerate(groups)) {
    unsigned wide = 0;
    for (int64_t dimension : group) {
      if (wideShape[dimension] == 1)
        continue;
      ++wide;
      if (isExpansion)
        before[i] = roles[dimension];
      else
        before[dimension] = roles[i];
    }
    if (wide > 1)
      return std::nullopt;
  }
  return before;
}

Known MaskValues::tensorValues(Value tensor, const Roles &roles) {
  constexpr unsigned deepest = 16; // a mask takes some ten operations
  ElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)))
    return constantValues(constant, roles);
  std::optional<Roles> before;
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>()) {
    before = rolesBefore(expand.getReassociationIndices(), true, expand.getResultType().getShape(),
                         roles);
    return before ? tensorValues(expand.getSrc(), *before) : Known();
  }
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
    before = rolesBefore(collapse.getReassociationIndices(), false,
                         collapse.getSrcType().getShape(), roles);
    return before ? tensorValues(collapse.getSrc(), *before) : Known();
  }
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(op) || depth == deepest)
    return {};
  ++depth;
  Known known = valuesOf(op, yieldedValue(op), roles);
  --depth;
  return known;
}

/// Sums and differences of ramps, and comparisons, which make values of them.
Known MaskValues::rampValues(Operation *op, ArrayRef<Known> operands) {
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp>(op))
    return operands[0];
  if (!isa<arith::AddIOp, arith::SubIOp, arith::CmpIOp>(op))
    return {};
  SmallVector<Known, 2> ramps;
  for (const Known &operand : operands) {
    auto constant = dyn_cast_or_null<IntegerAttr>(operand.seen);
    if (operand.kind == Known::Kind::ramp)
      ramps.push_back(operand);
    else if (constant && !operand.bound)
      ramps.push_back(Known::ramp(0, 0, constant.getInt()));
    else
      return {};
  }
  int64_t sign = isa<arith::AddIOp>(op) ? 1 : -1;
  Known sum =
      Known::ramp(ramps[0].ofQuery + sign * ramps[1].ofQuery,
                  ramps[0].ofKey + sign * ramps[1].ofKey, ramps[0].offset + sign * ramps[1].offset);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return sum;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (sum.ofKey == -1 && sum.ofQuery == 1) { // m - n + offset: the other way round
    sum = Known::ramp(-1, 1, -sum.offset);
    switch (predicate) {
    case Predicate::slt:
      predicate = Predicate::sgt;
      break;
    case Predicate::sle:
      predicate = Predicate::sge;
      break;
    case Predicate::sgt:
      predicate = Predicate::slt;
      break;
    case Predicate::sge:
      predicate = Predicate::sle;
      break;
    default:
      return {};
    }
  }
  if (sum.ofKey != 1 || sum.ofQuery != -1)
    return {};
  bool isUpTo = predicate == Predicate::slt || predicate == Predicate::sle;
  bool isSharp = predicate == Predicate::slt || predicate == Predicate::sge;
  if (!isUpTo && predicate != Predicate::sgt && predicate != Predicate::sge)
    return {};
  return Known::values(BoolAttr::get(op->getContext(), isUpTo),
                       BoolAttr::get(op->getContext(), !isUpTo), -sum.offset - isSharp);
}

/// Folds `op` for the keys that are seen, and for the others.
Known MaskValues::combinedValues(Operation *op, ArrayRef<Known> operands) {
  Known known = Known::constant({});
  for (const Known &operand : operands) {
    if (known.bound && operand.bound && known.bound != operand.bound)
      return {};
    if (operand.bound)
      known.bound = operand.bound;
  }
  for (Attribute Known::*side : {&Known::seen, &Known::hidden}) {
    llvm::SmallDenseMap<Value, Attribute> constants;
    for (auto [value, operand] : llvm::zip(op->getOperands(), operands))
      constants[value] = operand.*side;
    Operation *copy = op->clone(); // folding may exchange its operands
    Attribute folded;
    for (int attempt = 0; attempt < 2 && !folded; ++attempt) {
      SmallVector<Attribute> attributes;
      for (Value value : copy->getOperands())
        attributes.push_back(constants.lookup(value));
      SmallVector<OpFoldResult> results;
      if (failed(copy->fold(attributes, results)))
        break;
      if (results.size() != 1)
        continue;
      folded = dyn_cast<Attribute>(results[0]);
      if (!folded)
        folded = constants.lookup(cast<Value>(results[0]));
    }
    copy->destroy();
    if (!folded)
      return {};
    known.*side = folded;
  }
  return known;
}

Known MaskValues::valuesOf(linalg::GenericOp op, Value scalar, const Roles &roles) {
  constexpr unsigned most = 1000; // a value that is used twice is looked at twice
  if (++count > most)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() != op.getBody())
      return {};
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType())) { // a scalar
      Attribute constant;
      return matchPattern(operand->get(), m_Constant(&constant)) ? Known::constant(constant)
                                                                 : Known();
    }
    Roles ofOperand;
    for (AffineExpr result : op.getMatchingIndexingMap(operand).getResults()) {
      auto dimension = dyn_cast<AffineDimExpr>(result);
      if (!dimension && !isa<AffineConstantExpr>(result))
        return {};
      ofOperand.push_back(dimension ? roles[dimension.getPosition()] : Role::other);
    }
    return tensorValues(operand->get(), ofOperand);
  }
  Operation *inner = scalar.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    Role role = roles[index.getDim()];
    return role == Role::other ? Known() : Known::ramp(role == Role::query, role == Role::key, 0);
  }
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return Known::constant(constant);
  SmallVector<Known> operands;
  bool hasRamp = false;
  for (Value operand : inner->getOperands()) {
    operands.push_back(valuesOf(op, operand, roles));
    if (!operands.back())
      return {};
    hasRamp |= operands.back().kind == Known::Kind::ramp;
  }
  if (operands.empty() || inner->getNumResults() != 1)
    return {};
  return hasRamp ? rampValues(inner, operands) : combinedValues(inner, operands);
}

/// True for -inf and for the lowest numbers of f32 and bf16, which exporters write instead: exp of
/// a score as low is 0 unless all scores of the row are.
bool hides(Attribute value) {
  constexpr double lowest = -3.38e38; // the lowest bf16 is -3.3895e38
  auto number = dyn_cast_or_null<FloatAttr>(value);
  return number && number.getValueAsDouble() < lowest;
}

/// An operation on floats of 16 bits that is computed in f32 or on their bits, and what a score is
/// before that.
class NarrowScores {
public:
  explicit NarrowScores(Value yielded) : type(yielded.getType()) {
    Operation *op = yielded.getDefiningOp();
    isNarrow = isa_and_nonnull<arith::TruncFOp, arith::BitcastOp>(op) && isa<FloatType>(type);
    computed = isNarrow ? op->getOperand(0) : yielded;
  }

  /// The score that `value` is the f32 or the bits of; null if it is something else.
  Value score(Value value) const {
    Operation *op = value.getDefiningOp();
    if (!isNarrow)
      return value;
    return isa_and_nonnull<arith::ExtFOp, arith::BitcastOp>(op) &&
                   op->getOperand(0).getType() == type
               ? op->getOperand(0)
               : Value();
  }

  /// Bits as a number.
  FloatAttr number(Attribute value) const {
    auto bits = dyn_cast_or_null<IntegerAttr>(value);
    auto element = dyn_cast<FloatType>(type);
    if (!bits || !element || bits.getValue().getBitWidth() != element.getWidth())
      return dyn_cast_or_null<FloatAttr>(value);
    return FloatAttr::get(element, APFloat(element.getFloatSemantics(), bits.getValue()));
  }

  Value computed; ///< what is yielded, before it is rounded or made of bits

private:
  Type type;
  bool isNarrow = false;
};

bool isTrue(Attribute value, bool wanted) {
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  return number && number.getValue().isZero() != wanted;
}

} // namespace

std::optional<CausalMask> causalMask(linalg::GenericOp op) {
  unsigned rank = op.getNumLoops();
  NarrowScores narrow(yieldedValue(op));
  Operation *last = narrow.computed.getDefiningOp();
  if (rank < 2 || !isa_and_nonnull<arith::SelectOp, arith::AddFOp>(last))
    return std::nullopt;
  Roles roles(rank, Role::other);
  roles[rank - 2] = Role::query;
  roles[rank - 1] = Role::key;
  MaskValues values;
  auto mask = [&](Value score, const Known &known, FloatAttr hidden) -> std::optional<CausalMask> {
    score = narrow.score(score);
    if (!score || !known.bound || *known.bound < 0) // the first query would see no key
      return std::nullopt;
    return CausalMask{score, *known.bound, hidden.getValue().isFinite()};
  };
  if (auto select = dyn_cast<arith::SelectOp>(last)) {
    Known condition = values.valuesOf(op, select.getCondition(), roles);
    bool isSeen = isTrue(condition.seen, true);
    Value score = isSeen ? select.getTrueValue() : select.getFalseValue();
    Known other =
        values.valuesOf(op, isSeen ? select.getFalseValue() : select.getTrueValue(), roles);
    FloatAttr hidden = narrow.number(other.hidden);
    bool isMask = isTrue(condition.hidden, !isSeen) && hides(hidden) &&
                  (!other.bound || other.bound == condition.bound);
    return isMask ? mask(score, condition, hidden) : std::nullopt;
  }
  for (auto [score, other] : {std::pair(0, 1), std::pair(1, 0)}) {
    Known added = values.valuesOf(op, last->getOperand(other), roles);
    auto zero = dyn_cast_or_null<FloatAttr>(added.seen);
    if (zero && zero.getValue().isZero() && hides(added.hidden))
      return mask(last->getOperand(score), added, cast<FloatAttr>(added.hidden));
  }
  return std::nullopt;
}

} // namespace kgen
