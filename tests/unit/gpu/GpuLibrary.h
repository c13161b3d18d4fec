// A made-up library with code for graphics cards: kernels from kernels.mlir, weights of its own.
#pragma once

#include "../emit/MadeUpLibrary.h"

namespace kgen::test {

/// Graphs "forward" (a product, a bias and a limit, by way of a workspace), "chain" (four launches,
/// two of which need not wait; blocks with threads without work, shared memory), "narrow" (f16 and
/// i8), "sampled" (no input, a weight of five megabytes), "nothing" (no elements, no launch) and
/// "mixed" (a function on the CPU between two launches, which fails for a negative first number).
/// The kernels have no code: GpuInterface and the device's memory are looked at only.
LibraryInterface gpuLibrary();

/// Like gpuLibrary, with SPIR-V, which upstream's tools make in the scratch folder.
LibraryInterface vulkanLibrary(const Scratch &scratch);

/// Like gpuLibrary, with PTX that Clang makes of kernels_cuda.c, compiled with `options`. The code
/// of the tests' driver lies in the scratch folder.
LibraryInterface cudaLibrary(const Scratch &scratch, const std::string &options = "");

/// The library's folder in `scratch`, with objects of weights and functions for CPUs.
void writeGpuFolder(const Scratch &scratch, const std::string &folder,
                    const LibraryInterface &library);

/// Options of compilers of C by which the folder's code is compiled.
std::string strictC();

/// Compiles the part for graphics cards of the folder "mygpu", and links it and the weights with a
/// program of the tests, which is `scratch / "user"` then.
void buildGpuProgram(const Scratch &scratch, const std::string &compiler,
                     const std::string &options, const std::string &source);

} // namespace kgen::test
