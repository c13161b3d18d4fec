#include "driver/run/GpuProgram.h"

#include "driver/run/ProgramFiles.h"
#include "emit/Gpu.h"
#include "emit/Names.h"
#include "support/InputFile.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>

namespace kgen {
namespace {

constexpr char gpuRunnerText[] =
#include "GpuRunnerText.inc"
    ;

/// A case for each graph: its tensors in device memory.
std::string enqueueCases(const LibraryInterface &library) {
  std::string cases;
  for (size_t i = 0; i < library.graphs.size(); ++i) {
    const GraphInterface &graph = library.graphs[i];
    std::string arguments;
    for (size_t tensor = 0; tensor < graph.inputs.size() + graph.outputs.size(); ++tensor)
      arguments += "t[" + std::to_string(tensor) + "], ";
    cases += " case " + std::to_string(i) + ": status = " + library.name + "_" + graph.name +
             "_gpu_enqueue(&gpu, " + arguments + "NULL); break;";
  }
  return cases;
}

/// The runner's text calls the library by these macros.
std::string gpuRunnerOf(const LibraryInterface &library) {
  const std::string upper = upperCase(library.name);
  std::string isCuda = "(0";
  for (const GpuTargetInterface &target : library.gpus)
    if (target.api == GpuApi::cuda)
      isCuda += " || strcmp(target, " + cString(target.target) + ") == 0";
  return "#define _POSIX_C_SOURCE 199309L\n#include \"" + library.name +
         "_gpu.h\"\n#define LIBRARY(name) " + library.name + "_##name\n#define STATUS(name) " +
         upper + "_##name\n#define HAS_CUDA " + (hasCuda(library) ? "1" : "0") +
         "\n#define IS_CUDA " + isCuda + ")\n#define CUDA_VARIABLE \"" + upper +
         "_CUDA\"\n#define ENQUEUE" + enqueueCases(library) + "\n" + gpuRunnerText;
}

/// The times that follow one another in the answer, from `bytes` on; an error if they are not all
/// there.
llvm::Expected<std::vector<double>> takeTimes(llvm::StringRef &bytes) {
  uint64_t count = 0;
  if (bytes.size() >= sizeof count)
    std::memcpy(&count, bytes.data(), sizeof count);
  if (count > bytes.size() / sizeof(double) || bytes.size() < (count + 1) * sizeof count)
    return foreignError("the program for graphics cards left an answer that is cut off");
  std::vector<double> times(count);
  if (count > 0)
    std::memcpy(times.data(), bytes.data() + sizeof count, count * sizeof(double));
  bytes = bytes.drop_front((count + 1) * sizeof count);
  return times;
}

} // namespace

GpuProgram::GpuProgram(TemporaryFolder folder, const LibraryInterface &library)
    : folder(std::move(folder)) {
  for (const GraphInterface &graph : library.graphs)
    functions.try_emplace(graph.name, functions.size());
}

namespace {
/// Adds the files with extern functions to what is linked into a program in `folder`.
llvm::Error addLinked(const LinkedFiles &linked, const TemporaryFolder &folder,
                      std::vector<std::string> &arguments) {
  for (size_t i = 0; i < linked.objects().size(); ++i) {
    arguments.push_back(folder / ("extern" + std::to_string(i) + ".o"));
    if (llvm::Error error =
            writeProgramFile(arguments.back(), FileContents(linked.objects()[i].bytes)))
      return error;
  }
  for (const std::string &library : linked.libraries()) {
    arguments.push_back(library);
    arguments.push_back("-Wl,-rpath," + llvm::sys::path::parent_path(library).str());
  }
  return llvm::Error::success();
}
} // namespace

llvm::Expected<GpuProgram> GpuProgram::make(const LibraryInterface &library, const FileSet &files,
                                            const LinkedFiles *linked) {
  const std::string name = compilerName();
  const ToolCommand compiler = findTool(name);
  if (compiler.path.empty())
    return foreignError("there is no C compiler '" + name +
                        "', which code for graphics cards needs; the environment variable CC "
                        "names one");
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::make("kgen-gpu");
  if (!folder)
    return folder.takeError();
  const std::string source = library.name + "_gpu.c", runner = *folder / "kgen_gpu_runner.c";
  std::vector<std::string> arguments = {
      "-O1", "-I", folder->str(), "-o", *folder / "program", runner, *folder / source};
  for (const auto &[path, contents] : files) {
    // <library>.c chooses a variant for what the CPU computes.
    const bool isCode =
        llvm::StringRef(path).starts_with("objects/") || path == library.name + ".c";
    const bool isHeader = path == library.name + ".h" || path == library.name + "_gpu.h";
    if (!isCode && !isHeader && path != source)
      continue;
    if (llvm::Error error = writeProgramFile(*folder / path, contents))
      return error;
    if (isCode)
      arguments.push_back(*folder / path);
  }
  if (llvm::Error error = writeProgramFile(runner, FileContents(gpuRunnerOf(library))))
    return error;
  if (linked)
    if (llvm::Error error = addLinked(*linked, *folder, arguments))
      return error;
  arguments.push_back("-ldl");
  const std::string failure = runTool(compiler.path, compiler.words, arguments, folder->str());
  if (!failure.empty())
    return foreignError("the C compiler '" + name + "' " + failure);
  return GpuProgram(std::move(*folder), library);
}

llvm::Expected<std::string> GpuProgram::run(std::vector<std::string> arguments) {
  const std::string answer = folder / "answer", program = folder / "program";
  llvm::sys::fs::remove(answer);
  arguments.insert(arguments.begin(), program);
  arguments.push_back(answer);
  const std::string failure = runTool(program, {}, arguments, folder.str());
  if (!failure.empty())
    return foreignError("the program for graphics cards " + failure);
  auto read =
      llvm::MemoryBuffer::getFile(answer, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return read ? (*read)->getBuffer().str() : std::string();
}

llvm::Expected<GpuProgram::Device> GpuProgram::device(const std::string &target) {
  llvm::Expected<std::string> answer = run({target});
  if (!answer)
    return answer.takeError();
  return Device{llvm::StringRef(*answer).starts_with("="), answer->substr(answer->empty() ? 0 : 1)};
}

llvm::Error GpuProgram::call(const std::string &graph, const std::string &target,
                             const SizeValues &, llvm::ArrayRef<Bytes> inputs,
                             llvm::ArrayRef<Bytes> outputs, unsigned) {
  return measure(graph, target, inputs, outputs, 0).takeError();
}

llvm::Expected<GpuProgram::Times>
GpuProgram::measure(const std::string &graph, const std::string &target,
                    llvm::ArrayRef<Bytes> inputs, llvm::ArrayRef<Bytes> outputs, double seconds) {
  const std::string request = folder / "request";
  llvm::Error unwritten = writeProgramFile(request, [&](llvm::raw_ostream &stream) {
    writeNumber(stream, inputs.size());
    writeNumber(stream, outputs.size());
    for (const llvm::ArrayRef<Bytes> &tensors : {inputs, outputs})
      for (const Bytes &tensor : tensors)
        writeNumber(stream, tensor.size);
    for (const Bytes &input : inputs)
      stream.write(reinterpret_cast<const char *>(input.data), input.size);
    return llvm::Error::success();
  });
  if (unwritten)
    return unwritten;
  llvm::Expected<std::string> answer =
      run({target, std::to_string(functions.at(graph)), std::to_string(seconds), request});
  if (!answer)
    return answer.takeError();
  llvm::StringRef bytes = *answer;
  for (const Bytes &output : outputs) {
    if (bytes.size() < output.size)
      return foreignError(
          "the program for graphics cards left too few bytes of results of graph '" + graph + "'");
    std::copy(bytes.begin(), bytes.begin() + output.size, output.data);
    bytes = bytes.drop_front(output.size);
  }
  Times times;
  for (std::vector<double> *list : {&times.withCopies, &times.onDevice}) {
    if (bytes.empty())
      break;
    llvm::Expected<std::vector<double>> taken = takeTimes(bytes);
    if (!taken)
      return taken.takeError();
    *list = std::move(*taken);
  }
  return times;
}

llvm::Expected<RunnableGpus> RunnableGpus::find(const LibraryInterface &library,
                                                const FileSet &files, const LinkedFiles *linked,
                                                bool areNeeded, std::vector<std::string> &notes) {
  RunnableGpus gpus;
  std::vector<std::string> lines;
  if (library.gpus.empty())
    return gpus;
  llvm::Expected<GpuProgram> program = GpuProgram::make(library, files, linked);
  if (!program && areNeeded)
    return program.takeError();
  if (!program) {
    const std::string why = llvm::toString(program.takeError());
    for (const GpuTargetInterface &target : library.gpus)
      notes.push_back(target.target + ": " + why);
    return gpus;
  }
  for (const GpuTargetInterface &target : library.gpus) {
    llvm::Expected<GpuProgram::Device> device = program->device(target.target);
    if (!device)
      lines.push_back(target.target + ": " + llvm::toString(device.takeError()));
    else if (!device->isThere)
      lines.push_back(device->text);
    else
      gpus.targets.push_back({target.target, device->text});
  }
  if (gpus.targets.empty() && areNeeded)
    return foreignError("no graphics card of this machine runs the code: " +
                        llvm::join(lines, "; "));
  notes.insert(notes.end(), lines.begin(), lines.end());
  if (!gpus.targets.empty())
    gpus.program = std::make_unique<GpuProgram>(std::move(*program));
  return gpus;
}

} // namespace kgen
