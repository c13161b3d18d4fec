// Optimization remarks: passes record what they decide about the nodes of a graph, for
// `kgen explain`.
//
// A decision is a dictionary in an array named "kgen.decisions" on the function (or module) that
// the pass works on: the pass, the kind of decision, the nodes that it is about, and details.
// Nodes are known by the names that the ingress gave as locations; a fused operation carries the
// names of all operations that were fused into it.
#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinOps.h>

#include <llvm/ADT/DenseMap.h>

#include <optional>
#include <string>

namespace kgen {

constexpr llvm::StringLiteral decisionsAttrName = "kgen.decisions";

/// From now on passes record; without this call they don't, and leave no trace in the code.
void startDecisions(mlir::ModuleOp module);
/// All decisions of the module and its functions in the order in which they were made; they are
/// removed.
llvm::SmallVector<mlir::DictionaryAttr> takeDecisions(mlir::ModuleOp module);

/// The node names in a location, in order, each once.
llvm::SmallVector<mlir::StringAttr> namesIn(mlir::Location loc);
/// The operation's own location together with those of everything in its regions: upstream's
/// fusion of elementwise operations keeps a producer's location only there.
mlir::Location gatherLocation(mlir::Operation *op);

/// Marks an operation as auxiliary to its nodes, with what it is for ("pack").
mlir::Location withPurpose(mlir::Location loc, llvm::StringRef purpose);
llvm::StringRef purposeOf(mlir::Location loc); ///< empty: the nodes' own work
/// Numbers an operation that does a graph's work, so that decisions about it can be grouped.
mlir::Location withOpId(mlir::Location loc, int64_t id);
std::optional<int64_t> opIdOf(mlir::Location loc); ///< nothing: not numbered

/// The named details of a decision.
class Details {
public:
  explicit Details(mlir::MLIRContext *context) : builder(context) {}
  Details &set(llvm::StringRef name, mlir::Attribute value) {
    list.set(name, value);
    return *this;
  }
  Details &set(llvm::StringRef name, llvm::StringRef value) {
    return set(name, builder.getStringAttr(value));
  }
  Details &set(llvm::StringRef name, const char *value) {
    return set(name, llvm::StringRef(value));
  }
  Details &set(llvm::StringRef name, int64_t value) {
    return set(name, builder.getI64IntegerAttr(value));
  }
  Details &set(llvm::StringRef name, double value) {
    return set(name, builder.getF64FloatAttr(value));
  }
  Details &set(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    return set(name, builder.getDenseI64ArrayAttr(values));
  }
  Details &setNames(llvm::StringRef name, mlir::Location loc) {
    llvm::SmallVector<mlir::StringAttr> names = namesIn(loc);
    return set(name, builder.getArrayAttr({names.begin(), names.end()}));
  }
  mlir::DictionaryAttr get() const { return list.getDictionary(builder.getContext()); }

private:
  mlir::Builder builder;
  mlir::NamedAttrList list;
};

/// The decisions of one run of a pass on `root`. The destructor appends them to the attribute of
/// `root`. Does nothing unless startDecisions was called.
class DecisionLog {
public:
  DecisionLog(mlir::Operation *root, llvm::StringRef pass);
  ~DecisionLog();
  DecisionLog(const DecisionLog &) = delete;
  DecisionLog &operator=(const DecisionLog &) = delete;

  bool isOn() const { return on; }
  Details details() const { return Details(root->getContext()); }
  void add(llvm::StringRef kind, mlir::Location nodes, const Details &details);

private:
  mlir::Operation *root;
  llvm::StringRef pass;
  bool on;
  llvm::SmallVector<mlir::Attribute> decisions;
};

/// Records preparations of values for their users: from the second time on, as "repeated", that the
/// same value is prepared again.
class RepeatedWork {
public:
  explicit RepeatedWork(DecisionLog &log) : log(log) {}

  /// `value`, of that many bytes, becomes `form` for one user alone; `what` is done to it
  /// ("packed").
  void add(mlir::Value value, mlir::Location user, llvm::StringRef what, llvm::StringRef form,
           int64_t bytes);

private:
  struct Made {
    mlir::Location user;
    std::string form;
  };

  DecisionLog &log;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Made>> made;
};

} // namespace kgen
