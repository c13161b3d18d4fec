#include "driver/run/ForeignMachine.h"

#include "driver/run/TemporaryFolder.h"
#include "emit/Library.h"
#include "emit/TemporaryFiles.h"
#include "target/Architecture.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

namespace kgen {
namespace {

constexpr const char *probePrefix = "kgen-foreign";

llvm::Error writeText(const std::string &path, const std::string &text) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  stream << text;
  stream.close();
  if (!code)
    code = stream.error();
  stream.clear_error();
  return code ? foreignError("cannot write '" + path + "': " + code.message())
              : llvm::Error::success();
}

/// Prints a line for each feature that the dispatcher's code finds.
constexpr const char *probeMain = R"(
#include <stdio.h>

int main(void) {
  struct kgenrt_cpu cpu;
  size_t i;
  kgenrt_detect_host(&cpu);
  for (i = 0; i < sizeof kgenrt_variants / sizeof *kgenrt_variants; ++i) {
    size_t index;
    if (kgenrt_select(&kgenrt_host, kgenrt_features, &cpu, &kgenrt_variants[i], 1, NULL, &index) == kgenrt_chosen)
      puts(kgenrt_variants[i].name);
  }
  return 0;
}
)";

} // namespace

ToolCommand ForeignMachine::find(const std::string &option, const std::string &text,
                                 const std::string &hint, Diagnostics &diagnostics) {
  ToolCommand command = findTool(text);
  if (command.path.empty())
    diagnostics.error(
        {option + " " + text, 0, 0},
        "there is no program '" + (command.words.empty() ? "" : command.words.front()) + "'", hint);
  return command;
}

/// The compiler preprocesses a line for each architecture, if its macro is defined.
llvm::Error ForeignMachine::askArchitecture() {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::make(probePrefix);
  if (!folder)
    return folder.takeError();
  std::string question, known;
  for (const Architecture *one : architectures()) {
    if (one->compilerMacro().empty())
      continue;
    std::string name = architectureName(one->triple());
    question +=
        "#ifdef " + one->compilerMacro().str() + "\nkgen_compiles_for_" + name + "\n#endif\n";
    known += (known.empty() ? "" : ", ") + name;
  }
  std::string source = *folder / "question.c", answer = *folder / "answer.txt";
  if (llvm::Error error = writeText(source, question))
    return error;
  if (llvm::Error error = compile(folder->str(), {"-E", "-P", source, "-o", answer}))
    return error;
  std::string text = contentsOf(answer).value_or("");
  for (const Architecture *one : architectures())
    if (llvm::StringRef(text).contains("kgen_compiles_for_" + architectureName(one->triple())))
      compiledFor = one;
  return compiledFor ? llvm::Error::success()
                     : foreignError("the C compiler '" + tools.compiler +
                                    "' compiles for none of kgen's architectures: " + known);
}

std::shared_ptr<const ForeignMachine> ForeignMachine::open(const ForeignTools &tools,
                                                           const std::vector<std::string> &link,
                                                           Diagnostics &diagnostics) {
  size_t before = diagnostics.errors().size();
  auto machine = std::make_shared<ForeignMachine>();
  machine->tools = tools;
  machine->linked = link;
  machine->compiler = find("--cc", tools.compiler,
                           "--cc takes a C compiler for the machine that runs the code, as in --cc "
                           "aarch64-linux-gnu-gcc",
                           diagnostics);
  machine->runner = find("--run-with", tools.runWith,
                         "--run-with takes a command that runs programs of that machine, as in "
                         "--run-with 'qemu-aarch64 -cpu max'",
                         diagnostics);
  for (const std::string &file : link)
    if (llvm::StringRef extension = llvm::sys::path::extension(file);
        extension != ".c" && extension != ".o")
      diagnostics.error({"--link " + file, 0, 0},
                        "with --run-with, expected a .c or .o file, found '" + file + "'",
                        "programs are linked statically");
  if (diagnostics.errors().size() == before)
    if (llvm::Error error = machine->askArchitecture())
      diagnostics.error({"--cc " + tools.compiler, 0, 0}, llvm::toString(std::move(error)));
  return diagnostics.errors().size() == before ? machine : nullptr;
}

llvm::Error ForeignMachine::compile(const std::string &folder,
                                    llvm::ArrayRef<std::string> arguments) const {
  std::string failure = runTool(compiler.path, compiler.words, arguments, folder);
  return failure.empty() ? llvm::Error::success()
                         : foreignError("the C compiler '" + tools.compiler + "' " + failure);
}

llvm::Error ForeignMachine::run(const std::string &folder, const std::string &program,
                                llvm::ArrayRef<std::string> arguments) const {
  std::vector<std::string> all{program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::string failure = runTool(runner.path, runner.words, all, folder);
  return failure.empty() ? llvm::Error::success()
                         : foreignError("the program that '" + tools.runWith + "' runs " + failure);
}

llvm::Expected<std::set<std::string>>
ForeignMachine::offered(const std::set<std::string> &features) const {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::make(probePrefix);
  if (!folder)
    return folder.takeError();
  std::vector<VariantInterface> variants;
  for (const std::string &feature : features) {
    VariantInterface &variant = variants.emplace_back();
    variant.target = feature;
    variant.requiredFeatures = {feature};
  }
  std::string source = *folder / "probe.c", program = *folder / "probe";
  if (llvm::Error error = writeText(source, compiledFor->emitCpuChecks(variants) + probeMain))
    return error;
  if (llvm::Error error = compile(folder->str(), {"-static", "-o", program, source}))
    return error;
  if (llvm::Error error = run(folder->str(), program, {}))
    return error;
  std::string text = contentsOf(*folder / "messages.txt").value_or("");
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  std::set<std::string> found;
  for (llvm::StringRef line : lines)
    if (features.count(line.str()))
      found.insert(line.str());
  return found;
}

} // namespace kgen
