// Constants as bytes: what passes that rearrange weights at build time have in common.
#pragma once

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/Operation.h>

namespace kgen {

/// The bytes of a constant; a splat is spread out into `storage`. Empty if it has another form.
llvm::ArrayRef<char> constantBytes(mlir::ElementsAttr constant,
                                   llvm::SmallVectorImpl<char> &storage);

/// Frees the resources that constants of a module used when this was made, and no longer do when it
/// goes away: one may be shared by constants of several shapes.
class ResourceSweep {
public:
  explicit ResourceSweep(mlir::Operation *module);
  ~ResourceSweep();

private:
  mlir::Operation *module;
  llvm::SmallVector<mlir::DenseResourceElementsAttr> before;
};

} // namespace kgen
