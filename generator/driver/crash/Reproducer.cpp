// The code that repeats a crash, as text.
#include "driver/crash/CrashReport.h"

#include <mlir/IR/Operation.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

using namespace mlir;

namespace kgen {
namespace {

/// Elements of constants that are still printed; more are a weight.
constexpr int64_t maxElements = 16;
/// Characters of a resource that are still printed; with more they are elided.
constexpr int64_t maxResourceText = 64;

OpPrintingFlags printingFlags() {
  return OpPrintingFlags()
      .enableDebugInfo()
      .elideLargeElementsAttrs(maxElements)
      .elideLargeResourceString(maxResourceText);
}

} // namespace

void keepReproducer(Operation *module, Pass &pass) {
  if (!isReportWanted())
    return;
  std::string pipeline;
  llvm::raw_string_ostream os(pipeline);
  os << module->getName() << "(kgen-fill-elided-weights,";
  pass.printAsTextualPipeline(os);
  os << ")";
  std::string text = "// The code before this pass, without weights: kgen-fill-elided-weights puts "
                     "numbers in their\n"
                     "// place. To run it:\n"
                     "//   kgen-opt --run-reproducer THIS-FILE -o /dev/null\n";
  llvm::raw_string_ostream out(text);
  module->print(out, printingFlags());
  // A printer of resources would elide the pipeline with the weights.
  out << "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"";
  llvm::printEscapedString(pipeline, out);
  out << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  keepText(text);
}

void keepReproducer(ModuleOp module, const std::string &triple, const std::string &features) {
  if (!isReportWanted())
    return;
  OwningOpRef<ModuleOp> copy = module.clone();
  copy->walk([](Operation *op) { // what upstream's tools do not read
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
      if (attr.getName().getValue().starts_with("kgen."))
        op->removeDiscardableAttr(attr.getName());
  });
  std::string text =
      "// The code before LLVM. To run it:\n"
      "//   mlir-translate --mlir-to-llvmir THIS-FILE | opt -O3 | llc -O3 -filetype=null "
      "-mtriple=" +
      triple + " -mattr=" + features + "\n";
  llvm::raw_string_ostream(text) << *copy << "\n";
  keepText(text);
}

} // namespace kgen
