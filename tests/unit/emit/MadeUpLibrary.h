// A made-up library with hand-written kernels in C, and a scratch folder to build it in.
#pragma once

#include "emit/Library.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kgen::test {

/// Three variants; graphs "forward" (two inputs, one output, workspace), "scale" (a scalar of each
/// element type, awkward names), "constant" (no inputs, no workspace) and "nothing" (no elements).
LibraryInterface madeUpLibrary(const std::string &name = "mylib");

/// kernels.c for it: forward adds and notes the variant's number; see the source.
std::string madeUpKernels(const LibraryInterface &library);

/// A folder that is removed in the end.
class Scratch {
public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  std::filesystem::path path;
  std::string operator/(const std::string &name) const { return (path / name).string(); }
  void write(const std::string &name, const std::string &contents) const;
  std::string read(const std::string &name) const;
};

struct Outcome {
  int code; ///< exit status; 128 + n for signal n
  std::string output;
};
/// Runs a shell command; stderr is part of the output.
Outcome run(const std::string &command);

/// gcc, and clang if CMake found one.
std::vector<std::string> cCompilers();
std::vector<std::string> cxxCompilers();

/// The made-up library's header, dispatcher and kernel objects in `scratch`, compiled by `compiler`
/// with `flags`.
void writeMadeUpFolder(const Scratch &scratch, const std::string &folder,
                       const LibraryInterface &library);

} // namespace kgen::test
