// Bounds of sizes that are known at run time: of indices, and of dimensions of tensors and buffers.
// What is under test is the first operand of "use".
#include "analysis/SizeBounds.h"

#include "analysis/IndexRange.h"
#include "dialect/kgen/Size.h"

#include <catch2/catch.hpp>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Parser/Parser.h>

using namespace mlir;
using namespace kgen;

namespace {

/// A function of a batch of 1 to 100, a length of 16 to 512 in sixteens, and buffers of these
/// sizes.
class Sizes {
public:
  explicit Sizes(const std::string &body) {
    context
        .loadDialect<affine::AffineDialect, arith::ArithDialect,
                     bufferization::BufferizationDialect, func::FuncDialect, linalg::LinalgDialect,
                     memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect, KgenDialect>();
    context.allowUnregisteredDialects();
    module = parseSourceString<ModuleOp>(R"(func.func @f(
        %b: index {kgen.size = #kgen.size<"batch", min = 1, max = 100, multiple = 1>},
        %l: index {kgen.size = #kgen.size<"length", min = 16, max = 512, multiple = 16>},
        %unknown: index,
        %x: memref<?x?x64xf32> {kgen.shape = affine_map<()[s0, s1, s2] -> (s0, s1, 64)>},
        %y: memref<?xf32> {kgen.shape = affine_map<()[s0, s1, s2] -> (s0 * s1 + 8)>},
        %z: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c48 = arith.constant 48 : index
      %c64 = arith.constant 64 : index
    )" + body + "\nreturn\n}",
                                         &context);
    REQUIRE(module);
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "use")
        use = op;
    });
    REQUIRE(use);
  }

  Value get() const { return use->getOperand(0); }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *use = nullptr;
};

void check(std::optional<SizeBounds> bounds, int64_t least, int64_t greatest, int64_t divisor) {
  REQUIRE(bounds);
  CHECK(bounds->least == least);
  CHECK(bounds->greatest == greatest);
  CHECK(bounds->divisor == divisor);
}

void checkIndex(const std::string &body, int64_t least, int64_t greatest, int64_t divisor) {
  INFO(body);
  Sizes sizes(body + "\n\"use\"(%v) : (index) -> ()");
  check(sizeBoundsOf(OpFoldResult(sizes.get())), least, greatest, divisor);
}

/// Of the first dimension of `%v`.
void checkDim(const std::string &body, const std::string &type, int64_t least, int64_t greatest,
              int64_t divisor) {
  INFO(body);
  Sizes sizes(body + "\n\"use\"(%v) : (" + type + ") -> ()");
  check(sizeBoundsOf(sizes.get(), 0), least, greatest, divisor);
}

} // namespace

TEST_CASE("bounds of indices that are computed from sizes") {
  checkIndex("%v = arith.addi %b, %c0 : index", 1, 100, 1);
  checkIndex("%v = affine.apply affine_map<()[s0] -> (s0 * 3)>()[%l]", 48, 1536, 48);
  checkIndex("%v = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%b, %l]", 16, 51200, 16);
  checkIndex("%v = affine.apply affine_map<()[s0] -> (s0 ceildiv 48)>()[%l]", 1, 11, 1);
  checkIndex("%v = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%l]", 2, 64, 2);
  checkIndex("%v = affine.min affine_map<()[s0] -> (s0, 48)>()[%l]", 16, 48, 16);
  checkIndex("%v = affine.max affine_map<()[s0] -> (s0, 48)>()[%l]", 48, 512, 16);
  checkIndex("%v = memref.dim %x, %c1 : memref<?x?x64xf32>", 16, 512, 16);
}

TEST_CASE("a tile's size is at least one, and a multiple of what divides the size") {
  auto inTiles = [](const std::string &size) {
    return "scf.forall (%i) = (0) to (%" + size + R"() step (48) {
      %v = affine.min affine_map<(d0)[s0] -> (48, s0 - d0)>(%i)[%)" +
           size + R"(]
      "use"(%v) : (index) -> ()
    })";
  };
  check(sizeBoundsOf(OpFoldResult(Sizes(inTiles("b")).get())), 1, 48, 1);
  check(sizeBoundsOf(OpFoldResult(Sizes(inTiles("l")).get())), 16, 48, 16);
  CHECK_FALSE(sizeBoundsOf(OpFoldResult(Sizes(inTiles("unknown")).get())));
}

TEST_CASE("bounds of dimensions") {
  checkDim("%v = memref.cast %x : memref<?x?x64xf32> to memref<?x16x64xf32>", "memref<?x16x64xf32>",
           1, 100, 1);
  checkDim("%v = bufferization.to_tensor %y restrict : memref<?xf32> to tensor<?xf32>",
           "tensor<?xf32>", 24, 51208, 8);
  checkDim("%v = tensor.empty(%l) : tensor<?x4xf32>", "tensor<?x4xf32>", 16, 512, 16);
  checkDim("%v = memref.alloc() : memref<7xf32>", "memref<7xf32>", 7, 7, 7);
  checkDim("%v = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x64xf32> into "
           "memref<?x64xf32>",
           "memref<?x64xf32>", 16, 51200, 16);
  checkDim("%v = memref.subview %x[0, 0, 0] [1, %l, 64] [1, 1, 1] : memref<?x?x64xf32> to "
           "memref<?x64xf32, strided<[64, 1]>>",
           "memref<?x64xf32, strided<[64, 1]>>", 16, 512, 16);
  checkDim(R"(%e = tensor.empty(%l) : tensor<?xf32>
    %f = arith.constant 0.0 : f32
    %w = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %v = scf.for %i = %c0 to %b step %c1 iter_args(%t = %w) -> tensor<?xf32> {
      %u = linalg.fill ins(%f : f32) outs(%t : tensor<?xf32>) -> tensor<?xf32>
      scf.yield %u : tensor<?xf32>
    })",
           "tensor<?xf32>", 16, 512, 16);
  checkDim(R"(%e = tensor.empty(%l) : tensor<?xf32>
    %f = arith.constant 0.0 : f32
    %v = tensor.pad %e low[0] high[16] {
    ^bb0(%i: index):
      tensor.yield %f : f32
    } : tensor<?xf32> to tensor<?xf32>)",
           "tensor<?xf32>", 32, 528, 16);
}

TEST_CASE("sizes of arguments without a shape are not known") {
  CHECK_FALSE(sizeBoundsOf(Sizes("\"use\"(%z) : (memref<?xf32>) -> ()").get(), 0));
  CHECK_FALSE(greatestSizesOf(Sizes("\"use\"(%z) : (memref<?xf32>) -> ()").get()));
}

TEST_CASE("all sizes at their greatest") {
  Sizes sizes("\"use\"(%x) : (memref<?x?x64xf32>) -> ()");
  CHECK(greatestSizesOf(sizes.get()) == SmallVector<int64_t>{100, 512, 64});
}

TEST_CASE("a size is an expression of arguments, not of the operations between") {
  Sizes sizes(
      R"(%v = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x64xf32> into memref<?x64xf32>
    "use"(%v) : (memref<?x64xf32>) -> ())");
  OpBuilder b(sizes.get().getContext());
  b.setInsertionPointAfterValue(sizes.get());
  auto size = cast<Value>(sizeOf(b, sizes.get().getLoc(), sizes.get(), 0));
  auto apply = size.getDefiningOp<affine::AffineApplyOp>();
  REQUIRE(apply);
  CHECK(llvm::all_of(apply.getOperands(), [](Value value) { return isa<BlockArgument>(value); }));
  CHECK(getConstantIntValue(sizeOf(b, sizes.get().getLoc(), sizes.get(), 1)) == 64);
}
