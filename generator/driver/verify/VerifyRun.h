// One call of a graph's function on given inputs. Private to `kgen verify`.
#pragma once

#include "driver/run/GraphCall.h"
#include "driver/verify/GivenValues.h"
#include "driver/verify/Verify.h"

namespace kgen {

/// Calls the function of `graph` on the inputs of `values`.
llvm::Expected<GraphCall> callOn(const GivenValues &values, const GraphInterface &graph,
                                 const std::string &symbol, const std::string &target,
                                 CodeReference code);

/// Reports why a function could not be called: a RequestError is the user's, any other a defect.
GenerateStatus reportError(const VerifyOptions &options, llvm::Error error,
                           Diagnostics &diagnostics);

/// Compares a tensor with the bytes that are expected of it.
VerifiedTensor compareTensor(const TensorInterface &tensor, const void *bytes, const void *expected,
                             const Tolerance &tolerance);

/// The graph whose results are verified: the only one, or that of the options.
std::optional<std::string> chooseGraph(const VerifyOptions &options,
                                       const std::vector<std::string> &names,
                                       Diagnostics &diagnostics);

/// Compares the results of all nodes of a library that has one graph; see VerifyReport::nodes.
GenerateStatus verifyNodes(const VerifyOptions &options, const LoadedLibrary &library,
                           const GivenValues &values, ElementType precision, VerifyReport &report,
                           Diagnostics &diagnostics);

/// Verifies a generated library.
GenerateStatus verifyFolder(const VerifyOptions &options, VerifyReport &report,
                            Diagnostics &diagnostics);

/// Compares the outputs of one function with the given ones.
VerifiedRun verifyOutputs(const std::string &variant, const GivenValues &values, GraphCall &call,
                          const GraphInterface &graph, ElementType precision,
                          const ToleranceOptions &tolerance);

} // namespace kgen
