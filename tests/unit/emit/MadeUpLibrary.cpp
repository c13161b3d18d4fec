#include "MadeUpLibrary.h"

#include "emit/Folder.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/wait.h>

namespace kgen::test {
namespace {
TensorInterface tensor(const std::string &name, ElementType type, std::vector<int64_t> shape) {
  return {name, {type, std::move(shape)}};
}
const std::vector<std::string> v2 = {"cx16", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2", "sahf"};
} // namespace

LibraryInterface madeUpLibrary(const std::string &name) {
  LibraryInterface library;
  library.name = name;
  library.triple = "x86_64-unknown-linux-gnu";
  library.specHash = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  std::vector<std::string> never = v2;
  never.push_back("feature-that-nobody-knows");
  library.variants = {{"x86-64-v2", 20, v2, "", {}, {}},
                      {"x86-64", 10, {}, "", {}, {}},
                      {"from-the-future", 90, never, "", {}, {}},
                      {"for-others", 80, v2, "NobodysCPUs!", {0x6, 0x1a}, {}}};
  GraphInterface forward;
  forward.name = "forward";
  forward.inputs = {tensor("x", ElementType::f32, {2, 3}), tensor("bias", ElementType::f32, {3})};
  forward.outputs = {tensor("out", ElementType::f32, {2, 3})};
  forward.numerics = {"sums in f32; at most 4 ulp", "not a comment's end: */"};
  forward.workspaceBytes = {
      {"x86-64-v2", 1000}, {"x86-64", 24}, {"from-the-future", 0}, {"for-others", 2000}};
  GraphInterface
      scale; // every element type; names that clash with keywords, types and kgen's own parameters
  scale.name = "scale";
  const char *names[] = {"class",   "linux", "workspace", "size_t", "mylib_ok",
                         "context", "int",   "x",         "NULL"};
  for (size_t i = 0; i < allElementTypes().size(); ++i)
    scale.inputs.push_back(tensor(i < std::size(names) ? names[i] : "x" + std::to_string(i),
                                  allElementTypes()[i], {}));
  scale.outputs = {tensor("x", ElementType::f64, {}),
                   tensor("restrict", ElementType::boolean, {1})};
  GraphInterface constant;
  constant.name = "constant";
  constant.outputs = {tensor("out", ElementType::i32, {4})};
  GraphInterface nothing;
  nothing.name = "nothing";
  nothing.inputs = {tensor("x", ElementType::f16, {0, 7})};
  nothing.outputs = {tensor("out", ElementType::f16, {0, 7})};
  for (GraphInterface *graph : {&scale, &constant, &nothing})
    for (const VariantInterface &variant : library.variants)
      graph->workspaceBytes[variant.target] = 0;
  library.graphs = {forward, scale, constant, nothing};
  return library;
}

namespace {
/// "HIDDEN void NAME(const float *i0, ..., float *o0, unsigned char *w, const void *e) { BODY }"
/// with its prototype.
std::string kernel(const LibraryInterface &library, size_t graphIndex, const std::string &target,
                   const std::string &body) {
  const GraphInterface &graph = library.graphs[graphIndex];
  std::string head = "HIDDEN void " + kernelSymbol(library.name, graph.name, target) + "(";
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    head += "const " + std::string(cTypeName(graph.inputs[i].type.element)) + " *i" +
            std::to_string(i) + ", ";
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    head +=
        std::string(cTypeName(graph.outputs[i].type.element)) + " *o" + std::to_string(i) + ", ";
  head += "unsigned char *w, const void *e)";
  return head + ";\n" + head + " {\n" + body + "}\n";
}
} // namespace

/// Each kernel does its graph's job; "forward" and "constant" add the variant's number so that a
/// test sees who ran, "forward" checks the workspace's alignment and writes all of it, and
/// "constant" gives its work to the executor.
std::string madeUpKernels(const LibraryInterface &library) {
  std::string text = "#include <stdint.h>\n#include <stddef.h>\n"
                     "#define HIDDEN __attribute__((visibility(\"hidden\")))\n"
                     "typedef void task(void *argument, uint32_t index);\n"
                     "struct executor { void (*run)(void *, uint32_t, task *, void *); void *user; "
                     "};\n";
  int number = 100;
  for (const VariantInterface &v : library.variants) {
    std::string n = std::to_string(number),
                bytes = std::to_string(library.graphs[0].workspaceBytes.at(v.target));
    number += 100;
    text += kernel(library, 0, v.target,
                   "  for (int i = 0; i < " + bytes +
                       "; ++i) w[i] = 1;\n"
                       "  for (int i = 0; i < 6; ++i) o0[i] = ((uintptr_t)w & 63) ? -1.0f : i0[i] "
                       "+ i1[i % 3] + " +
                       n + ";\n");
    text += kernel(library, 1, v.target,
                   "  *o0 = (double)*i0 + *i3 + *i8;\n  *o1 = *i8;\n  (void)w;\n");
    text += "static void task" + n + "(void *o, uint32_t i) { ((int32_t *)o)[i] = (int32_t)i + " +
            n + "; }\n";
    text += kernel(library, 2, v.target,
                   "  const struct executor *x = e;\n"
                   "  if (x && x->run) x->run(x->user, 4, task" +
                       n + ", o0);\n  else for (uint32_t i = 0; i < 4; ++i) task" + n +
                       "(o0, i);\n  o0[0] += w != NULL;\n");
    text += kernel(library, 3, v.target, "  (void)w;\n");
  }
  return text;
}

Scratch::Scratch() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kgen-test-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()));
  path = pattern;
}
Scratch::~Scratch() {
  std::error_code code;
  std::filesystem::remove_all(path, code);
}
void Scratch::write(const std::string &name, const std::string &contents) const {
  std::filesystem::create_directories((path / name).parent_path());
  std::ofstream stream(path / name, std::ios::binary);
  stream << contents;
  stream.close();
  REQUIRE(stream);
}
std::string Scratch::read(const std::string &name) const {
  std::ifstream stream(path / name, std::ios::binary);
  REQUIRE(stream);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

Outcome run(const std::string &command) {
  FILE *pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  REQUIRE(pipe);
  std::string output;
  std::array<char, 4096> buffer;
  while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), n);
  int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), output};
}

namespace {
std::vector<std::string> withOptional(const char *always, const char *optional) {
  if (*optional)
    return {always, optional};
  return {always};
}
} // namespace

std::vector<std::string> cCompilers() { return withOptional("gcc", KGEN_TEST_CLANG); }
std::vector<std::string> cxxCompilers() { return withOptional("g++", KGEN_TEST_CLANGXX); }

void writeMadeUpFolder(const Scratch &scratch, const std::string &folder,
                       const LibraryInterface &library) {
  scratch.write("kernels.c", madeUpKernels(library));
  bool isAssembly = library.objectKind == ObjectKind::assembly;
  Outcome compiled =
      run("gcc -O2 -fPIC " + std::string(isAssembly ? "-S" : "-c") + " -Wno-unused-parameter -o " +
          (scratch / "kernels.out") + " " + (scratch / "kernels.c"));
  INFO(compiled.output);
  REQUIRE(compiled.code == 0);
  FileSet objects = {
      {objectPath("all", "kernels", library.objectKind), scratch.read("kernels.out")}};
  llvm::Error error = replaceFolder(scratch / folder, emitLibrary(library, objects));
  REQUIRE(llvm::toString(std::move(error)) == "");
}

} // namespace kgen::test
