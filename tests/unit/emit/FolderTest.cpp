// Replacing, refusing and comparing folders.
#include "MadeUpLibrary.h"

#include "emit/Folder.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace kgen;
using namespace kgen::test;
namespace fs = std::filesystem;

namespace {
FileSet someLibrary(const std::string &object = "old") {
  return emitLibrary(madeUpLibrary(),
                     {{"objects/forward.o", object}, {"objects/" + object + ".o", "1"}});
}
std::string replace(const std::string &directory, const FileSet &files, bool mayExchange = true) {
  return llvm::toString(replaceFolder(directory, files, mayExchange));
}
size_t entries(const fs::path &directory) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}
} // namespace

TEST_CASE("a folder is created, with its parents, and replaced") {
  for (bool mayExchange : {true, false}) {
    INFO("mayExchange " << mayExchange);
    Scratch scratch;
    std::string folder = scratch / "a/b/lib";
    CHECK(replace(folder, someLibrary("old"), mayExchange) == "");
    CHECK(compareFolder(folder, someLibrary("old")).empty());
    CHECK(replace(folder + "/", someLibrary("new"), mayExchange) == "");
    CHECK(compareFolder(folder, someLibrary("new")).empty()); // so objects/old.o is gone
    CHECK(entries(scratch.path / "a/b") == 1);                // no temporary beside it
    struct stat info;
    REQUIRE(stat(folder.c_str(), &info) == 0);
    mode_t mask = umask(0);
    umask(mask);
    CHECK((info.st_mode & 0777) == (0777 & ~mask));
  }
}

TEST_CASE("an empty folder and a link to a folder are replaced") {
  Scratch scratch;
  fs::create_directory(scratch.path / "empty");
  CHECK(replace(scratch / "empty", someLibrary()) == "");
  fs::create_directory_symlink(scratch.path / "empty", scratch.path / "link");
  CHECK(replace(scratch / "link", someLibrary("new")) == "");
  CHECK(fs::is_symlink(scratch.path / "link"));
  CHECK(compareFolder(scratch / "empty", someLibrary("new")).empty());
}

TEST_CASE("a signal waits until the folder is whole, or what was begun is gone") {
  Scratch scratch;
  REQUIRE(replace(scratch / "lib", someLibrary("old")) == "");
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  raise(SIGTERM);
  CHECK_THAT(replace(scratch / "lib", someLibrary("new")),
             Catch::Contains("interrupted while writing"));
  CHECK(compareFolder(scratch / "lib", someLibrary("old")).empty());
  CHECK(entries(scratch.path) == 1);
  signal(SIGTERM, SIG_IGN); // forgets it
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGTERM, SIG_DFL);
}

TEST_CASE("what processes that are gone have left is removed, what others write is not") {
  Scratch scratch;
  pid_t gone = fork();
  if (gone == 0)
    _exit(0);
  waitpid(gone, nullptr, 0);
  const std::string left = ".lib.kgen-" + std::to_string(gone) + "-0",
                    named = ".lib.kgen-" + std::to_string(gone) + "-td5td2be",
                    current = ".lib.kgen-" + std::to_string(getppid()) + "-0";
  for (const std::string &name :
       {left, named, current, ".other.kgen-" + std::to_string(gone) + "-0"})
    scratch.write(name + "/objects/f.o", "1");
  REQUIRE(replace(scratch / "lib", someLibrary()) == "");
  CHECK(!fs::exists(scratch.path / left));
  CHECK(fs::exists(scratch.path / named));
  CHECK(fs::exists(scratch.path / current));
  CHECK(entries(scratch.path) == 4);
}

TEST_CASE("a link to itself is named") {
  Scratch scratch;
  fs::create_symlink("lib", scratch.path / "lib");
  CHECK_THAT(replace(scratch / "lib", someLibrary()), Catch::Contains(scratch / "lib"));
}

TEST_CASE("what kgen did not write is never replaced") {
  Scratch scratch;
  SECTION("no manifest") {
    scratch.write("lib/letter.txt", "dear");
    CHECK_THAT(replace(scratch / "lib", someLibrary()), Catch::Contains("did not write"));
    CHECK(scratch.read("lib/letter.txt") == "dear");
  }
  SECTION("somebody else's manifest") {
    scratch.write("lib/x.manifest.json", "{\"generator\": \"other\"}");
    const std::string message = "x.manifest.json' is no manifest of kgen, or a damaged one";
    CHECK_THAT(replace(scratch / "lib", someLibrary()), Catch::Contains(message));
    for (std::string text : {"[kgen", ""}) {
      scratch.write("lib/x.manifest.json", text);
      CHECK_THAT(replace(scratch / "lib", someLibrary()), Catch::Contains(message));
    }
  }
  SECTION("a file among kgen's") {
    REQUIRE(replace(scratch / "lib", someLibrary("old")) == "");
    scratch.write("lib/objects/letter.txt", "dear");
    CHECK_THAT(replace(scratch / "lib", someLibrary("new")), Catch::Contains("objects/letter.txt"));
    CHECK(compareFolder(scratch / "lib", someLibrary("old")) ==
          std::vector<std::string>{"objects/letter.txt: not generated"});
  }
  SECTION("a file where the folder should be") {
    scratch.write("lib", "dear");
    CHECK_THAT(replace(scratch / "lib", someLibrary()), Catch::Contains("not a folder"));
    CHECK(scratch.read("lib") == "dear");
  }
  CHECK(entries(scratch.path) == 1);
}

TEST_CASE("a write that fails leaves the old folder and no temporary") {
  Scratch scratch;
  REQUIRE(replace(scratch / "lib", someLibrary("old")) == "");
  FileSet large = someLibrary("new");
  large["objects/z.o"] = std::string(1 << 20, 'z');
  rlimit before{}, limit{};
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 100000; // a file beyond this fails like a full disk
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::string onReplace = replace(scratch / "lib", large),
              onCreate = replace(scratch / "a/b", large);
  std::string onFile = llvm::toString(replaceFile(scratch / "c/d", large["objects/z.o"]));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK_THAT(onReplace, Catch::Contains("cannot write"));
  CHECK_THAT(onCreate, Catch::Contains("cannot write"));
  CHECK_THAT(onFile, Catch::Contains("cannot write"));
  CHECK(compareFolder(scratch / "lib", someLibrary("old")).empty());
  CHECK(entries(scratch.path) == 1); // not even the parents
}

TEST_CASE("a place where nothing may be written") {
  Scratch scratch;
  CHECK_THAT(replace("/proc/kgen-test/lib", someLibrary()), Catch::Contains("cannot create"));
  if (geteuid() == 0)
    return; // root may write everywhere
  fs::create_directory(scratch.path / "locked");
  chmod((scratch / "locked").c_str(), 0555);
  CHECK_THAT(replace(scratch / "locked/lib", someLibrary()), Catch::Contains("Permission denied"));
  chmod((scratch / "locked").c_str(), 0755);
  CHECK(entries(scratch.path / "locked") == 0);
}

TEST_CASE("a folder whose replacement was interrupted is still kgen's") {
  Scratch scratch;
  REQUIRE(replace(scratch / "lib", someLibrary("old")) == "");
  fs::rename(scratch.path / "lib/mylib.manifest.json",
             scratch.path / "lib/mylib.manifest.json.incomplete");
  fs::remove(scratch.path / "lib/mylib.c");
  scratch.write("lib/objects/new.o", "half");
  CHECK(replace(scratch / "lib", someLibrary("new"), /*mayExchange=*/false) == "");
  CHECK(compareFolder(scratch / "lib", someLibrary("new")).empty());
}

TEST_CASE("folders in which an interrupted run put nothing yet are kgen's") {
  Scratch scratch;
  REQUIRE(replace(scratch / "lib", someLibrary()) == "");
  fs::rename(scratch.path / "lib/mylib.manifest.json",
             scratch.path / "lib/mylib.manifest.json.incomplete");
  fs::remove_all(scratch.path / "lib/objects");
  fs::create_directory(scratch.path / "lib/objects");
  CHECK(replace(scratch / "lib", someLibrary(), /*mayExchange=*/false) == "");
  CHECK(compareFolder(scratch / "lib", someLibrary()).empty());
  fs::create_directory(scratch.path / "lib/mine");
  CHECK_THAT(replace(scratch / "lib", someLibrary(), /*mayExchange=*/false),
             Catch::Contains("contains 'mine/', which kgen did not write"));
}

TEST_CASE("a folder that was empty and is killed half-way is kgen's") {
  Scratch scratch;
  fs::create_directory(scratch.path / "lib");
  FileSet objects;
  for (int i = 0; i < 5000; ++i)
    objects["objects/" + std::to_string(i) + ".o"] = "";
  FileSet files = emitLibrary(madeUpLibrary(), objects);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    llvm::consumeError(replaceFolder(scratch / "lib", files, /*mayExchange=*/false));
    _exit(0);
  }
  while (entries(scratch.path / "lib") == 0 && waitpid(child, nullptr, WNOHANG) == 0)
    continue;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(!fs::exists(scratch.path / "lib/mylib.manifest.json"));
  CHECK(replace(scratch / "lib", files, /*mayExchange=*/false) == "");
  CHECK(compareFolder(scratch / "lib", files).empty());
}

TEST_CASE("differences are listed") {
  Scratch scratch;
  FileSet files = someLibrary();
  REQUIRE(replace(scratch / "lib", files) == "");
  scratch.write("lib/mylib.c", "int x;");
  scratch.write("lib/extra/e.txt", "");
  fs::remove(scratch.path / "lib/mylib.h");
  CHECK(compareFolder(scratch / "lib", files) ==
        std::vector<std::string>{"mylib.c: differs", "mylib.h: missing",
                                 "extra/e.txt: not generated"});
  CHECK(compareFolder(scratch / "nowhere", files).size() == files.size());
}

TEST_CASE("a file that does not change keeps its time stamp") {
  Scratch scratch;
  std::string file = scratch / "deps/a.d";
  REQUIRE(llvm::toString(replaceFile(file, "one")) == "");
  fs::last_write_time(file, fs::file_time_type{} + std::chrono::hours(1));
  auto before = fs::last_write_time(file);
  CHECK(llvm::toString(replaceFile(file, "one")) == "");
  CHECK(fs::last_write_time(file) == before);
  CHECK(llvm::toString(replaceFile(file, "two")) == "");
  CHECK(scratch.read("deps/a.d") == "two");
  CHECK(fs::last_write_time(file) != before);
  CHECK(entries(scratch.path / "deps") == 1);
}

TEST_CASE("files are replaced together, or none of them") {
  Scratch scratch;
  const std::string first = scratch / "a/first", second = scratch / "b/second";
  auto contents = [](const std::string &path) {
    std::ifstream stream(path);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  REQUIRE(llvm::toString(replaceFiles({{first, "one"}, {second, "two"}})) == "");
  CHECK(llvm::toString(replaceFiles({{first, "three"}, {second, "four"}})) == "");
  CHECK(contents(first) + contents(second) == "threefour");
  fs::remove(second);
  fs::create_directory(second);
  CHECK(llvm::toString(replaceFiles({{first, "five"}, {second, "six"}})) ==
        "'" + second + "' is a folder; expected the name of a file");
  CHECK(contents(first) == "three");
  CHECK(entries(scratch / "a") == 1);
  CHECK(entries(scratch / "b") == 1);
  // The file that was missing is missing again, with its folder.
  const std::string third = scratch / "a/first/third", added = scratch / "A/new";
  CHECK(llvm::toString(replaceFiles({{added, "seven"}, {third, "eight"}})) != "");
  CHECK(!fs::exists(scratch / "A"));
}

TEST_CASE("a folder with folders of architectures is replaced, and so is one by it") {
  LibraryInterface library = madeUpLibrary();
  library.architectures = {{"x86_64", "__x86_64__", {}}, {"aarch64", "__aarch64__", {}}};
  FileSet inner;
  for (const char *folder : {"x86_64/", "aarch64/"})
    for (const auto &[name, contents] : someLibrary())
      inner[folder + name] = contents;
  const FileSet both = emitLibrary(library, inner);
  for (bool mayExchange : {true, false}) {
    INFO("mayExchange " << mayExchange);
    Scratch scratch;
    std::string folder = scratch / "lib";
    fs::create_directory(folder); // empty: its manifest comes first
    CHECK(replace(folder, both, mayExchange) == "");
    CHECK(compareFolder(folder, both).empty());
    CHECK(replace(folder, both, mayExchange) == "");
    CHECK(compareFolder(folder, both).empty());
    CHECK(replace(folder, someLibrary("new"), mayExchange) == "");
    CHECK(compareFolder(folder, someLibrary("new")).empty());
    CHECK(!fs::exists(scratch.path / "lib/aarch64"));
  }
}
