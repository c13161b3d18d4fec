// The steps from a file to a graph. Private to ingress/mlir.
#pragma once

#include "ingress/mlir/Functions.h"
#include "ingress/mlir/Import.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/OwningOpRef.h>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Support/MemoryBuffer.h>

namespace kgen {

/// The dialects that such a file may use: all of upstream's, loaded as a file uses them, and
/// kgen's.
void registerMlirInput(mlir::DialectRegistry &registry);
/// Loads those that functions consist of. Others may stand outside of these, in generic form.
void loadMlirInput(mlir::MLIRContext &context);

/// Parses a text that is from the file, without verifying it. The location of an operation whose
/// result has a name
/// (`%relu = ...`) says it. Text that is nested too deeply for a parser that recurses is an error
/// of its own.
mlir::OwningOpRef<mlir::ModuleOp> readMlir(std::unique_ptr<llvm::MemoryBuffer> text,
                                           const std::string &path, mlir::MLIRContext &context,
                                           Diagnostics &diagnostics);

/// Reports the messages of MLIR, with hints.
void reportMlirErrors(const Diagnostics &found, Diagnostics &diagnostics);

/// The file's bytes; null after an error.
std::unique_ptr<llvm::MemoryBuffer> readMlirBytes(const std::string &path,
                                                  Diagnostics &diagnostics);

/// Returns what is public and has a body.
std::vector<mlir::func::FuncOp> publicFunctions(mlir::ModuleOp module);

/// Attributes of dialects that a graph's operations are not of go, with a note for each name.
void dropForeignAttributes(mlir::ModuleOp module);

/// Operations that no graph has, loops that upstream would make something else of, and calls that
/// would be inlined without end, go to the handler of the context: false.
bool checkSource(mlir::func::FuncOp function);

/// True if a graph may have operations and attributes of the dialect.
bool isInputDialect(llvm::StringRef dialect);

/// Returns tensors that are written into arguments by `bufferization.materialize_in_destination` in
/// addition, and makes memory that is read as a tensor a tensor. False: there were errors.
bool returnDestinations(mlir::func::FuncOp function);

/// Calls of functions without a body, prints and assertions that no result depends on go, with a
/// warning.
void dropProbes(mlir::func::FuncOp function);

/// Inlines what the function calls, makes parameters of sizes, turns TOSA into linalg and cleans
/// up. False: there were errors, which went to the handler of the context.
bool prepareFunction(mlir::func::FuncOp function, const MlirRequest &request);

/// The name of the graph's input: `kgen.name`, else `arg0` ....
std::string inputNameOf(mlir::BlockArgument argument);

/// `?` in types of arguments, which `kgen.dim` and `kgen.dims` name, or the request's "x:0" says,
/// become numbers, or sizes that are `index` arguments in front of the others
/// (dialect/kgen/Size.h). False: there were errors.
bool addSizeParameters(mlir::func::FuncOp function, const MlirRequest &request);
/// `tensor.dim` becomes an expression of these arguments, where it is one.
void resolveSizes(mlir::func::FuncOp function);
/// Broadcasts that happen only where a size is 1, to the shape that the tensor has, go: TOSA's, of
/// operands whose sizes are known at run time.
void foldIdentityBroadcasts(mlir::func::FuncOp function);
/// An index as an expression of sizes; `known` are values besides arguments. Nothing: it is none.
std::optional<Dim> dimOfIndex(mlir::Value index, const llvm::DenseMap<mlir::Value, Dim> &known);
std::optional<Dim> dimensionOf(mlir::Value tensor, int64_t dim);
/// All of its dimensions.
std::optional<TensorShape> shapeOfTensor(mlir::Value tensor);

/// Softmaxes as single operations, loops and conditions of affine as those of scf. False: there
/// were errors.
bool simplifyOperations(mlir::func::FuncOp function);
/// Replaces tensors that operations read and nothing has written by zeros, with a warning.
void fillUnwrittenInits(mlir::func::FuncOp function);
/// A tensor of floats with the elements of `value`, rounded or exact.
mlir::Value convertedElements(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                              mlir::Type element);
/// Clamps, inverse square roots and constant whole powers become arithmetic.
void expandMathForms(mlir::func::FuncOp function);

/// Products of bf16 and f16 that are added up in their own type are added up in f32, and the sum is
/// rounded once: no result is less exact.
void widenSums(mlir::func::FuncOp function);

/// Arithmetic in bf16, f16 and floats of 8 bits becomes one in f32 between conversions; floats of 8
/// bits are bytes then.
void computeInTargetTypes(mlir::func::FuncOp function);

/// Tensors of index become tensors of i64.
void storeIndicesAsIntegers(mlir::func::FuncOp function);

/// Reports all that keeps the prepared function from becoming a graph to the handler of the
/// context, at once.
bool checkFunction(mlir::func::FuncOp function);

/// The place of an operation in a file, or nothing.
SourceLoc placeOf(mlir::Location location, const std::string &path);

/// The graph of a function that was prepared and checked.
Graph buildNodes(mlir::func::FuncOp function, const MlirRequest &request, Diagnostics &diagnostics);

/// An operation without a node of its own, which is cloned into those of its users: scalars,
/// tensors of unknown content, what is filled with one number, constants of few elements.
bool isPartOfUsers(mlir::Operation *op);

/// A convolution that the operator Conv computes, between transpositions of its operands and
/// result.
struct ConvolutionForm {
  std::vector<int64_t> image, filter, result; ///< orders of dimensions; empty: as they are
  std::vector<int64_t> strides, dilations;
  int64_t group = 1;
  std::vector<int64_t> filterShape = {}; ///< of the transposed filter for Conv; empty: as it is
  bool startsFromZero = false;           ///< else what the operation starts from is added
};
std::optional<ConvolutionForm> convolutionForm(mlir::Operation *op);

/// The operator of nodes that hold an operation and what it needs, as a function in the attribute
/// "code", to be read in the context that the graph is lowered in. `op` is that operation, or null
/// for what a function returns.
const Operator *codeOperator(mlir::Operation *op);

/// True if an image may have its channels last: each element of the result, which is an image, too,
/// is computed from those of operands of the same shape at the same subscripts, and of operands of
/// at most one dimension.
bool keepsImages(mlir::linalg::LinalgOp op);

/// That function: its arguments are `inputs`, its results those of `op`, or `results` where `op` is
/// null. Other operands are cloned.
std::string nodeCode(mlir::Operation *op, llvm::ArrayRef<mlir::Value> results,
                     llvm::ArrayRef<mlir::Value> inputs);

/// The most elements of a constant that stands in code.
constexpr int64_t fewElements = 64;

} // namespace kgen
