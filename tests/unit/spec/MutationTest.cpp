// Damaged input must end in an error or a value, never in a crash. Mutations are deterministic;
// tests/fuzz/ has the open-ended form.
#include "ingress/yaml/BuildGraph.h"
#include "spec/Npz.h"
#include "spec/WeightFiles.h"
#include "target/TargetSpec.h"

#include "FakeOperators.h"
#include "ZipWriter.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <random>
#include <sstream>

using namespace kgen;

namespace {

std::string contents(const std::string &path) {
  std::ifstream file(KGEN_SOURCE_DIR "/" + path, std::ios::binary);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// One to four edits: overwrite, insert, delete, copy a range, cut the end.
class Mutator {
public:
  explicit Mutator(std::string seed) : seed(std::move(seed)) {}

  std::string next() {
    std::string text = seed;
    for (unsigned i = below(4) + 1; i > 0; --i)
      edit(text);
    return text;
  }

private:
  size_t below(size_t n) { return n ? random() % n : 0; }

  char byte() {
    static const std::string likely = "[]{}:,&*!|>'\"%@`#-? \n\t\0\xff"
                                      "0129.eE_xaf";
    return below(2) ? likely[below(likely.size())] : char(random());
  }

  void edit(std::string &text) {
    size_t at = below(text.size() + 1);
    switch (below(5)) {
    case 0:
      if (at < text.size())
        text[at] = byte();
      break;
    case 1:
      text.insert(at, 1, byte());
      break;
    case 2:
      text.erase(at, below(16));
      break;
    case 3:
      text.insert(at, text.substr(below(text.size() + 1), below(64)));
      break;
    default:
      text.resize(at);
    }
  }

  std::string seed;
  std::mt19937 random{20240229};
};

/// Checks that errors have a place in the file and something to read.
void checkDiagnostics(const Diagnostics &diagnostics, const std::string &file) {
  for (const Diagnostic &d : diagnostics.errors()) {
    REQUIRE(d.where.file == file);
    REQUIRE(d.where.line >= 1);
    REQUIRE(d.where.column >= 1);
    REQUIRE(!d.message.empty());
    REQUIRE(d.message.size() < 1000);
  }
}

} // namespace

TEST_CASE("damaged library files") {
  size_t good = 0, bad = 0;
  for (std::string seed :
       {"tests/errors/attribute-type.yaml", "tests/errors/weight-value.yaml",
        "tests/errors/not-yet.yaml", "tests/unit/spec/good.yaml", "tests/unit/spec/modules.yaml"}) {
    Mutator mutator(contents(seed));
    for (int i = 0; i < 1500; ++i) {
      Diagnostics diagnostics;
      auto spec = parseLibraryText(mutator.next(), "a.yaml", diagnostics);
      REQUIRE(spec.has_value() == !diagnostics.hasErrors());
      if (spec)
        for (const GraphSpec &graph : spec->graphs)
          if (auto built = buildGraph(graph, test::fakeOperators(), diagnostics))
            REQUIRE(!printGraph(*built).empty());
      checkDiagnostics(diagnostics, "a.yaml");
      ++(diagnostics.hasErrors() ? bad : good);
    }
  }
  // Both sides were exercised.
  CHECK(good > 20);
  CHECK(bad > 1000);
}

TEST_CASE("damaged target files") {
  Mutator mutator(contents("specs/targets/x86-64-v4.yaml"));
  size_t good = 0;
  for (int i = 0; i < 3000; ++i) {
    Diagnostics diagnostics;
    auto target = parseTargetText(mutator.next(), "a.yaml", diagnostics);
    REQUIRE(target.has_value() == !diagnostics.hasErrors());
    checkDiagnostics(diagnostics, "a.yaml");
    good += target.has_value();
  }
  CHECK(good > 20);
  CHECK(good < 3000);
}

/// Reads damaged copies of a file; counts those that still give a tensor.
static size_t countReadable(const std::string &path,
                            llvm::Expected<FileTensor> (*read)(llvm::StringRef)) {
  Mutator mutator(contents(path));
  size_t good = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = mutator.next();
    auto tensor = read(bytes);
    if (tensor) {
      ++good;
      REQUIRE(size_t(tensor->type.byteCount()) == tensor->bytes.size());
      REQUIRE(tensor->bytes.begin() >= bytes.data());
      REQUIRE(tensor->bytes.end() <= bytes.data() + bytes.size());
    } else {
      REQUIRE(!llvm::toString(tensor.takeError()).empty());
    }
  }
  return good;
}

TEST_CASE("damaged weight files") {
  for (std::string file : {"f32.npy", "f32-v2.npy", "bool.npy", "structured.npy"})
    CHECK(countReadable("tests/errors/weights/" + file, readNpy) < 20000);
  auto readWeight = [](llvm::StringRef bytes) -> llvm::Expected<FileTensor> {
    llvm::Expected<SafetensorsFile> file = SafetensorsFile::parse(bytes);
    return file ? file->find("weight") : file.takeError();
  };
  for (std::string file : {"good", "overlap", "gap", "nesting"})
    CHECK(countReadable("tests/errors/weights/" + file + ".safetensors", readWeight) < 20000);
  CHECK(countReadable("tests/errors/weights/f32.npy", readNpy) > 100);
  CHECK(countReadable("tests/errors/weights/good.safetensors", readWeight) > 100);
}

TEST_CASE("damaged archives of arrays") {
  std::string array = contents("tests/errors/weights/f32.npy");
  for (bool isDeflated : {false, true}) {
    Mutator mutator(test::zipArchive({{"a.npy", array, isDeflated}, {"b.npy", array, isDeflated}}));
    size_t good = 0, bad = 0;
    for (int i = 0; i < 20000; ++i) {
      std::string bytes = mutator.next();
      auto archive = NpzArchive::parse(bytes);
      if (!archive) {
        REQUIRE(!llvm::toString(archive.takeError()).empty());
        ++bad;
        continue;
      }
      for (const std::string &name : archive->names()) {
        std::string storage;
        auto tensor = archive->read(name, storage);
        if (tensor)
          REQUIRE(size_t(tensor->type.byteCount()) == tensor->bytes.size());
        else
          REQUIRE(!llvm::toString(tensor.takeError()).empty());
        ++(tensor ? good : bad);
      }
    }
    CHECK(good > 100);
    CHECK(bad > 1000);
  }
}
