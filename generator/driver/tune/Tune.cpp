#include "driver/tune/Tune.h"

#include "driver/run/RunnableVariants.h"
#include "driver/tune/TuneCandidates.h"
#include "driver/tune/TuneCases.h"
#include "driver/verify/ResultCheck.h"
#include "measure/Clock.h"
#include "measure/Series.h"
#include "target/HostCpu.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <fmt/format.h>

#include <cmath>

namespace kgen {
namespace {

/// Least speedup that counts as a change; smaller ones are noise.
constexpr double worthChanging = 1.01;
constexpr double hopeless = 0.9; ///< this slow in the first rounds: no more rounds
constexpr size_t firstRounds = 3;
constexpr double shortestReading = 100e-6;

/// The library compiled for one target with some choices.
struct Contestant {
  TargetSpec target;
  GenerateResult result;
  std::unique_ptr<LoadedCode> code;
  std::vector<std::unique_ptr<GraphCall>> calls; ///< of each case

  /// Returns what the call of a case runs.
  const std::string &codeOf(const TuneCase &one) const {
    const std::string part = partName(one.graph, compiledSizes(result, one.graph, one.sizes));
    return result.files.at(objectPath(part, target.name.value, ObjectKind::object)).text();
  }
};

class Tuner {
public:
  Tuner(const TuneOptions &options, const LoadedLibrary &library,
        const std::vector<TuneCase> &cases, TunedTarget &tuned,
        std::function<void(double, const std::string &)> progress)
      : options(options), library(library), cases(cases), tuned(tuned),
        progress(std::move(progress)) {}

  llvm::Error run();

private:
  llvm::Expected<std::shared_ptr<Contestant>> compile(const TargetSpec &target,
                                                      Diagnostics &diagnostics);
  llvm::Expected<bool> isRight(Contestant &contestant, const std::string &what);
  llvm::Error tryStage(const TuneStage &stage);
  llvm::Error tryCandidate(const TuneCandidate &candidate);
  llvm::Error makeChecks();
  llvm::Error begin();
  double compareCase(size_t index, Contestant &before, Contestant &after, double seconds);
  double compare(Contestant &candidate, double seconds);
  double timeOf(size_t index, Contestant &who);
  bool isOver() const { return wallSeconds() - started >= options.seconds; }
  void adopt(std::shared_ptr<Contestant> winner, const std::string &kind, double ratio);
  void finish(Contestant &original);

  const TuneOptions &options;
  const LoadedLibrary &library; ///< with this target only
  const std::vector<TuneCase> &cases;
  TunedTarget &tuned;
  std::function<void(double, const std::string &)> progress;
  std::vector<ResultCheck> checks; ///< of each case
  std::shared_ptr<Contestant> best;
  std::map<std::string, double> ratios; ///< of each kind's changes
  std::set<std::string> known;          ///< targets that have been tried
  double started = wallSeconds();
};

/// Null with diagnostics where the target's choices cannot be compiled.
llvm::Expected<std::shared_ptr<Contestant>> Tuner::compile(const TargetSpec &target,
                                                           Diagnostics &diagnostics) {
  auto made = std::make_shared<Contestant>();
  made->target = target;
  LoadedLibrary part = library;
  part.targets = {target};
  GenerateOptions generate;
  generate.specPath = options.specPath;
  if (generateLibrary(generate, part, made->result, diagnostics) != GenerateStatus::ok)
    return std::shared_ptr<Contestant>();
  llvm::Expected<LoadedCode> code = loadCode(made->result);
  if (!code)
    return code.takeError();
  made->code = std::make_unique<LoadedCode>(std::move(*code));
  for (const TuneCase &one : cases) {
    llvm::Expected<GraphCall> call =
        callOf(made->result, one.graph, target.name.value, *made->code, one.sizes, one.counts);
    if (!call)
      return call.takeError();
    made->calls.push_back(std::make_unique<GraphCall>(std::move(*call)));
  }
  return made;
}

llvm::Error Tuner::makeChecks() {
  for (const TuneCase &one : cases) {
    llvm::Expected<ResultCheck> check =
        ResultCheck::make(*one.reference, one.graph, *one.code, one.counts);
    if (!check)
      return check.takeError();
    checks.push_back(std::move(*check));
  }
  return llvm::Error::success();
}

/// Checks the cases whose code is not the best one's.
llvm::Expected<bool> Tuner::isRight(Contestant &contestant, const std::string &what) {
  bool right = true;
  for (size_t i = 0; i < checks.size(); ++i) {
    const TuneCase &one = cases[i];
    if (best && best->codeOf(one) == contestant.codeOf(one))
      continue;
    llvm::Expected<GraphCall> again =
        callOf(contestant.result, one.graph, contestant.target.name.value, *contestant.code,
               one.sizes, one.counts);
    if (!again)
      return again.takeError();
    llvm::Expected<std::vector<std::string>> lines =
        checks[i].complaints(*contestant.calls[i], *again, {});
    if (!lines)
      return lines.takeError();
    for (const std::string &line : *lines) {
      tuned.wrongResults.push_back(fmt::format("{}: {}, {}", what, one.text(), line));
      right = false;
    }
    contestant.calls[i]->fill(0);
  }
  return right;
}

/// The speed of `after` by that of `before`, from alternating readings.
double Tuner::compareCase(size_t index, Contestant &before, Contestant &after, double seconds) {
  int64_t batch = 1;
  auto reading = [&](Contestant &who) {
    who.calls[index]->begin();
    who.calls[index]->run(); // what ran in between has used the caches, too
    double start = threadSeconds();
    for (int64_t i = 0; i < batch; ++i)
      who.calls[index]->run();
    return threadSeconds() - start;
  };
  while (std::min(reading(before), reading(after)) < shortestReading)
    batch *= 2;
  Series ratio;
  for (double start = threadSeconds();
       ratio.size() < firstRounds || threadSeconds() - start < seconds;) {
    double slower = reading(before);
    ratio.add(slower / reading(after));
    if (ratio.size() == firstRounds && ratio.quantile(1) < hopeless)
      break;
  }
  return ratio.median();
}

/// The geometric mean over all cases; those with the same code are as fast.
double Tuner::compare(Contestant &candidate, double seconds) {
  double sum = 0;
  for (size_t i = 0; i < cases.size(); ++i)
    if (best->codeOf(cases[i]) != candidate.codeOf(cases[i]))
      sum += std::log(compareCase(i, *best, candidate, seconds));
  return std::exp(sum / static_cast<double>(cases.size()));
}

void Tuner::adopt(std::shared_ptr<Contestant> winner, const std::string &kind, double ratio) {
  best = std::move(winner);
  ratios.try_emplace(kind, 1).first->second *= ratio;
}

llvm::Error Tuner::tryCandidate(const TuneCandidate &candidate) {
  constexpr double quick = 0.03, careful = 0.3;
  if (!known.insert(printTargetSpec(candidate.target, "")).second)
    return llvm::Error::success();
  std::string what = candidate.kind + " " + choiceText(candidate.target, candidate.kind);
  progress((wallSeconds() - started) / options.seconds, what);
  ++tuned.tried;
  Diagnostics refusals;
  llvm::Expected<std::shared_ptr<Contestant>> made = compile(candidate.target, refusals);
  if (!made)
    return made.takeError();
  if (!*made) {
    tuned.refusals.push_back(
        what + ": " + (refusals.hasErrors() ? refusals.errors().front().message : "no reason"));
    return llvm::Error::success();
  }
  bool isSame = llvm::all_of(
      cases, [&](const TuneCase &one) { return best->codeOf(one) == (*made)->codeOf(one); });
  if (isSame) {
    ++tuned.same;
    return llvm::Error::success();
  }
  llvm::Expected<bool> right = isRight(**made, what);
  if (!right)
    return right.takeError();
  if (!*right || compare(**made, quick) < worthChanging)
    return llvm::Error::success();
  double ratio = compare(**made, careful);
  if (ratio >= worthChanging)
    adopt(std::move(*made), candidate.kind, ratio);
  return llvm::Error::success();
}

llvm::Error Tuner::tryStage(const TuneStage &stage) {
  // The list is made anew for each candidate: it keeps what has just been adopted.
  for (size_t i = 0; i < stage(best->target).size(); ++i) {
    if (isOver()) {
      tuned.complete = false;
      break;
    }
    if (llvm::Error error = tryCandidate(stage(best->target)[i]))
      return error;
  }
  return llvm::Error::success();
}

/// The seconds of a call: the median of some readings.
double Tuner::timeOf(size_t index, Contestant &who) {
  constexpr size_t readings = 5;
  Series seconds;
  for (int64_t batch = 1; seconds.size() < readings;) {
    double start = threadSeconds();
    for (int64_t i = 0; i < batch; ++i)
      who.calls[index]->run();
    double taken = threadSeconds() - start;
    if (taken < shortestReading)
      batch *= 2;
    else
      seconds.add(taken / static_cast<double>(batch));
  }
  return seconds.median();
}

/// Collects the changes, and the ratio that they are worth together.
void Tuner::finish(Contestant &original) {
  tuned.target = best->target;
  for (const auto &[kind, ratio] : ratios)
    tuned.changes.push_back(
        {kind, choiceText(original.target, kind), choiceText(best->target, kind), ratio});
  double sum = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    bool isSame = best->codeOf(cases[i]) == original.codeOf(cases[i]);
    double ratio = isSame ? 1 : compareCase(i, original, *best, 0.3);
    tuned.graphs.push_back({cases[i].text(), ratio, timeOf(i, *best)});
    sum += std::log(ratio);
  }
  tuned.ratio = std::exp(sum / static_cast<double>(cases.size()));
}

/// The target as it is: what candidates have to beat.
llvm::Error Tuner::begin() {
  const TargetSpec &target = library.targets.front();
  tuned.target = target;
  Diagnostics diagnostics;
  llvm::Expected<std::shared_ptr<Contestant>> made = compile(target, diagnostics);
  if (!made)
    return made.takeError();
  if (!*made)
    return llvm::createStringError(diagnostics.str());
  llvm::Expected<bool> right = isRight(**made, target.name.value + " as it is");
  if (!right)
    return right.takeError();
  if (!*right)
    return llvm::createStringError(tuned.wrongResults.front());
  best = std::move(*made);
  known.insert(printTargetSpec(target, ""));
  return llvm::Error::success();
}

llvm::Error Tuner::run() {
  if (llvm::Error error = makeChecks())
    return error;
  if (llvm::Error error = begin())
    return error;
  std::shared_ptr<Contestant> original = best;
  std::set<std::string> types;
  for (const Part &part : best->result.parts)
    types.insert(part.work.factorTypes.begin(), part.work.factorTypes.end());
  std::vector<TuneStage> stages = tuneStages(types, options.heuristics);
  for (std::string before; before != printTargetSpec(best->target, "") && tuned.complete;) {
    before = printTargetSpec(best->target, "");
    for (const TuneStage &stage : stages)
      if (llvm::Error error = tryStage(stage))
        return error;
  }
  finish(*original);
  return llvm::Error::success();
}

/// True if the folder is there, or can be made as far as the folders that are there tell.
bool canBeFolder(llvm::StringRef path) {
  while (!path.empty() && !llvm::sys::fs::exists(path))
    path = llvm::sys::path::parent_path(path);
  return path.empty() || llvm::sys::fs::is_directory(path);
}

/// Chooses the files of the winners of each target; a file that is in the way is an error before
/// any work.
void choosePaths(const TuneOptions &options, const LoadedLibrary &library, TuneReport &report,
                 Diagnostics &diagnostics) {
  for (const TargetSpec &target : library.targets) {
    TunedTarget &tuned = report.targets.emplace_back();
    bool isBuiltIn = llvm::StringRef(target.path).starts_with("<");
    llvm::SmallString<256> path(options.output);
    if (path.empty())
      path = llvm::sys::path::parent_path(isBuiltIn ? options.specPath : target.path);
    llvm::sys::path::append(path, target.name.value + ".yaml");
    tuned.path = path.str();
    if (!canBeFolder(llvm::sys::path::parent_path(path)))
      diagnostics.error({tuned.path, 0, 0}, "its folder is a file, or below one",
                        "--output names a folder");
    else if (!options.force && llvm::sys::fs::exists(path))
      diagnostics.error({tuned.path, 0, 0}, "the file is there already",
                        "--force replaces it, --output writes elsewhere");
  }
}

/// Tunes target by target.
llvm::Error tuneTargets(const TuneOptions &options, const LoadedLibrary &library,
                        const References &references, TuneReport &report) {
  llvm::Expected<std::vector<TuneCase>> cases = makeCases(library, references);
  if (!cases)
    return cases.takeError();
  double count = static_cast<double>(library.targets.size());
  for (size_t i = 0; i < library.targets.size(); ++i) {
    LoadedLibrary part = library;
    part.targets = {library.targets[i]};
    const std::string &name = library.targets[i].name.value;
    auto progress = [&](double done, const std::string &what) {
      if (options.progress)
        options.progress((static_cast<double>(i) + std::min(1.0, done)) / count,
                         name + ": " + what);
    };
    Tuner tuner(options, part, *cases, report.targets[i], progress);
    if (llvm::Error error = tuner.run())
      return error;
  }
  return llvm::Error::success();
}

} // namespace

std::string tunedFile(const TuneReport &report, const TunedTarget &tuned) {
  return printTargetSpec(tuned.target, "The target " + tuned.target.name.value +
                                           ", tuned by kgen tune for the library '" +
                                           report.library + "'\non " + report.cpu + ".");
}

GenerateStatus tuneLibrary(const TuneOptions &options, TuneReport &report,
                           Diagnostics &diagnostics) {
  std::optional<LoadedLibrary> library =
      loadWhatRuns({options.specPath, options.targets, options.targetSearchPath, options.bindings,
                    options.graphs, options.link},
                   report.notes, diagnostics);
  if (!library)
    return GenerateStatus::userError;
  takeSizes(*library, options.sizes, diagnostics);
  choosePaths(options, *library, report, diagnostics);
  if (diagnostics.hasErrors())
    return GenerateStatus::userError;
  report.library = library->spec.library.value;
  report.cpu = hostCpu().name();
  References references;
  GenerateStatus status = makeReferences(options, *library, references, diagnostics);
  if (status != GenerateStatus::ok)
    return status;
  if (llvm::Error error = tuneTargets(options, *library, references, report)) {
    diagnostics.error({options.specPath, 0, 0}, llvm::toString(std::move(error)));
    return GenerateStatus::internalError;
  }
  return GenerateStatus::ok;
}

} // namespace kgen
