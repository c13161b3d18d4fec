// Calls of a graph's function on given inputs, and their results. Private to `kgen verify`.
#pragma once

#include "driver/run/GpuProgram.h"
#include "driver/verify/FrameCalls.h"
#include "driver/verify/Verify.h"

namespace kgen {

/// Reports why a function could not be called: a RequestError is the user's, any other a defect.
GenerateStatus reportError(const VerifyOptions &options, llvm::Error error,
                           Diagnostics &diagnostics);

/// Compares a tensor with the bytes that are expected of it.
VerifiedTensor compareTensor(const TensorInterface &tensor, const void *bytes, const void *expected,
                             const Tolerance &tolerance);
/// Appends a call's tensor to those of the calls before, at its place among the run's.
void addTensor(VerifiedRun &run, size_t place, VerifiedTensor tensor, std::optional<int64_t> frames,
               int64_t frame);

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

/// A variant that is called on frames, and what has been compared.
struct VerifiedCalls {
  FrameCalls calls;
  VerifiedRun run;
};

/// Appends the code for graphics cards that runs here. `gpus` must outlive the calls.
llvm::Error addGpus(const RunnableGpus &gpus, const GivenValues &values,
                    const GraphInterface &graph, std::vector<VerifiedCalls> &variants);

/// Calls all variants on one frame after another and compares their outputs with the given ones,
/// those that are not given with plain loops, which are the first variant if they are there.
llvm::Error verifyOutputs(std::vector<VerifiedCalls> &variants, const GivenValues &values,
                          const GraphInterface &graph, ElementType precision,
                          const VerifyOptions &options);

} // namespace kgen
