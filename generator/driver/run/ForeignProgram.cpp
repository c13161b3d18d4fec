#include "driver/run/ForeignProgram.h"

#include "driver/run/ProgramFiles.h"
#include "emit/Names.h"
#include "emit/StateLayout.h"
#include "support/InputFile.h"
#include "target/Architecture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace kgen {
namespace {

constexpr char runnerText[] =
#include "RunnerText.inc"
    ;

/// The sizes that a block of state is made for, as arguments.
std::string stateMacros(const LibraryInterface &library) {
  const size_t count = stateSizes(library).size();
  std::string arguments;
  for (size_t i = 0; i < count; ++i)
    arguments += ", state_sizes[" + std::to_string(i) + "]";
  return "#define STATE_DIMS " + std::to_string(count) + "\n#define STATE_SIZES " + arguments +
         "\n";
}

/// The runner's text calls the library by these macros.
std::string runnerOf(const LibraryInterface &library) {
  return "#include \"" + library.name + ".h\"\n#define LIBRARY(name) " + library.name +
         "_##name\n#define STATUS(name) " + upperCase(library.name) +
         "_##name\n#define TAKES_SIZES " + (takesSizes(library) ? "1" : "0") +
         "\n#define HAS_STATE " + (library.states.empty() ? "0\n" : "1\n") + stateMacros(library) +
         runnerText;
}

} // namespace

llvm::Expected<ForeignProgram> ForeignProgram::make(const LibraryInterface &library,
                                                    const FileSet &files,
                                                    const ForeignMachine &machine) {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::make("kgen-foreign");
  if (!folder)
    return folder.takeError();
  std::string source = library.name + ".c";
  std::vector<std::string> arguments = {"-O1",
                                        "-static",
                                        "-I",
                                        folder->str(),
                                        "-o",
                                        *folder / "program",
                                        *folder / "kgen_runner.c",
                                        *folder / source};
  llvm::append_range(arguments, machine.architecture().programOptions(library.stackBytes));
  for (const auto &[path, contents] : files) {
    bool isCode = llvm::StringRef(path).starts_with("objects/");
    if (!isCode && path != source && path != library.name + ".h")
      continue;
    std::string written = *folder / path;
    if (llvm::Error error = writeProgramFile(written, contents))
      return error;
    if (isCode)
      arguments.push_back(written);
  }
  if (llvm::Error error = writeProgramFile(*folder / "kgen_runner.c", runnerOf(library)))
    return error;
  arguments.insert(arguments.end(), machine.link().begin(), machine.link().end());
  if (llvm::Error error = machine.compile(folder->str(), arguments))
    return error;
  return ForeignProgram(std::move(*folder), machine, library);
}

ForeignProgram::ForeignProgram(TemporaryFolder folder, const ForeignMachine &machine,
                               const LibraryInterface &library)
    : folder(std::move(folder)), machine(&machine) {
  for (const GraphInterface &graph : library.graphs) {
    Function &function = functions[graph.name];
    function.index = functions.size() - 1;
    for (const DimSymbol &dim : graph.dims)
      function.sizes.push_back(dim.name);
  }
  for (const StateInterface &state : library.states)
    states.push_back(state.name);
  for (const SizeParameter &size : stateSizes(library))
    stateDims.push_back(size.dim);
}

llvm::Error ForeignProgram::call(const std::string &graph, const std::string &target,
                                 const SizeValues &sizes, llvm::ArrayRef<Bytes> inputs,
                                 llvm::ArrayRef<Bytes> outputs, unsigned threads) {
  const Function &function = functions.at(graph);
  std::string request = folder / "request", answer = folder / "answer";
  uint64_t expected = 0;
  llvm::Error unwritten = writeProgramFile(request, [&](llvm::raw_ostream &stream) {
    for (const std::string &name : function.sizes)
      writeNumber(stream, static_cast<uint64_t>(sizes.at(name)));
    for (const DimSymbol &dim : stateDims) { // any that the function is not given
      auto size = sizes.find(dim.name);
      writeNumber(stream, static_cast<uint64_t>(size == sizes.end() ? dim.min : size->second));
    }
    for (const llvm::ArrayRef<Bytes> &tensors : {inputs, outputs}) {
      writeNumber(stream, static_cast<uint64_t>(llvm::count_if(
                              tensors, [](const Bytes &tensor) { return !tensor.state.empty(); })));
      for (const Bytes &tensor : tensors) {
        writeNumber(stream, tensor.size);
        if (!tensor.state.empty())
          writeNumber(stream,
                      static_cast<uint64_t>(llvm::find(states, tensor.state) - states.begin()));
      }
    }
    for (const Bytes &input : inputs)
      stream.write(reinterpret_cast<const char *>(input.data), input.size);
    return llvm::Error::success();
  });
  if (unwritten)
    return unwritten;
  llvm::sys::fs::remove(answer);
  if (llvm::Error error = machine->run(
          folder.str(), folder / "program",
          {target, std::to_string(function.index), std::to_string(threads), request, answer}))
    return error;
  for (const Bytes &output : outputs)
    expected += output.size;
  auto read =
      llvm::MemoryBuffer::getFile(answer, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  uint64_t found = read ? (*read)->getBufferSize() : 0;
  if (!read || found != expected)
    return foreignError("the program that '" + machine->name() + "' runs left " +
                        (read ? std::to_string(found) : "no") + " bytes of results, not the " +
                        std::to_string(expected) + " of graph '" + graph + "'");
  const char *bytes = (*read)->getBufferStart();
  for (const Bytes &output : outputs) {
    std::copy(bytes, bytes + output.size, output.data);
    bytes += output.size;
  }
  return llvm::Error::success();
}

} // namespace kgen
