#include "KernelCase.h"
#include "GuardedMemory.h"

#include "backend/x86/Audit.h"
#include "codegen/ObjectCode.h"
#include "dialect/kgen/MakeTarget.h"
#include "driver/run/LoadedCode.h"
#include "pipeline/Pipeline.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

using namespace mlir;

namespace kgen::test {
namespace {

/// Offsets of the elements.
struct Layout {
  explicit Layout(const KernelCase &k)
      : aRow(k.k * k.aCol + k.vnni + 2), aBatch(k.m * aRow + 1),
        rowsOfB((k.k + k.vnni - 1) / k.vnni), columns(k.padded ? (k.n + 15) / 16 * 16 : k.n),
        bRow(k.dotProducts ? 1 : (columns + (k.padded ? 0 : 1)) * k.vnni), bCol(k.k + 2),
        bBatch((k.dotProducts ? k.n * bCol : rowsOfB * bRow) + 6), cRow(k.n + 5) {
    aSize = (k.batch - 1) * aBatch + (k.m - 1) * aRow + (k.k - 1) * k.aCol + 1;
    bSize = (k.batch - 1) * bBatch +
            (k.dotProducts ? (k.n - 1) * bCol + k.k : (rowsOfB - 1) * bRow + columns * k.vnni);
    cSize = (k.m - 1) * cRow + k.n;
    switch (k.epilogue) {
    case Epilogue::none:
      break;
    case Epilogue::row:
      epilogueRow = 1, epilogueInSize = k.m;
      break;
    case Epilogue::gelu:
    case Epilogue::column:
      epilogueCol = 1, epilogueInSize = k.n;
      break;
    case Epilogue::scalar:
      epilogueInSize = 1;
      break;
    case Epilogue::full:
      epilogueRow = k.n + 2, epilogueCol = 1, epilogueInSize = (k.m - 1) * epilogueRow + k.n;
      break;
    }
  }

  int64_t a(const KernelCase &c, int64_t r, int64_t row, int64_t k) const {
    return r * aBatch + row * aRow + k * c.aCol;
  }
  int64_t b(const KernelCase &c, int64_t r, int64_t k, int64_t column) const {
    if (c.dotProducts)
      return r * bBatch + k + column * bCol;
    return r * bBatch + k / c.vnni * bRow + column * c.vnni + k % c.vnni;
  }

  int64_t aRow, aBatch, rowsOfB, columns, bRow, bCol, bBatch, cRow;
  int64_t aSize, bSize, cSize, epilogueRow = 0, epilogueCol = 0, epilogueInSize = 0;
};

std::string accumulatorOf(const KernelCase &k) {
  return k.element == "bf16" ? "f32" : k.element == "i8" ? "i32" : k.element;
}
std::string epilogueInOf(const KernelCase &k) {
  return k.extra.empty() ? accumulatorOf(k) : k.extra;
}

std::string epilogueText(const KernelCase &k) {
  std::string sum = accumulatorOf(k), extra = epilogueInOf(k), text = "^bb0(%acc: " + sum;
  bool isFloat = sum[0] == 'f';
  std::string value = "%acc";
  if (k.epilogue == Epilogue::none)
    text += "):\n";
  else {
    text += ", %x: " + extra + "):\n";
    std::string x = "%x";
    if (extra != sum) {
      text += "  %wide = arith.extf %x : " + extra + " to " + sum + "\n";
      x = "%wide";
    }
    std::string name = k.epilogue == Epilogue::scalar ? "mul" : "add";
    text +=
        "  %s = arith." + name + (isFloat ? "f " : "i ") + value + ", " + x + " : " + sum + "\n";
    value = "%s";
    if (k.epilogue == Epilogue::gelu) {
      text += "  %g = kgen.gelu %s : " + sum + "\n";
      value = "%g";
    }
  }
  if (k.result != sum) {
    text += std::string("  %t = arith.trunc") + (isFloat ? "f " : "i ") + value + " : " + sum +
            " to " + k.result + "\n";
    value = "%t";
  }
  return text + "  ukernel.yield " + value + " : " + k.result + "\n";
}

std::string descriptorText(const KernelCase &k, const Layout &at) {
  auto attribute = [](const std::string &name, int64_t value) {
    return ", " + name + " = " + std::to_string(value);
  };
  std::string text = "ukernel.gemm @kernel attributes {element = " + k.element;
  text += attribute("m", k.m) + attribute("n", k.n) + attribute("k", k.k) +
          attribute("a_row", at.aRow) + attribute("a_col", k.aCol) + attribute("b_row", at.bRow) +
          attribute("c_row", at.cRow) + attribute("vnni", k.vnni) + attribute("batch", k.batch) +
          attribute("a_batch", at.aBatch) + attribute("b_batch", at.bBatch) +
          attribute("b_col", k.dotProducts ? at.bCol : 1) + attribute("b_prefetch", 0) +
          attribute("b_streams", k.streams);
  for (auto [name, is] :
       {std::pair("accumulate", k.accumulate), std::pair("b_padded", k.padded),
        std::pair("strict_order", k.strictOrder), std::pair("a_unsigned", k.aUnsigned),
        std::pair("b_unsigned", k.bUnsigned)})
    text += is ? std::string(", ") + name : "";
  bool hasEpilogueIn = k.epilogue != Epilogue::none;
  text += ", epilogue_rows = array<i64" +
          (hasEpilogueIn ? ": " + std::to_string(at.epilogueRow) : "") +
          ">, epilogue_cols = array<i64" +
          (hasEpilogueIn ? ": " + std::to_string(at.epilogueCol) : "") + ">";
  return text + "} {\n" + epilogueText(k) + "}\n";
}

std::string moduleText(const KernelCase &k) {
  Layout at(k);
  auto memory = [](int64_t size, const std::string &type) {
    return "memref<" + std::to_string(size) + "x" + type + ">";
  };
  std::vector<std::string> types{memory(at.aSize, k.element), memory(at.bSize, k.element),
                                 memory(at.cSize, k.result)};
  if (k.epilogue != Epilogue::none)
    types.push_back(memory(at.epilogueInSize, epilogueInOf(k)));
  std::string parameters, names, list;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string comma = i ? ", " : "", name = "%p" + std::to_string(i);
    parameters += comma + name + ": " + types[i];
    names += comma + name;
    list += comma + types[i];
  }
  return descriptorText(k, at) + "func.func @run(" + parameters + ") {\n  ukernel.call @kernel(" +
         names + ") : " + list + "\n  return\n}\n";
}

void require(bool condition, const std::string &what) {
  if (!condition)
    throw std::runtime_error(what);
}

template <typename T> T take(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

TargetSpec targetSpec(const std::string &name) {
  Diagnostics diagnostics;
  auto target = findTarget({name, {}}, "", {}, diagnostics);
  require(target.has_value(), diagnostics.str());
  return *target;
}

std::vector<std::string> featuresOf(const TargetSpec &target) {
  std::vector<std::string> features;
  for (const Located<std::string> &feature : target.requiredFeatures)
    features.push_back(feature.value);
  return features;
}

/// One element as a number, and back; bf16 in the upper half of an f32.
double read(const std::string &type, const void *base, int64_t i) {
  if (type == "f32")
    return static_cast<const float *>(base)[i];
  if (type == "f64")
    return static_cast<const double *>(base)[i];
  uint32_t bits = static_cast<uint32_t>(static_cast<const uint16_t *>(base)[i]) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

int64_t bytesOf(const std::string &type) {
  return type == "i8" ? 1 : type == "bf16" ? 2 : type == "f32" || type == "i32" ? 4 : 8;
}

class Operands {
public:
  Operands(const KernelCase &kernel, bool atEnd)
      : kernel(kernel), at(kernel), a(at.aSize * bytesOf(kernel.element), atEnd),
        b(at.bSize * bytesOf(kernel.element), atEnd), c(at.cSize * bytesOf(kernel.result), atEnd),
        extra(at.epilogueInSize * bytesOf(epilogueInOf(kernel)), atEnd) {
    fill(kernel.element, a.data(), at.aSize);
    fill(kernel.element, b.data(), at.bSize);
    fill(kernel.result, c.data(), at.cSize);
    fill(epilogueInOf(kernel), extra.data(), at.epilogueInSize);
    clearPadding();
    before.assign(static_cast<char *>(c.data()),
                  static_cast<char *>(c.data()) + at.cSize * bytesOf(kernel.result));
  }

  std::vector<void *> arguments() {
    std::vector<void *> list{a.data(), b.data(), c.data()};
    if (kernel.epilogue != Epilogue::none)
      list.push_back(extra.data());
    return list;
  }

  /// Empty, or the first wrong element.
  std::string compare() const {
    for (int64_t row = 0; row < kernel.m; ++row)
      for (int64_t column = 0; column < at.cRow && row * at.cRow + column < at.cSize; ++column) {
        std::string wrong =
            column < kernel.n ? compareResult(row, column) : compareGap(row, column);
        if (!wrong.empty())
          return "C[" + std::to_string(row) + ", " + std::to_string(column) + "]: " + wrong;
      }
    return "";
  }

private:
  /// Clears the elements that are missing in the last pairs or fours of B.
  void clearPadding() {
    int64_t width = bytesOf(kernel.element);
    for (int64_t r = 0; r < kernel.batch; ++r)
      for (int64_t k = kernel.k; k % kernel.vnni != 0; ++k)
        for (int64_t column = 0; column < at.columns; ++column)
          std::memset(static_cast<char *>(b.data()) + at.b(kernel, r, k, column) * width, 0, width);
  }

  void fill(const std::string &type, void *base, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      double value = std::uniform_real_distribution<double>(-1, 1)(random);
      auto single = static_cast<float>(value);
      uint32_t bits;
      std::memcpy(&bits, &single, sizeof bits);
      uint64_t whole = (static_cast<uint64_t>(random()) << 32) ^ random();
      if (type == "f32")
        static_cast<float *>(base)[i] = single;
      else if (type == "f64")
        static_cast<double *>(base)[i] = value;
      else if (type == "bf16")
        static_cast<uint16_t *>(base)[i] = static_cast<uint16_t>(bits >> 16);
      else if (type == "i32")
        static_cast<uint32_t *>(base)[i] = static_cast<uint32_t>(whole);
      else if (type == "i8")
        static_cast<uint8_t *>(base)[i] = byte(whole);
      else
        static_cast<uint64_t *>(base)[i] = whole;
    }
  }

  /// Mostly the ends of the ranges: sums of two products do not fit into 16 bits.
  static uint8_t byte(uint64_t random) {
    const uint8_t ends[] = {0x80, 0x7f, 0xff, static_cast<uint8_t>(random >> 8)};
    return ends[random % 4];
  }

  /// Checks that the memory between the rows of C stays as it was.
  std::string compareGap(int64_t row, int64_t column) const {
    int64_t width = bytesOf(kernel.result), i = (row * at.cRow + column) * width;
    bool same = std::memcmp(before.data() + i, static_cast<char *>(c.data()) + i, width) == 0;
    return same ? "" : "written beyond the tile";
  }

  std::string compareResult(int64_t row, int64_t column) const {
    return kernel.element[0] == 'i' ? compareInteger(row, column) : compareFloat(row, column);
  }

  /// An integer modulo 2^64.
  static uint64_t whole(const std::string &type, const void *base, int64_t i,
                        bool isUnsigned = false) {
    if (type == "i8")
      return isUnsigned ? static_cast<const uint8_t *>(base)[i]
                        : static_cast<uint64_t>(int64_t(static_cast<const int8_t *>(base)[i]));
    return type == "i32" ? static_cast<const uint32_t *>(base)[i]
                         : static_cast<const uint64_t *>(base)[i];
  }

  std::string compareInteger(int64_t row, int64_t column) const {
    int64_t i = row * at.cRow + column;
    uint64_t sum = kernel.accumulate ? whole(kernel.result, before.data(), i) : 0;
    for (int64_t r = 0; r < kernel.batch; ++r)
      for (int64_t k = 0; k < kernel.k; ++k)
        sum += whole(kernel.element, a.data(), at.a(kernel, r, row, k), kernel.aUnsigned) *
               whole(kernel.element, b.data(), at.b(kernel, r, k, column), kernel.bUnsigned);
    if (kernel.epilogue != Epilogue::none) {
      uint64_t x =
          whole(epilogueInOf(kernel), extra.data(), row * at.epilogueRow + column * at.epilogueCol);
      sum = kernel.epilogue == Epilogue::scalar ? sum * x : sum + x;
    }
    uint64_t modulus = bytesOf(kernel.result) == 8 ? 0 : uint64_t(1) << 8 * bytesOf(kernel.result),
             got = (whole(kernel.result, c.data(), i) - sum) & (modulus - 1);
    return got == 0 ? "" : "off by " + std::to_string(got);
  }

  std::string compareFloat(int64_t row, int64_t column) const {
    int64_t i = row * at.cRow + column;
    double sum = kernel.accumulate ? read(kernel.result, before.data(), i) : 0;
    double magnitude = std::abs(sum);
    for (int64_t r = 0; r < kernel.batch; ++r)
      for (int64_t k = 0; k < kernel.k; ++k) {
        double product = read(kernel.element, a.data(), at.a(kernel, r, row, k)) *
                         read(kernel.element, b.data(), at.b(kernel, r, k, column));
        sum += product;
        magnitude += std::abs(product);
      }
    if (kernel.epilogue != Epilogue::none) {
      double x =
          read(epilogueInOf(kernel), extra.data(), row * at.epilogueRow + column * at.epilogueCol);
      sum = kernel.epilogue == Epilogue::scalar ? sum * x : sum + x;
      magnitude += std::abs(x);
    }
    if (kernel.epilogue == Epilogue::gelu)
      sum *= std::erfc(-sum / std::sqrt(2.0)) / 2;
    double digits = kernel.element == "f64" ? 0x1p-50 : 0x1p-21;
    double allowed = digits * magnitude + (kernel.result == "bf16" ? 0x1.01p-8 * std::abs(sum) : 0);
    double got = read(kernel.result, c.data(), i);
    bool near = std::abs(got - sum) <= allowed;
    return near ? "" : std::to_string(got) + " instead of " + std::to_string(sum);
  }

  const KernelCase &kernel;
  Layout at;
  GuardedMemory a, b, c, extra;
  std::vector<char> before;
  std::mt19937 random{1};
};

} // namespace

bool canRun(const std::string &target) { return hostSupports(featuresOf(targetSpec(target))); }

std::string kernelObject(const KernelCase &kernel) {
  TargetSpec target = targetSpec(kernel.target);
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<KgenDialect>();
  auto module = parseSourceString<ModuleOp>(moduleText(kernel), &context);
  require(bool(module), "does not parse: " + moduleText(kernel));
  (*module)->setAttr(targetAttrName, makeTargetAttr(target, &context));
  std::string problem;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    problem += diagnostic.str() + "\n";
    return success();
  });
  PipelineOptions options;
  options.provider = kernel.provider;
  PassManager passes(&context);
  ArrayRef<Stage> stages = optimizedStages();
  addStages(passes, stages.drop_until([](const Stage &s) { return s.name == "micro-kernel"; }),
            options);
  require(succeeded(passes.run(*module)), problem);
  std::string object = take(emitCode(*module, target));
  take(auditObject(object, featuresOf(target), "kernel"));
  return object;
}

std::string runKernel(const KernelCase &kernel) try {
  LoadedCode code = take(LoadedCode::load({{"objects/kernel.o", kernelObject(kernel)}}));
  for (bool atEnd : {true, false}) {
    Operands operands(kernel, atEnd);
    if (llvm::Error error = code.call("run", operands.arguments()))
      return llvm::toString(std::move(error));
    if (std::string wrong = operands.compare(); !wrong.empty())
      return wrong;
  }
  return "";
} catch (const std::exception &error) {
  return error.what();
}

} // namespace kgen::test
