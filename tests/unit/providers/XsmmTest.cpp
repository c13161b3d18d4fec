// The provider `xsmm`: libxsmm's machine code is in the objects byte for byte, and depends on
// nothing but the spec.
#include "KernelCase.h"

#include "driver/generate/Generate.h"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <catch2/catch.hpp>

#include <libxsmm/libxsmm_main.h>
#include <libxsmm_cpuid.h>
#include <libxsmm_generator.h>

#include <cstdlib>
#include <regex>

using namespace kgen;

namespace {

GenerateOptions layers(const std::string &provider) {
  GenerateOptions options;
  options.specPath = LAYERS_SPEC;
  options.provider = provider;
  return options;
}

FileSet generate(const GenerateOptions &options) {
  GenerateResult result;
  Diagnostics diagnostics;
  GenerateStatus status = generateLibrary(options, result, diagnostics);
  INFO(diagnostics.str());
  REQUIRE(status == GenerateStatus::ok);
  return result.files;
}

/// Returns what libxsmm makes for the shape in a symbol's name, asked for in libxsmm's own terms:
/// by columns, with strides in bytes.
std::string expectedCode(const std::smatch &shape, int arch) {
  auto number = [&](int i) { return static_cast<libxsmm_blasint>(std::stol(shape[i])); };
  libxsmm_blasint m = number(3), n = number(4), k = number(5), a = number(6), b = number(7),
                  c = number(8);
  auto prefetch = shape[12].matched ? LIBXSMM_GEMM_PREFETCH_AL2 : LIBXSMM_GEMM_PREFETCH_NONE;
  auto flags = shape[1].matched ? LIBXSMM_GEMM_FLAG_BATCH_REDUCE_STRIDE : LIBXSMM_GEMM_FLAG_NONE;
  double alpha = 1, beta = shape[11].matched ? 1 : 0;
  float alpha32 = 1, beta32 = static_cast<float>(beta);
  libxsmm_descriptor_blob blob;
  libxsmm_gemm_descriptor *descriptor;
  if (shape[2] == "f32")
    descriptor = libxsmm_gemm_descriptor_init(&blob, LIBXSMM_GEMM_PRECISION_F32, n, m, k, b, a, c,
                                              &alpha32, &beta32, flags, prefetch);
  else if (shape[2] == "f64")
    descriptor = libxsmm_gemm_descriptor_init(&blob, LIBXSMM_GEMM_PRECISION_F64, n, m, k, b, a, c,
                                              &alpha, &beta, flags, prefetch);
  else
    descriptor = libxsmm_bsgemm_descriptor_init(&blob, n, m, k, b, a, c, alpha32, beta32,
                                                flags | LIBXSMM_GEMM_FLAG_VNNI_A, prefetch);
  REQUIRE(descriptor);
  if (shape[1].matched) {
    unsigned long long width = shape[2] == "f32" ? 4 : shape[2] == "f64" ? 8 : 2;
    descriptor->c1 = number(10) * width;
    descriptor->c2 = number(9) * width;
  }
  std::string bytes(1 << 17, '\0');
  libxsmm_generated_code code = {};
  code.generated_code = bytes.data();
  code.buffer_size = bytes.size();
  code.code_type = 2;
  code.arch = arch;
  libxsmm_generator_gemm_kernel(&code, descriptor);
  REQUIRE(code.last_error == 0);
  bytes.resize(code.code_size);
  return bytes;
}

/// The number of libxsmm's functions in an object, all of which must be local and have its bytes.
int checkObject(const std::string &object, int arch) {
  static const std::regex name(
      "xsmm_(br)?gemm_(f32|f64|bf16)_(\\d+)x(\\d+)x(\\d+)_a(\\d+)_b(\\d+)_c(\\d+)"
      "(?:_by(\\d+)_by(\\d+))?(_acc)?(_pf)?");
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, ""));
  REQUIRE(static_cast<bool>(file));
  int count = 0;
  for (llvm::object::ELFSymbolRef symbol : (*file)->symbols()) {
    std::string text = llvm::cantFail(symbol.getName()).str();
    std::smatch shape;
    if (!std::regex_match(text, shape, name))
      continue;
    INFO(text);
    CHECK(symbol.getBinding() == llvm::ELF::STB_LOCAL);
    CHECK(symbol.getELFType() == llvm::ELF::STT_FUNC);
    llvm::object::section_iterator section = llvm::cantFail(symbol.getSection());
    REQUIRE(section != (*file)->section_end());
    CHECK(section->isText());
    llvm::StringRef contents = llvm::cantFail(section->getContents());
    CHECK(contents.substr(llvm::cantFail(symbol.getValue()), symbol.getSize()).str() ==
          expectedCode(shape, arch));
    ++count;
  }
  return count;
}

} // namespace

TEST_CASE("libxsmm's machine code is in the objects") {
  FileSet files = generate(layers("xsmm"));
  for (const char *graph : {"floats", "doubles"}) {
    INFO(graph);
    std::string stem = std::string("objects/") + graph;
    CHECK(checkObject(files.at(stem + ".x86-64-v3.o").text(), LIBXSMM_X86_AVX2) > 0);
    CHECK(checkObject(files.at(stem + ".x86-64-v4.o").text(), LIBXSMM_X86_AVX512_CORE) > 0);
  }
  GenerateOptions pairs = layers("xsmm");
  pairs.specPath = PAIRS_SPEC;
  files = generate(pairs);
  CHECK(checkObject(files.at("objects/pairs.x86-64-v4.o").text(), LIBXSMM_X86_AVX512_CORE) > 0);
  CHECK(checkObject(files.at("objects/pairs.x86-64-v4-bf16.o").text(), LIBXSMM_X86_AVX512_CPX) > 0);
}

TEST_CASE("libxsmm's machine code that adds up several products is in objects") {
  for (const char *element : {"f32", "f64", "bf16"}) {
    INFO(element);
    bool isPairs = std::string(element) == "bf16";
    test::KernelCase kernel{"xsmm", "x86-64-v4", element, isPairs ? "f32" : element, 6, 32, 34};
    kernel.batch = 3;
    kernel.vnni = isPairs ? 2 : 1;
    kernel.accumulate = isPairs;
    CHECK(checkObject(test::kernelObject(kernel), LIBXSMM_X86_AVX512_CORE) == 1);
  }
}

TEST_CASE("other providers leave libxsmm out") {
  FileSet files = generate(layers("vector"));
  CHECK(checkObject(files.at("objects/floats.x86-64-v4.o").text(), LIBXSMM_X86_AVX512_CORE) == 0);
  FileSet byCost = generate(layers("auto"));
  for (FileSet *set : {&files, &byCost}) // it names the provider
    CHECK(set->erase("layers.manifest.json") == 1);
  CHECK(files == byCost);
}

TEST_CASE("neither threads nor libxsmm's environment change the code") {
  GenerateOptions options = layers("xsmm");
  options.jobs = 1;
  FileSet files = generate(options);
  setenv("LIBXSMM_TARGET", "wsm", 1);
  setenv("LIBXSMM_GEMM_PREFETCH", "1", 1);
  options.jobs = 4;
  CHECK(files == generate(options));
  unsetenv("LIBXSMM_TARGET");
  unsetenv("LIBXSMM_GEMM_PREFETCH");
}

TEST_CASE("a refusal is the user's error, and so is an unknown name") {
  GenerateOptions options = layers("xsmm");
  options.targets = {"x86-64-v2"};
  GenerateResult result;
  Diagnostics diagnostics;
  CHECK(generateLibrary(options, result, diagnostics) == GenerateStatus::userError);
  CHECK_THAT(diagnostics.str(), Catch::Contains("xsmm: the target x86-64-v2 has no AVX2 with FMA"));
  Diagnostics unknown;
  CHECK(generateLibrary(layers("xsm"), result, unknown) == GenerateStatus::userError);
  CHECK_THAT(unknown.str(), Catch::Contains("there is no provider 'xsm' (did you mean 'xsmm'?)"));
}
