// TensorScatter of opset 24: a cache with new rows from a position on, which each sequence of the
// batch has its own of.
#include "dialect/kgen/TensorSlice.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

enum ScatterInput : size_t { cache, update, positions };

std::vector<TensorType> inferTensorScatter(InferenceContext &c) {
  auto fail = [&](const std::string &why, const std::string &hint = "") {
    c.error(why, hint);
    return std::vector<TensorType>();
  };
  const TensorType &into = c.input(cache), &rows = c.input(update);
  const std::string &mode = c.string("mode");
  if (mode != "linear" && mode != "circular")
    return fail("mode must be linear or circular, not '" + mode + "'");
  if (into.shape.size() < 2)
    return fail("past_cache must have a batch and positions, it is " + into.str());
  std::optional<int64_t> axis = normalizeAxis(c, c.integer("axis"), into.shape.size());
  if (!axis)
    return {};
  if (*axis == 0)
    return fail("axis is the batch, expected that of the positions");
  TensorType wanted = into;
  bool fits = rows.shape.size() == into.shape.size();
  if (fits)
    wanted.shape.setDim(*axis, rows.shape.dim(*axis));
  if (!fits || rows != wanted)
    return fail("update must be as past_cache, " + into.str() + ", but along axis " +
                std::to_string(*axis) + "; it is " + rows.str());
  if ((into.shape.dim(*axis) - rows.shape.dim(*axis)).bounds().min < 0)
    return fail("update, " + rows.str() + ", can have more positions than past_cache, " +
                    into.str(),
                "give sizes bounds: the cache's least is not below the update's greatest");
  TensorType places{ElementType::i64, std::vector<Dim>{into.shape.dim(0)}};
  if (c.hasInput(positions) && c.input(positions) != places)
    return fail("write_indices must be " + places.str() + ", they are " + c.input(positions).str());
  return {into};
}

/// Writes one slice after another.
class CacheWriter {
public:
  explicit CacheWriter(LoweringContext &c)
      : c(c), axis(*normalizeAxis(c, c.integer("axis"), c.input(cache).shape.size())),
        length(sizeOf(cache, axis)), rows(sizeOf(update, axis)) {}

  Value lower() {
    return loop(sizeOf(cache, 0), c.operand(cache), [&](Value sequence, Value tensor) {
      Value first = c.hasInput(positions) ? position(sequence) : constant(0);
      if (c.string("mode") == "linear")
        return written(tensor, sequence, constant(0), rows, clamped(first));
      return loop(rows, tensor, [&](Value row, Value next) {
        Value at = modulo(arith::AddIOp::create(c.b, c.loc, first, row));
        return written(next, sequence, row, c.b.getIndexAttr(1), at);
      });
    });
  }

private:
  OpFoldResult sizeOf(size_t input, int64_t dimension) {
    return sizeValue(c.b, c.input(input).shape.dim(dimension));
  }
  Value constant(int64_t number) { return arith::ConstantIndexOp::create(c.b, c.loc, number); }
  Value valueOf(OpFoldResult size) { return getValueOrCreateConstantIndexOp(c.b, c.loc, size); }

  /// `tensor` after `body` for each number below `count`.
  Value loop(OpFoldResult count, Value tensor, llvm::function_ref<Value(Value, Value)> body) {
    auto loop = scf::ForOp::create(c.b, c.loc, constant(0), valueOf(count), constant(1), tensor);
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToStart(loop.getBody());
    Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
    scf::YieldOp::create(c.b, c.loc, next);
    return loop.getResult(0);
  }

  Value position(Value sequence) {
    Value at = tensor::ExtractOp::create(c.b, c.loc, c.operand(positions), sequence);
    return arith::IndexCastOp::create(c.b, c.loc, c.b.getIndexType(), at);
  }

  /// The first of `rows` positions, all of which the cache has.
  Value clamped(Value first) {
    Value last = arith::SubIOp::create(c.b, c.loc, valueOf(length), valueOf(rows));
    Value low = arith::MaxSIOp::create(c.b, c.loc, first, constant(0));
    return arith::MinSIOp::create(c.b, c.loc, low, last);
  }

  /// The remainder that is not negative.
  Value modulo(Value at) {
    Value count = valueOf(length);
    Value rest = arith::RemSIOp::create(c.b, c.loc, at, count);
    Value isNegative =
        arith::CmpIOp::create(c.b, c.loc, arith::CmpIPredicate::slt, rest, constant(0));
    Value above = arith::AddIOp::create(c.b, c.loc, rest, count);
    return arith::SelectOp::create(c.b, c.loc, isNegative, above, rest);
  }

  /// `tensor` with `count` rows of the update, from `row` on, at `place` of a sequence.
  Value written(Value tensor, Value sequence, Value row, OpFoldResult count, Value place) {
    SmallVector<OpFoldResult> sizes = sizeValues(c.b, c.input(cache).shape);
    TensorSlice from(SmallVector<OpFoldResult>(sizes.size(), c.b.getIndexAttr(0)), sizes);
    from.sizes.front() = c.b.getIndexAttr(1);
    from.sizes[axis] = count;
    from.offsets.front() = sequence;
    TensorSlice to = from;
    from.offsets[axis] = row;
    to.offsets[axis] = place;
    return insert(c.b, c.loc, extract(c.b, c.loc, c.operand(update), from), tensor, to);
  }

  LoweringContext &c;
  int64_t axis;
  OpFoldResult length, rows; ///< positions of the cache and of the update
};

} // namespace

std::vector<Operator> tensorScatterOperators() {
  Operator op;
  op.name = "TensorScatter";
  op.summary = "a cache with new rows from a position on of each sequence; in linear mode a "
               "position beyond the last one that has room is that one";
  op.minInputs = 2;
  op.maxInputs = 3;
  op.types = allElementTypes();
  op.attributes = {{"axis", AttributeKind::integer, int64_t(-2), false,
                    "of the positions; counted from the end if negative, and not the batch"},
                   {"mode", AttributeKind::string, std::string("linear"), false,
                    "linear, or circular: the first position comes after the last one"}};
  op.symbolicDims = SymbolicDims::any();
  op.infer = inferTensorScatter;
  op.lower = [](LoweringContext &c) { c.setResult(CacheWriter(c).lower()); };
  return {op};
}

} // namespace kgen
