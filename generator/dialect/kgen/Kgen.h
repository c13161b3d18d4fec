// The kgen dialect: #kgen.target with its block-size formulas, kgen.gelu, and kgen.launch.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/Dialect/LLVMIR/LLVMTypes.h>
#include <mlir/Dialect/SCF/IR/DeviceMappingInterface.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/IR/SymbolTable.h>
#include <mlir/IR/TypeUtilities.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

namespace kgen {

/// Of x86: a line of the caches; and a page, within which memory is fetched ahead of time by
/// itself, and whose size is that of a way of the first cache.
constexpr int64_t lineBytes = 64, pageBytes = 4096;

/// How a contraction is cut, in elements. C is computed in register tiles of at most `mr` rows by
/// `nr` columns.
struct GemmBlocking {
  int64_t mr = 1; ///< rows of the register tile at full width
  int64_t nr = 1; ///< columns of the register tile, at most `panel`
  int64_t accumulators =
      1;              ///< vector registers for C: mr * nr / lanes; narrower tiles may use more rows
  int64_t mc = 1;     ///< rows of A that are swept for each panel of B
  int64_t kc = 1;     ///< depth of a block; C is revisited for the next one
  int64_t panel = 1;  ///< columns of a packed panel of B; the same for every target of a type
  bool tiles = false; ///< whether the register tile is for AMX
};

/// Which instructions multiply two element types and add up.
enum class ProductForm {
  multiplyAdd, ///< of the type itself
  widen,       ///< both become f32 first
  dotProduct,  ///< pairs of bf16 (vdpbf16ps) or fours of 8-bit integers (vpdpbusd) at once
  pairwise16,  ///< 8-bit integers become 16-bit ones, of which pairs are multiplied (vpmaddwd)
  tiles        ///< AMX: 16 x 16 sums in one instruction
};

} // namespace kgen

#include "dialect/kgen/KgenDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/kgen/KgenAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialect/kgen/KgenOps.h.inc"

namespace kgen {

/// What values of `element` are computed with: f32 for bf16 and f16, otherwise the type itself.
mlir::Type accumulatorOf(mlir::Type element);

/// What products of `a` and `b` are added up in: i32 for i8, otherwise the type that both are
/// computed with, or null if those differ.
mlir::Type accumulatorOf(mlir::Type a, mlir::Type b);

/// Whether an operation is computed by a polynomial or the like: those of the math dialect, and
/// kgen's own.
bool isFunction(mlir::Operation *op);

/// Whether rows that are read side by side and lie `distance` bytes apart take more than half of
/// the ways of a set of the first cache, which goes by the place in a page: they and what is read
/// beside them drive each other out.
bool crowdsSet(TargetAttr target, int64_t rows, int64_t distance);

/// The name of the module attribute that holds the target.
constexpr llvm::StringLiteral targetAttrName = "kgen.target";

/// On a function: its products of f16 may be added up in f16.
constexpr llvm::StringLiteral halfSumsAttrName = "kgen.f16_accumulate";

/// On a function: its convolutions of 3 x 3 windows may be computed by Winograd's transforms, with
/// tiles of at most so many results of a side (an integer, 2 or 4).
constexpr llvm::StringLiteral winogradAttrName = "kgen.winograd";

/// The most products that are added up in f16 before their sum goes on in f32: the error of such a
/// sum grows with their number, and so does the risk that it passes the largest number.
constexpr int64_t halfSumsRun = 256;

/// The most tasks that a launch may have: their number is a uint32_t in C.
constexpr int64_t maxTasks = 0xffffffff;

/// Whether a value of the type can be captured by a launch: scalars, vectors, pointers, and buffers
/// whose first element and layout are all there is to know.
bool canBeCaptured(mlir::Type type);

/// The target of the module around `op`, or null.
TargetAttr targetOf(mlir::Operation *op);

/// The same for a pass that cannot work without one: reports its absence at `op`.
TargetAttr requireTarget(mlir::Operation *op);

} // namespace kgen
