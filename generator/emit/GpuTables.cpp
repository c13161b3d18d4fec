// The tables of <library>_gpu.c: kernels as words, weights, and what each launch reads and writes.
#include "emit/Gpu.h"
#include "emit/GpuLayout.h"
#include "emit/Template.h"
#include "emit/VersionChoice.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Endian.h>

#include <cassert>
#include <set>

namespace kgen {
namespace {

constexpr char targetTemplate[] = R"(
  {@name@, @driver@, @module@, @capability@,
   {@features@},
   @weight_bytes@, @tensor_offset@, @memory_bytes@,
   @kernels@, @weights@, @bindings@, @launches@, @tensors@, @graphs@, @cpu_tensors@, @cpu_steps@,
   @counts@, @host_bytes@},
)";

/// A table of a target: its rows, or NULL where it has none.
class Table {
public:
  Table(std::string type, const std::string &name, size_t target)
      : type(std::move(type)), name("kgenrt_" + name + "_" + std::to_string(target)) {}

  void add(const std::string &row, const std::string &note = "") {
    rows += "  {" + row + "}," + (note.empty() ? "" : " /* " + inComment(note) + " */") + "\n";
    ++count;
  }
  std::string declaration() const {
    return count == 0 ? ""
                      : "static const struct " + type + " " + name + "[] = {\n" + rows + "};\n";
  }
  std::string pointer() const { return count == 0 ? "NULL" : name; }
  size_t size() const { return count; }

private:
  std::string type, name, rows;
  size_t count = 0;
};

std::string number(int64_t value) { return std::to_string(value); }

std::string threeNumbers(const std::array<int64_t, 3> &values) {
  return "{" + number(values[0]) + ", " + number(values[1]) + ", " + number(values[2]) + "}";
}

/// An array of 32-bit words with the bytes, as all machines with such cards have them in memory.
std::string words(const std::string &name, llvm::StringRef bytes) {
  std::string text = "static const uint32_t " + name + "[] = {";
  for (size_t i = 0; i < bytes.size(); i += 4) {
    std::array<char, 4> word{};
    llvm::copy(bytes.substr(i, 4), word.begin());
    text += i % 32 == 0 ? "\n  " : " ";
    text += "0x" + llvm::utohexstr(llvm::support::endian::read32le(word.data()), true) + ",";
  }
  return text + "\n};\n";
}

size_t bindingCount(const GpuTargetInterface &target, size_t kernel) {
  for (const GpuGraph &graph : target.graphs)
    for (const GpuLaunch &launch : graph.launches)
      if (launch.kernel == kernel)
        return launch.bindings.size();
  return 0;
}

std::string featureList(const GpuFeatures &f) {
  return llvm::join(
      std::vector<std::string>{
          number(f.usesFloat16), number(f.usesFloat64), number(f.usesInt8), number(f.usesInt16),
          number(f.usesInt64), number(f.stores8Bits), number(f.stores16Bits), number(f.sharedBytes),
          "{" + number(f.keepsSpecials[0]) + ", " + number(f.keepsSpecials[1]) + ", " +
              number(f.keepsSpecials[2]) + "}"},
      ", ");
}

/// The tables of one target.
struct TargetTables {
  TargetTables(const LibraryInterface &library, size_t index)
      : library(library), target(library.gpus[index]), index(index),
        layout(layOutGpuMemory(library, target)), kernels("kgenrt_kernel", "kernels", index),
        weights("kgenrt_weight", "weights", index), bindings("kgenrt_binding", "bindings", index),
        launches("kgenrt_launch", "launches", index), tensors("kgenrt_tensor", "tensors", index),
        graphs("kgenrt_graph", "graphs", index),
        cpuTensors("kgenrt_cpu_tensor", "cpu_tensors", index),
        cpuSteps("kgenrt_cpu_step", "cpu_steps", index) {
    addKernels();
    for (size_t i = 0; i < target.weights.size(); ++i)
      weights.add(target.weights[i].symbol + ", " + number(layout.weights[i].offset) + ", " +
                  number(target.weights[i].bytes));
    for (size_t i = 0; i < library.graphs.size(); ++i)
      addGraph(i);
  }

  std::string declarations() const {
    return code + kernels.declaration() + weights.declaration() + bindings.declaration() +
           launches.declaration() + tensors.declaration() + graphs.declaration() +
           cpuTensors.declaration() + cpuSteps.declaration();
  }

  std::string row() const {
    const bool isCuda = target.api == GpuApi::cuda;
    const std::vector<std::string> counts = {number(kernels.size()),  number(weights.size()),
                                             number(bindings.size()), number(launches.size()),
                                             number(graphs.size()),   number(cpuSteps.size())};
    return fillTemplate(targetTemplate,
                        {{"name", cString(target.target)},
                         {"driver", isCuda ? "&kgenrt_cuda_driver" : "&kgenrt_vulkan_driver"},
                         {"module", isCuda ? moduleName() : "NULL"},
                         {"capability", number(target.majorCapability)},
                         {"features", featureList(target.features)},
                         {"weight_bytes", number(layout.workspaceOffset)},
                         {"tensor_offset", number(layout.tensorOffset)},
                         {"memory_bytes", number(layout.memoryBytes)},
                         {"kernels", kernels.pointer()},
                         {"weights", weights.pointer()},
                         {"bindings", bindings.pointer()},
                         {"launches", launches.pointer()},
                         {"tensors", tensors.pointer()},
                         {"graphs", graphs.pointer()},
                         {"cpu_tensors", cpuTensors.pointer()},
                         {"cpu_steps", cpuSteps.pointer()},
                         {"host_bytes", number(layout.hostBytes)},
                         {"counts", llvm::join(counts, ", ")}});
  }

private:
  std::string moduleName() const { return "kgenrt_module_" + number(index); }

  void addKernels() {
    if (target.api == GpuApi::cuda)
      code += words(moduleName(), target.module + std::string(4, '\0'));
    for (size_t i = 0; i < target.kernels.size(); ++i) {
      const GpuKernel &kernel = target.kernels[i];
      std::string name = "NULL", bytes = "0";
      if (target.api == GpuApi::vulkan) {
        assert(!kernel.code.empty() && kernel.code.size() % 4 == 0);
        name = "kgenrt_code_" + number(index) + "_" + number(i);
        bytes = "sizeof " + name;
        code += "/* " + inComment(kernel.name) + " */\n" + words(name, kernel.code);
      }
      kernels.add(cString(kernel.name) + ", " + name + ", " + bytes + ", " +
                  number(bindingCount(target, i)) + ", " + threeNumbers(kernel.threads));
    }
  }

  void addGraph(size_t at) {
    const GraphInterface &graph = library.graphs[at];
    const GpuGraph &code = gpuGraphNamed(target, graph.name);
    const std::vector<bool> waits = waitingLaunches(layout, library, target, at);
    const size_t firstLaunch = launches.size(), firstTensor = tensors.size(),
                 firstStep = cpuSteps.size();
    for (size_t i = 0; i < code.launches.size(); ++i)
      addLaunch(at, code.launches[i], waits[i]);
    for (const GpuCpuStep &step : code.cpuSteps)
      addCpuStep(at, step, firstLaunch);
    for (size_t i = 0; i < layout.tensors[at].size(); ++i) {
      const bool isInput = i < graph.inputs.size();
      const TensorInterface &tensor =
          isInput ? graph.inputs[i] : graph.outputs[i - graph.inputs.size()];
      tensors.add(number(layout.tensors[at][i].offset) + ", " + number(layout.tensors[at][i].bytes),
                  graph.name + ": " + tensor.name);
    }
    graphs.add(cString(graph.name) + ", " + number(firstLaunch) + ", " +
               number(code.launches.size()) + ", " + number(firstTensor) + ", " +
               number(graph.inputs.size()) + ", " + number(graph.outputs.size()) + ", " +
               number(firstStep) + ", " + number(code.cpuSteps.size()));
  }

  void addCpuStep(size_t graph, const GpuCpuStep &step, size_t firstLaunch) {
    const GraphInterface &function = library.cpuFunctions[step.function];
    const std::vector<GpuRange> host = hostRanges(library, step);
    cpuSteps.add("kgenrt_cpu_" + number(step.function) + ", " + number(firstLaunch + step.launch) +
                     ", " + number(cpuTensors.size()) + ", " + number(function.inputs.size()) +
                     ", " + number(function.outputs.size()) + ", " + number(host.back().offset),
                 function.name);
    for (auto [binding, range] : llvm::zip_first(step.bindings, host))
      cpuTensors.add("{" + bindingRow(graph, binding, binding.bytes) + "}, " +
                     number(range.offset));
  }

  void addLaunch(size_t graph, const GpuLaunch &launch, bool waits) {
    assert(launch.bindings.size() == bindingCount(target, launch.kernel) &&
           "all launches of a kernel have as many arguments");
    launches.add(number(launch.kernel) + ", " + number(waits) + ", " + number(bindings.size()) +
                     ", " + threeNumbers(launch.blocks),
                 launch.node);
    for (const GpuBinding &binding : launch.bindings)
      bindings.add(
          bindingRow(graph, binding, rangeOfBinding(layout, library, graph, binding).bytes));
  }

  std::string bindingRow(size_t graph, const GpuBinding &binding, int64_t bytes) const {
    const GpuRange range = rangeOfBinding(layout, library, graph, binding);
    int64_t tensor = 0;
    if (binding.memory == GpuMemory::input)
      tensor = 1 + binding.number;
    else if (binding.memory == GpuMemory::output)
      tensor = 1 + static_cast<int64_t>(library.graphs[graph].inputs.size()) + binding.number;
    return number(tensor) + ", " + number(tensor == 0 ? range.offset : binding.offset) + ", " +
           number(bytes);
  }

  const LibraryInterface &library;
  const GpuTargetInterface &target;
  const size_t index;
  const GpuLayout layout;
  std::string code;
  Table kernels, weights, bindings, launches, tensors, graphs, cpuTensors, cpuSteps;
};

/// Functions of the CPU's as the tables have them, for the variant that was chosen.
std::string cpuFunctions(const LibraryInterface &library) {
  std::string text;
  for (size_t i = 0; i < library.cpuFunctions.size(); ++i) {
    const GraphInterface &function = library.cpuFunctions[i];
    std::string arguments, cases;
    for (size_t t = 0; t < function.inputs.size() + function.outputs.size(); ++t)
      arguments += "(void *)(host + tensors[" + number(t) + "].host), ";
    for (const auto &[index, variant] : llvm::enumerate(variantsByRank(library))) {
      const std::string symbol = kernelSymbol(library.name, function.name, variant.target);
      text += std::string(returnType(function)) + " " + symbol + "(" +
              kernelParameterTypes(library, function) +
              ") __attribute__((visibility(\"hidden\")));\n";
      const std::string call = symbol + "(" + arguments + "workspace, NULL)";
      cases += "  case " + number(static_cast<int64_t>(index)) + ":\n    " +
               (function.calls.empty() ? call + ";\n    return 0;\n" : "return " + call + ";\n");
    }
    text += "static int kgenrt_cpu_" + number(static_cast<int64_t>(i)) +
            "(uint32_t variant, const struct kgenrt_cpu_tensor *tensors, unsigned char *host,\n"
            "                        unsigned char *workspace) {\n"
            "  (void)tensors;\n"
            "  switch (variant) {\n" +
            cases + "  }\n  return 1;\n}\n";
  }
  return text;
}

/// Weights are defined by objects of the folder; targets share them.
std::string weightDeclarations(const LibraryInterface &library) {
  std::set<std::string> symbols;
  for (const GpuTargetInterface &target : library.gpus)
    for (const GpuWeight &weight : target.weights)
      symbols.insert(weight.symbol);
  std::string text;
  for (const std::string &symbol : symbols)
    text +=
        "extern const unsigned char " + symbol + "[] __attribute__((visibility(\"hidden\")));\n";
  return text;
}

} // namespace

std::string gpuTables(const LibraryInterface &library) {
  std::string text = weightDeclarations(library) + cpuFunctions(library), rows;
  for (size_t i = 0; i < library.gpus.size(); ++i) {
    const TargetTables tables(library, i);
    text += tables.declarations();
    rows += tables.row();
  }
  return text + "static const struct kgenrt_gpu_target kgenrt_targets[] = {\n" + rows + "};\n";
}

} // namespace kgen
