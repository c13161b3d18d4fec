#include "driver/generate/PartCompilation.h"

#include "driver/crash/CrashReport.h"

#include <llvm/ADT/StringExtras.h>

#include <chrono>

namespace kgen {

llvm::Error PartCompilation::run(Part &part, llvm::function_ref<llvm::Error()> step) {
  using Clock = std::chrono::steady_clock;
  if (hasFailed)
    return llvm::Error::success();
  ensureCrashStack();
  Clock::time_point start = Clock::now();
  auto runOrCatch = [&]() -> llvm::Error {
    try {
      return step();
    } catch (const std::exception &thrown) {
      graph.reset(); // the message may need its memory
      return llvm::createStringError(partName(part.graph, part.sizes) + "." + part.target + ": " +
                                     thrown.what());
    }
  };
  llvm::Error failure = runOrCatch();
  part.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return failure;
}

void PartCompilation::keep(llvm::Error failure) {
  graph.reset();
  hasFailed = true;
  isDefect = failure && !failure.isA<RequestError>();
  if (failure)
    error = llvm::toString(std::move(failure));
}

llvm::Error errorOf(llvm::ArrayRef<PartCompilation> compilations,
                    const Diagnostics &scheduleErrors) {
  std::vector<std::string> errors;
  for (const PartCompilation &one : compilations)
    if (!one.error.empty())
      errors.push_back(one.error);
  if (errors.empty() && scheduleErrors.hasErrors())
    return llvm::make_error<ScheduleErrors>(scheduleErrors.errors());
  if (errors.empty())
    return llvm::Error::success();
  std::string text = llvm::join(errors, "\n");
  if (llvm::any_of(compilations, [](const PartCompilation &one) { return one.isDefect; }))
    return llvm::createStringError(text);
  return llvm::make_error<RequestError>(text, llvm::inconvertibleErrorCode());
}

} // namespace kgen
