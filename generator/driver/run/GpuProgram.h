// The functions of a library on graphics cards of this machine: a program that the C compiler makes
// of <library>_gpu.c, as users do. What a driver does stays in its process.
#pragma once

#include "driver/run/GraphProgram.h"
#include "driver/run/LinkedFiles.h"
#include "driver/run/TemporaryFolder.h"

namespace kgen {

class GpuProgram : public GraphProgram {
public:
  /// Compiles and links `files`, the folder of a library with code for graphics cards; `linked` has
  /// its extern functions, null: it has none. Nothing is left when the program is gone.
  static llvm::Expected<GpuProgram> make(const LibraryInterface &library, const FileSet &files,
                                         const LinkedFiles *linked);

  /// Returns the name of the device that code for the target runs on, or why there is none, in the
  /// words of the library and the driver. What ends the program before it says so is an error.
  struct Device {
    bool isThere = false;
    std::string text;
  };
  llvm::Expected<Device> device(const std::string &target);

  llvm::Error call(const std::string &graph, const std::string &target, const SizeValues &sizes,
                   llvm::ArrayRef<Bytes> inputs, llvm::ArrayRef<Bytes> outputs,
                   unsigned threads) override;

  /// Seconds of calls: with the copies of tensors to the device and back, and on tensors in device
  /// memory, where CUDA drives the target.
  struct Times {
    std::vector<double> withCopies, onDevice;
  };
  /// Calls a graph's function as call() does, and then again and again, each way for so many
  /// seconds, and three times at least.
  llvm::Expected<Times> measure(const std::string &graph, const std::string &target,
                                llvm::ArrayRef<Bytes> inputs, llvm::ArrayRef<Bytes> outputs,
                                double seconds);

private:
  GpuProgram(TemporaryFolder folder, const LibraryInterface &library);
  /// Runs the program; what it leaves in its answer.
  llvm::Expected<std::string> run(std::vector<std::string> arguments);

  TemporaryFolder folder;
  std::map<std::string, size_t> functions; ///< their numbers
};

/// The part of a library's code for graphics cards that runs here.
struct RunnableGpus {
  std::unique_ptr<GpuProgram> program; ///< null: nothing of it
  struct Target {
    std::string name, device;
  };
  std::vector<Target> targets;

  /// Makes the program and asks it for the devices. Targets without one become notes; with
  /// `areNeeded` it is an error if none of them has one.
  static llvm::Expected<RunnableGpus> find(const LibraryInterface &library, const FileSet &files,
                                           const LinkedFiles *linked, bool areNeeded,
                                           std::vector<std::string> &notes);
};

} // namespace kgen
