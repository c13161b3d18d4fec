// Contents in memory and on disk are the same to whoever reads them.
#include "MadeUpLibrary.h"

#include "emit/Folder.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <thread>

using namespace kgen;
using namespace kgen::test;

namespace {
std::string numbered(size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i)
    text += static_cast<char>(i % 251);
  return text;
}
std::string textOf(const FileContents &contents) { return llvm::cantFail(contents.read()); }
} // namespace

TEST_CASE("what is on disk is what was given") {
  std::shared_ptr<ScratchFile> scratch = ScratchFile::create();
  REQUIRE(scratch);
  for (size_t size :
       {size_t(0), size_t(1), (size_t(1) << 20) - 1, size_t(1) << 20, size_t(2500001)}) {
    INFO(size);
    std::string text = numbered(size);
    FileContents disk = FileContents::stored({"head", text, "tail"}, scratch);
    FileContents memory("head" + text + "tail");
    CHECK(disk.size() == memory.size());
    CHECK(textOf(disk) == textOf(memory));
    CHECK(disk.sha256() == memory.sha256());
    CHECK(disk == memory);
    CHECK(disk != FileContents("head" + text + "tali"));
    CHECK(textOf(FileContents::stored({"head", text, "tail"}, nullptr)) == memory.text());
  }
}

TEST_CASE("threads write contents at a time") {
  std::shared_ptr<ScratchFile> scratch = ScratchFile::create();
  REQUIRE(scratch);
  std::vector<FileContents> all(16);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < all.size(); ++i)
    threads.emplace_back([&, i] {
      all[i] = FileContents::stored({numbered(100000 + i), std::to_string(i)}, scratch);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < all.size(); ++i)
    CHECK(textOf(all[i]) == numbered(100000 + i) + std::to_string(i));
}

TEST_CASE("a folder has what is on disk, and is compared with it") {
  Scratch folder;
  std::shared_ptr<ScratchFile> scratch = ScratchFile::create();
  REQUIRE(scratch);
  std::string text = numbered(1500000);
  FileSet files = emitLibrary(madeUpLibrary(), {{"objects/forward.o", "code"}});
  files["objects/weights.o"] = FileContents::stored(llvm::StringRef(text), scratch);
  REQUIRE(!replaceFolder(folder / "lib", files));
  CHECK(compareFolder(folder / "lib", files).empty());
  text[1400000] ^= 1;
  FileSet others = files;
  others["objects/weights.o"] = FileContents::stored(llvm::StringRef(text), scratch);
  CHECK(compareFolder(folder / "lib", others) ==
        std::vector<std::string>{"objects/weights.o: differs"});
  REQUIRE(!replaceFile(folder / "lib/objects/weights.o", others["objects/weights.o"]));
  CHECK(compareFolder(folder / "lib", others).empty());
}

TEST_CASE("without a folder for temporary files, contents stay in memory") {
  const char *before = std::getenv("TMPDIR");
  std::string saved = before ? before : "";
  setenv("TMPDIR", "/nonexistent", 1);
  std::shared_ptr<ScratchFile> scratch = ScratchFile::create();
  if (before)
    setenv("TMPDIR", saved.c_str(), 1);
  else
    unsetenv("TMPDIR");
  CHECK(!scratch);
  CHECK(textOf(FileContents::stored({"a", "b"}, scratch)) == "ab");
}
