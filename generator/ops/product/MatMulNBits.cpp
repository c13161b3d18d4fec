// MatMulNBits of com.microsoft: weights of 4 or 8 bits with a scale for each block.
#include "ops/TypeRules.h"
#include "ops/product/BlockwiseQuant.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {
namespace {

/// The accuracy_level that lets rows be quantized to 8 bits.
constexpr int64_t int8Level = 4;

enum Input { inputA, inputB, inputScales, inputZeros, inputGroups, inputBias };

/// Sizes that the attributes say.
struct Sizes {
  int64_t k, n, bits, block;

  explicit Sizes(const InferenceContext &c)
      : k(c.integer("K")), n(c.integer("N")), bits(c.integer("bits")),
        block(c.integer("block_size")) {}

  int64_t blocks() const { return llvm::divideCeil(k, block); }
  /// Bytes of `count` integers.
  int64_t bytes(int64_t count) const { return llvm::divideCeil(count * bits, 8); }
};

bool checkAttributes(const InferenceContext &c) {
  Sizes s(c);
  auto fail = [&](const std::string &message, const std::string &hint = "") {
    c.error(message, hint);
    return false;
  };
  constexpr int64_t maxSize = int64_t(1) << 40;
  if (s.k < 1 || s.n < 1 || s.k > maxSize || s.n > maxSize)
    return fail("K and N must be from 1 to 2^40, found " + std::to_string(s.k) + " and " +
                std::to_string(s.n));
  if (s.bits != 4 && s.bits != 8)
    return fail("bits must be 4 or 8, found " + std::to_string(s.bits));
  if (s.block < 16 || s.block > maxSize || !llvm::isPowerOf2_64(s.block))
    return fail("block_size must be a power of two, at least 16, found " + std::to_string(s.block));
  int64_t level = c.integer("accuracy_level");
  if (level < 0 || level > 4)
    return fail("accuracy_level must be 0 to 4, found " + std::to_string(level));
  if (c.hasInput(inputGroups))
    return fail("an order of groups (g_idx, input 5) is not supported",
                "reorder the columns of A and the weights when the model is exported");
  return true;
}

/// Input i, if it is there, must be of `element` and one of the shapes.
bool checkInput(const InferenceContext &c, size_t i, const std::string &name, ElementType element,
                const std::vector<std::vector<int64_t>> &shapes) {
  if (!c.hasInput(i))
    return true;
  const TensorType &found = c.input(i);
  if (found.element == element && llvm::is_contained(shapes, found.shape))
    return true;
  std::string wanted;
  for (const std::vector<int64_t> &shape : shapes)
    wanted += (wanted.empty() ? "" : " or ") + TensorType{element, shape}.str();
  c.error(name + " (input " + std::to_string(i + 1) + ") must be " + wanted + ", found " +
          found.str());
  return false;
}

std::vector<TensorType> inferMatMulNBits(InferenceContext &c) {
  if (!checkAttributes(c))
    return {};
  Sizes s(c);
  const TensorType &a = c.input(inputA);
  if (a.shape.empty() || a.shape.back() != s.k) {
    c.error("the last dimension of A, which is " + a.str() +
            ", must be K = " + std::to_string(s.k));
    return {};
  }
  int64_t blocks = s.blocks();
  if (!checkInput(c, inputB, "B", ElementType::u8, {{s.n, blocks, s.bytes(s.block)}}) ||
      !checkInput(c, inputScales, "scales", a.element, {{s.n, blocks}, {s.n * blocks}}) ||
      !checkInput(c, inputZeros, "zero_points", ElementType::u8,
                  {{s.n, s.bytes(blocks)}, {s.n * s.bytes(blocks)}}) ||
      !checkInput(c, inputBias, "bias", a.element, {{s.n}}))
    return {};
  TensorType result = a;
  result.shape.back() = s.n;
  return {result};
}

std::optional<int64_t> rowBlockOf(const InferenceContext &c) {
  int64_t block = c.integer("block_size");
  bool asksForInt8 = c.integer("accuracy_level") == int8Level && block <= maxRowBlock;
  return rowScaleBlock(c, asksForInt8 ? block : 0);
}

void lowerMatMulNBits(LoweringContext &c) {
  Sizes s(c);
  int64_t blocks = s.blocks();
  const TensorShape &shape = c.input(inputA).shape;
  Dim m = shape.elements(0, shape.size() - 1);
  BlockWeights weights{c.operand(inputB), c.reshape(c.operand(inputScales), {s.n, blocks}), Value(),
                       s.bits, s.block};
  if (c.hasInput(inputZeros))
    weights.zeros = c.reshape(c.operand(inputZeros), {s.n, s.bytes(blocks)});
  Value value = blockProduct(c, c.withShape(c.operand(inputA), std::vector<Dim>{m, Dim(s.k)}),
                             weights, *rowBlockOf(c));
  Type element = c.resultTensor().getElementType();
  auto type = cast<RankedTensorType>(value.getType()).clone(element);
  if (c.hasInput(inputBias))
    value = c.elementwise(type, {value, c.operand(inputBias)},
                          [](OpBuilder &builder, Location loc, ValueRange v) -> Value {
                            return arith::AddFOp::create(builder, loc, v[0], v[1]);
                          });
  else
    value = c.rounded(value, element);
  c.setResult(c.withShape(value, c.resultShape()));
}

} // namespace

std::vector<Operator> matMulNBitsOperators() {
  Operator op;
  op.name = "MatMulNBits";
  op.summary = "com.microsoft's: A * B' + bias, where B' is (B - zero_points) * scales in blocks";
  op.minInputs = 3;
  op.maxInputs = 6;
  op.attributes = {
      {"K", AttributeKind::integer, std::nullopt, false, "columns of A, which are summed over"},
      {"N", AttributeKind::integer, std::nullopt, false, "columns of the result"},
      {"bits", AttributeKind::integer, int64_t(4), false, "of a weight: 4 or 8"},
      {"block_size", AttributeKind::integer, std::nullopt, false,
       "weights along K with one scale: a power of two, at least 16"},
      {"accuracy_level", AttributeKind::integer, int64_t(0), false,
       "4: rows of A may be quantized to 8 bits, in blocks of block_size up to 256; others: they "
       "are not"},
  };
  op.types = {ElementType::f32, ElementType::bf16, ElementType::f16};
  op.rowBlock = rowBlockOf;
  op.symbolicDims = {"of A, but for K", [](const InferenceContext &c, size_t input, size_t d) {
                       bool isRow = input == inputA && d + 1 < c.input(inputA).shape.size();
                       return isRow ? "" : std::string("only rows of A may be any number");
                     }};
  op.infer = inferMatMulNBits;
  op.lower = lowerMatMulNBits;
  return {op};
}

} // namespace kgen
