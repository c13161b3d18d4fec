#include "driver/bench/Bench.h"

#include "driver/bench/GpuLines.h"
#include "driver/bench/TimedCall.h"
#include "driver/verify/ResultCheck.h"
#include "measure/Bandwidth.h"
#include "measure/Clock.h"
#include "measure/Peak.h"
#include "target/HostCpu.h"

#include <llvm/ADT/STLExtras.h>

#include <fmt/format.h>

namespace kgen {
namespace {

constexpr size_t bandwidthReadings = 3, minReadings = 3;

const PeakInstruction *findInstruction(const std::string &name) {
  for (const PeakInstruction &instruction : hostCpu().peakInstructions())
    if (instruction.name == name)
      return &instruction;
  return nullptr;
}

/// The instruction that the code's contractions use, by its machine code; empty: not known.
std::string instructionOf(const Part &part, const GraphWork &work) {
  std::string found;
  for (const PeakInstruction &instruction : hostCpu().peakInstructions())
    for (const auto &[key, count] : part.vectorInstructions) {
      llvm::StringRef mnemonic = key.first;
      if (key.second == instruction.bits &&
          llvm::is_contained(instruction.types, work.mainType()) &&
          mnemonic.starts_with(instruction.begin) && mnemonic.ends_with(instruction.end) &&
          hostSupports({instruction.features.begin(), instruction.features.end()}))
        found = instruction.name;
    }
  return found;
}

class Bench {
public:
  Bench(const BenchOptions &options, const BenchSubject &subject, BenchReport &report)
      : options(options), subject(subject), report(report) {
    for (unsigned threads : options.threads)
      pools.emplace_back(threads);
  }

  llvm::Error run();

private:
  struct Variant {
    const Part *part;
    std::unique_ptr<GraphCall> call;
  };

  /// A graph as it is measured: at its sizes, if it is given some.
  struct Case {
    GraphInterface graph;
    SizeValues sizes;
    const GenerateResult *reference;
    CodeReference code; ///< of the reference
    const GraphWork *work;
    SizeValues counts{}; ///< that states begin with
    SizeValues held{};   ///< that states begin with which hold some of the sizes

    SizeValues begun() const { return both(counts, held); }
    SizeValues shown() const { return both(sizes, counts); } ///< as results name it
    static SizeValues both(SizeValues all, const SizeValues &others) {
      all.insert(others.begin(), others.end());
      return all;
    }
  };

  llvm::Error measureGraph(const GraphInterface &graph);
  llvm::Error measureCounts(Case one);
  llvm::Error measureCase(const Case &one);
  llvm::Expected<std::vector<Variant>> variantsOf(const Case &one);
  llvm::Expected<bool> isRight(const Case &one, const std::string &target, GraphCall &call,
                               CodeReference code, const ResultCheck &check,
                               const std::vector<ThreadPool> &others);
  llvm::Error measureOnGpus(const Case &one, const ResultCheck &check);
  llvm::Error addSubjects(const Case &one, const Variant &variant);
  void measure(const std::string &what);
  void measureRound();
  llvm::Error measureSteps(const Case &one);
  BenchPeak &peak(std::vector<BenchPeak> &list, const std::string &name, unsigned threads);
  void measureBandwidths();
  void progress(const std::string &what) {
    if (options.progress)
      options.progress(std::min(1.0, done / std::max(1.0, total)), what);
  }

  const BenchOptions &options;
  const BenchSubject &subject;
  BenchReport &report;
  std::vector<ThreadPool> pools;
  std::unique_ptr<CallableCode> code, reference;
  RunnableGpus gpus;
  std::unique_ptr<SteppedCode> stepped; ///< if the steps are requested
  std::vector<TimedCall> subjects;      ///< of the graph that is being measured
  double done = 0, total = 1;           ///< lines
};

llvm::Expected<std::vector<Bench::Variant>> Bench::variantsOf(const Case &one) {
  std::vector<Variant> variants;
  for (const Part &part : subject.library.parts) {
    if (subject.isForGpusOnly || part.graph != one.graph.name ||
        part.sizes != compiledSizes(subject.library, part.graph, one.sizes))
      continue;
    llvm::Expected<GraphCall> call =
        callOf(subject.library, part.graph, part.target, *code, one.sizes, one.begun());
    if (!call)
      return call.takeError();
    variants.push_back({&part, std::make_unique<GraphCall>(std::move(*call))});
  }
  return variants;
}

llvm::Expected<bool> Bench::isRight(const Case &one, const std::string &target, GraphCall &call,
                                    CodeReference code, const ResultCheck &check,
                                    const std::vector<ThreadPool> &others) {
  llvm::Expected<GraphCall> parallel =
      callOf(subject.library, one.graph.name, target, code, one.sizes, one.begun());
  if (!parallel)
    return parallel.takeError();
  llvm::Expected<std::vector<std::string>> complaints = check.complaints(call, *parallel, others);
  if (!complaints)
    return complaints.takeError();
  for (const std::string &line : *complaints)
    report.wrongResults.push_back(one.graph.name + " in " + target + atText(one.shown()) + ", " +
                                  line);
  if (options.check)
    report.checked.push_back({one.graph.name, target, one.shown(), complaints->empty(),
                              CodeReference(code).loaded || options.machine});
  return complaints->empty();
}

/// Code for graphics cards has no threads of its own: it is called twice.
llvm::Error Bench::measureOnGpus(const Case &one, const ResultCheck &check) {
  std::vector<ThreadPool> again;
  again.emplace_back(1);
  for (const RunnableGpus::Target &target : gpus.targets) {
    progress(one.graph.name + " on " + target.device);
    llvm::Expected<GraphCall> call =
        callOf(subject.library, one.graph.name, target.name, *gpus.program, one.sizes, one.begun());
    if (!call)
      return call.takeError();
    llvm::Expected<bool> right = isRight(one, target.name, *call, *gpus.program, check, again);
    if (!right)
      return right.takeError();
    if (!*right || options.check)
      continue;
    call->fill(0);
    llvm::Expected<std::vector<BenchLine>> lines =
        measureOnGpu(*gpus.program, subject.library.library, one.graph, target, *call, options);
    if (!lines)
      return lines.takeError();
    for (BenchLine &line : *lines) {
      line.flops = one.work->total();
      report.lines.push_back(std::move(line));
    }
    done += 1;
  }
  return llvm::Error::success();
}

llvm::Error Bench::addSubjects(const Case &one, const Variant &variant) {
  TimedCall made{variant.call.get(), nullptr, {}, {}, 1};
  for (const std::string &symbol : variant.part->weights) {
    llvm::Expected<const void *> address = CodeReference(*code).loaded->address(symbol);
    if (!address)
      return address.takeError();
    made.weights.push_back({*address, subject.library.weightSizes.at(symbol)});
    made.line.bytes += subject.library.weightSizes.at(symbol);
  }
  for (const auto *tensors : {&one.graph.inputs, &one.graph.outputs})
    for (const TensorInterface &tensor : *tensors)
      made.line.bytes += tensor.type.byteCount();
  made.line.graph = one.graph.name;
  made.line.variant = variant.part->target;
  made.line.sizes = one.shown();
  made.line.flops = one.work->total();
  made.line.instruction = instructionOf(*variant.part, *one.work);
  for (const ThreadPool &pool : pools)
    for (bool cold : {false, true}) {
      if (!(cold ? options.cold : options.hot))
        continue;
      made.pool = &pool;
      made.line.threads = pool.threads();
      made.line.cold = cold;
      subjects.push_back(made);
    }
  return llvm::Error::success();
}

BenchPeak &Bench::peak(std::vector<BenchPeak> &list, const std::string &name, unsigned threads) {
  for (BenchPeak &known : list)
    if (known.name == name && known.threads == threads)
      return known;
  return list.emplace_back(BenchPeak{name, threads, {}});
}

/// A reading of every line, each beside one of its peak: the clock of a CPU changes from second to
/// second.
void Bench::measureRound() {
  for (TimedCall &each : subjects) {
    double seconds = each.reading();
    each.line.seconds.add(seconds);
    const PeakInstruction *instruction = findInstruction(each.line.instruction);
    if (!instruction)
      continue;
    double rate = peakRate(*instruction, *each.pool);
    peak(report.peaks, each.line.instruction, each.line.threads).rate.add(rate);
    each.line.fraction.add(static_cast<double>(each.line.flops) * 1e-9 / seconds / rate);
  }
}

void Bench::measureBandwidths() {
  for (const ThreadPool &pool : pools)
    for (MemoryLevel level : memoryLevels) {
      Bandwidth bandwidth(level, pool);
      for (size_t i = 0; i < bandwidthReadings; ++i)
        for (BandwidthKind kind : {BandwidthKind::reads, BandwidthKind::triad})
          if (std::optional<double> rate = bandwidth.measure(kind))
            peak(report.bandwidths, bandwidthName(level, kind), pool.threads()).rate.add(*rate);
    }
}

void Bench::measure(const std::string &what) {
  for (TimedCall &each : subjects)
    each.calibrate();
  double lines = static_cast<double>(subjects.size()), begin = wallSeconds(),
         limit = options.seconds * lines, before = done;
  for (size_t round = 0; round < minReadings || wallSeconds() - begin < limit; ++round) {
    done = before + lines * std::min(1.0, (wallSeconds() - begin) / limit);
    progress(what);
    measureRound();
  }
  done = before + lines;
  for (TimedCall &each : subjects)
    if (options.latency && !each.line.cold)
      each.measureLatency();
  for (TimedCall &each : subjects)
    report.lines.push_back(std::move(each.line));
}

/// The work that is counted on the plain loops, whose sizes are numbers.
const GraphWork *workOf(const GenerateResult &reference, const std::string &graph) {
  for (const Part &part : reference.parts)
    if (part.graph == graph)
      return &part.work;
  return nullptr;
}

llvm::Error Bench::measureGraph(const GraphInterface &graph) {
  if (graph.dims.empty())
    return measureCounts(
        {graph, {}, &subject.reference, *reference, workOf(subject.reference, graph.name)});
  for (const SizedReference &sized : subject.sized) {
    if (sized.graph != graph.name)
      continue;
    llvm::Expected<CallableCode> plain = callableCode(sized.plain, options.machine.get());
    if (!plain)
      return plain.takeError();
    if (llvm::Error error = measureCounts({atSizes(graph, sized.sizes),
                                           sized.sizes,
                                           &sized.plain,
                                           *plain,
                                           workOf(sized.plain, graph.name),
                                           {},
                                           sized.counts}))
      return error;
  }
  return llvm::Error::success();
}

/// All combinations of what the states that the graph reads begin with.
llvm::Error Bench::measureCounts(Case one) {
  for (const auto &[state, numbers] : subject.counts) {
    bool isRead = llvm::any_of(one.graph.inputs, [&, name = state](const TensorInterface &input) {
      return input.state == name;
    });
    if (!isRead || one.counts.count(state))
      continue;
    for (int64_t number : numbers) {
      one.counts[state] = number;
      if (llvm::Error error = measureCounts(one))
        return error;
    }
    return llvm::Error::success();
  }
  return measureCase(one);
}

llvm::Error Bench::measureCase(const Case &one) {
  std::string name = one.graph.name + atText(one.shown());
  progress("checking " + name);
  llvm::Expected<ResultCheck> check =
      ResultCheck::make(*one.reference, one.graph.name, one.code, one.begun());
  if (!check)
    return check.takeError();
  llvm::Expected<std::vector<Variant>> variants = variantsOf(one);
  if (!variants)
    return variants.takeError();
  subjects.clear();
  for (Variant &variant : *variants) {
    llvm::Expected<bool> right =
        isRight(one, variant.part->target, *variant.call, *code, *check, pools);
    if (!right)
      return right.takeError();
    if (!*right || options.check)
      continue;
    variant.call->fill(0);
    if (llvm::Error error = addSubjects(one, variant))
      return error;
  }
  if (!subjects.empty())
    measure("measuring " + name);
  if (llvm::Error error = measureOnGpus(one, *check))
    return error;
  return stepped ? measureSteps(one) : llvm::Error::success();
}

llvm::Error Bench::measureSteps(const Case &one) {
  for (BenchLine &line : report.lines) {
    if (line.graph != one.graph.name || line.sizes != one.shown() || line.cold ||
        !line.device.empty())
      continue;
    progress("steps of " + line.graph);
    auto pool = llvm::find_if(
        pools, [&](const ThreadPool &each) { return each.threads() == line.threads; });
    llvm::Expected<std::vector<StepTime>> steps =
        stepped->measure(line.graph, line.variant, *pool, options.seconds, one.sizes, one.begun());
    if (!steps)
      return steps.takeError();
    line.steps = std::move(*steps);
  }
  return llvm::Error::success();
}

llvm::Error Bench::run() {
  for (auto [result, slot] :
       {std::pair(&subject.library, &code), std::pair(&subject.reference, &reference)}) {
    if (result->parts.empty()) // of graphs that are given sizes, references are elsewhere
      continue;
    llvm::Expected<CallableCode> loaded = callableCode(*result, options.machine.get());
    if (!loaded)
      return loaded.takeError();
    *slot = std::make_unique<CallableCode>(std::move(*loaded));
  }
  llvm::Expected<RunnableGpus> found =
      RunnableGpus::find(subject.library.library, subject.library.files,
                         subject.library.linked.get(), subject.isForGpusOnly, report.notes);
  if (!found)
    return found.takeError();
  gpus = std::move(*found);
  if (options.steps) {
    llvm::Expected<SteppedCode> loaded = SteppedCode::load(subject.stepped);
    if (!loaded)
      return loaded.takeError();
    stepped = std::make_unique<SteppedCode>(std::move(*loaded));
  }
  report.library = subject.library.library.name;
  report.cpu = options.machine ? options.machine->name() : hostCpu().name();
  size_t cases = 0;
  for (const Part &part : subject.library.parts)
    cases += std::max<size_t>(1, llvm::count_if(subject.sized, [&](const SizedReference &sized) {
                                return sized.graph == part.graph;
                              }));
  total = static_cast<double>(cases * pools.size() * (options.hot + options.cold) +
                              gpus.targets.size() * subject.library.library.graphs.size());
  for (const GraphInterface &graph : subject.library.library.graphs)
    if (llvm::Error error = measureGraph(graph))
      return error;
  if (llvm::any_of(report.lines, [](const BenchLine &line) { return line.device.empty(); }))
    measureBandwidths();
  return llvm::Error::success();
}

} // namespace

llvm::Error runBench(const BenchOptions &options, const BenchSubject &subject,
                     BenchReport &report) {
  return Bench(options, subject, report).run();
}

} // namespace kgen
