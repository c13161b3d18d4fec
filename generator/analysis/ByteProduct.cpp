// Sums of products of bytes.
#include "analysis/WindowShape.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

/// The input whose element `value` is, extended to the sums' type.
static std::optional<ByteProduct::Factor> factorOf(Value value) {
  Operation *extension = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(extension))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(extension->getOperand(0));
  if (!argument || !argument.getType().isInteger(8))
    return std::nullopt;
  return ByteProduct::Factor{argument.getArgNumber(), isa<arith::ExtUIOp>(extension)};
}

std::optional<std::pair<ByteProduct::Factor, ByteProduct::Factor>>
ByteProduct::factorsOf(Block &body) {
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!sum || !llvm::is_contained(sum->getOperands(), body.getArgument(2)))
    return std::nullopt;
  Value added = sum.getLhs() == body.getArgument(2) ? sum.getRhs() : sum.getLhs();
  auto product = added.getDefiningOp<arith::MulIOp>();
  if (!product)
    return std::nullopt;
  std::optional<Factor> left = factorOf(product.getLhs()), right = factorOf(product.getRhs());
  if (!left || !right)
    return std::nullopt;
  return std::pair(*left, *right);
}

std::optional<ByteProduct> ByteProduct::match(const WindowShape &shape) {
  linalg::GenericOp op = shape.op;
  Block *body = op.getBody();
  if (op.getNumDpsInputs() != 2 || shape.filters.size() != 1 || shape.group ||
      !body->getArgument(2).getType().isInteger(32))
    return std::nullopt;
  auto factors = factorsOf(*body);
  if (!factors || factors->first.input == factors->second.input)
    return std::nullopt;
  auto [left, right] = *factors;
  bool isRightFilter = right.input == shape.filters.front();
  return isRightFilter ? ByteProduct{left, right} : ByteProduct{right, left};
}

int64_t ByteProduct::channelsOfBlock(TargetAttr target) {
  constexpr int64_t blockRegisters = 32;
  return target.cpu().hasByteDots(Product::Signs::unequal) &&
                 target.getVectorRegisters() >= blockRegisters
             ? target.getVectorBits() / 8
             : 0;
}

int64_t ByteProduct::channelsAtOnce(TargetAttr target) {
  constexpr int64_t bitsOfSum = 32;
  const int64_t ofBlock = channelsOfBlock(target);
  return ofBlock != 0 ? ofBlock : target.getVectorBits() / bitsOfSum;
}

} // namespace kgen
