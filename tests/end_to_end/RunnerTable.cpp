#include "RunnerTable.h"

#include "codegen/ObjectCode.h"
#include "target/Architecture.h"

#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace kgen::tests {

namespace fs = std::filesystem;

static void writeFile(const fs::path &path, const char *bytes, size_t size) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(bytes, static_cast<std::streamsize>(size));
  if (!stream.flush())
    throw std::runtime_error("cannot write " + path.string());
}

RunnerTable::RunnerTable(fs::path folder, VariantInterface variant, std::string triple)
    : folder(fs::absolute(folder)), variant(std::move(variant)), triple(std::move(triple)) {
  if (!isForEngine())
    parts = {this->folder / "table.c"};
  if (!hasWeightObjects())
    parts.push_back(this->folder / "weights.s");
}

size_t RunnerTable::store(const void *bytes, size_t size) {
  data.resize((data.size() + 63) / 64 * 64);
  size_t offset = data.size();
  const char *begin = static_cast<const char *>(bytes);
  data.insert(data.end(), begin, begin + size);
  return offset;
}

std::string RunnerTable::tensorRow(const CaseTensor &tensor) {
  ElementType element = tensor.type.element;
  const char *kind = element == ElementType::f32    ? "RUNNER_F32"
                     : element == ElementType::f64  ? "RUNNER_F64"
                     : element == ElementType::bf16 ? "RUNNER_BF16"
                     : element == ElementType::f16  ? "RUNNER_F16"
                                                    : "RUNNER_INTEGER";
  return "{" + std::to_string(store(tensor.bytes.data(), tensor.bytes.size())) + ", " +
         std::to_string(tensor.type.elementCount()) + ", " + std::to_string(byteWidth(element)) +
         ", " + kind + "}, ";
}

void RunnerTable::addObject(const std::string &name, const CompiledCases &compiled) {
  fs::path object = folder / (name + ".o");
  writeFile(object, compiled.object.data(), compiled.object.size());
  parts.push_back(object);
  addWeights(compiled.weights);
}

void RunnerTable::addWeights(const std::vector<WeightBlob> &weights) {
  for (const auto &blob : weights) {
    auto [entry, added] = blobs.insert({blob.symbol, {blob.bytes().begin(), blob.bytes().end()}});
    if (!added && !std::equal(blob.bytes().begin(), blob.bytes().end(), entry->second.begin(),
                              entry->second.end()))
      throw std::runtime_error("two different weights are called " + blob.symbol);
  }
}

void RunnerTable::addRun(const std::string &name, const std::string &symbol,
                         const OperatorCase &operatorCase, const std::vector<size_t> &weights,
                         int64_t workspaceBytes, const std::vector<int64_t> &sizes) {
  std::string tensors;
  size_t inputs = 0;
  for (size_t i = 0; i < operatorCase.inputs.size(); ++i) {
    const CaseInput &input = operatorCase.inputs[i];
    bool constant = std::find(weights.begin(), weights.end(), i) != weights.end();
    if (input.skipped || input.sameAs >= 0 || constant)
      continue;
    tensors += tensorRow(input.tensor);
    ++inputs;
  }
  for (const CaseTensor &expected : operatorCase.expected)
    tensors += tensorRow(expected);
  std::string bounds;
  for (const std::vector<double> &bound : operatorCase.bounds)
    bounds += std::to_string(store(bound.data(), bound.size() * sizeof(double))) + ", ";
  std::string sizeList;
  for (int64_t size : sizes)
    sizeList += std::to_string(size) + ", ";
  declarations << "extern void " << symbol << "(void);\n";
  rows << "  {\"" << name << "\", (runner_function)" << symbol << ", " << workspaceBytes << ", "
       << inputs << ", " << operatorCase.expected.size() << ", {" << tensors << "}, "
       << operatorCase.ulps << ", {" << (bounds.empty() ? "0" : bounds) << "}, " << sizes.size()
       << ", {" << (sizeList.empty() ? "0" : sizeList) << "}},\n";
  // A row in JavaScript, too.
  std::replace(tensors.begin(), tensors.end(), '{', '[');
  std::replace(tensors.begin(), tensors.end(), '}', ']');
  engineRows << "  [\"" << name << "\", \"" << symbol << "\", " << workspaceBytes << ", " << inputs
             << ", [" << tensors << "], " << operatorCase.ulps << ", [" << bounds << "], ["
             << sizeList << "]],\n";
  functions.push_back(symbol);
  ++count;
}

bool RunnerTable::isForEngine() const { return llvm::Triple(triple).isWasm(); }

bool RunnerTable::hasWeightObjects() const { return !llvm::Triple(triple).isOSBinFormatELF(); }

void RunnerTable::writeWeights() {
  size_t index = 0;
  for (const auto &[symbol, bytes] : blobs) {
    auto object = llvm::cantFail(emitData(symbol, bytes, triple, CodeKind::object));
    parts.push_back(folder / ("weights_" + std::to_string(index++) + ".o"));
    writeFile(parts.back(), object.data(), object.size());
  }
}

void RunnerTable::writeForEngine() {
  writeWeights();
  std::string table =
      "const [RUNNER_F32, RUNNER_F64, RUNNER_BF16, RUNNER_F16, RUNNER_INTEGER] = [0, 1, 2, 3, 4];\n"
      "export const cases = [\n" +
      engineRows.str() + "];\n";
  writeFile(folder / "table.mjs", table.data(), table.size());
  writeFile(folder / "data.bin", data.data(), data.size());
}

/// The function with which the runner asks the CPU, as a library's dispatcher would.
std::string RunnerTable::supportTest() const {
  return architectureOf(triple)->emitCpuChecks(variant) +
         "int runner_cpu_supports_target(void) {\n"
         "  struct kgenrt_cpu cpu;\n"
         "  size_t index;\n"
         "  kgenrt_detect_host(&cpu);\n"
         "  return kgenrt_select(&kgenrt_host, kgenrt_features, &cpu, kgenrt_variants, 1, NULL,\n"
         "                       &index) == kgenrt_chosen;\n"
         "}\n";
}

void RunnerTable::write() {
  if (isForEngine())
    return writeForEngine();
  if (hasWeightObjects())
    writeWeights();
  std::string weights = ".section .rodata\n";
  size_t index = 0;
  for (const auto &[symbol, bytes] : blobs) {
    if (hasWeightObjects())
      break;
    fs::path file = folder / ("weights_" + std::to_string(index++) + ".bin");
    writeFile(file, bytes.data(), bytes.size());
    weights +=
        ".balign 64\n.globl " + symbol + "\n" + symbol + ":\n.incbin \"" + file.string() + "\"\n";
  }
  weights += ".section .note.GNU-stack,\"\",@progbits\n";
  std::string table =
      "#include \"runner.h\"\n" + declarations.str() + "const runner_case runner_cases[] = {\n" +
      rows.str() + "};\n" +
      "const size_t runner_case_count = sizeof runner_cases / sizeof runner_cases[0];\n" +
      "const char runner_data_file[] = \"" + (folder / "data.bin").string() + "\";\n" +
      supportTest();
  writeFile(folder / "table.c", table.data(), table.size());
  writeFile(folder / "weights.s", weights.data(), weights.size());
  writeFile(folder / "data.bin", data.data(), data.size());
}

} // namespace kgen::tests
