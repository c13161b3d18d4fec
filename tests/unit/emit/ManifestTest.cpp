#include "MadeUpLibrary.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace kgen;
using namespace kgen::test;

TEST_CASE("the manifest lists every other file with its size and hash") {
  FileSet files = emitLibrary(madeUpLibrary(), {{"objects/a.o", "abc"}});
  auto manifest = nlohmann::json::parse(files.at("mylib.manifest.json").text());
  std::map<std::string, nlohmann::json> listed;
  for (const auto &file : manifest["files"])
    listed[file["path"]] = file;
  CHECK(listed.size() == files.size() - 1);
  for (const auto &[name, contents] : files)
    if (name != "mylib.manifest.json") {
      INFO(name);
      REQUIRE(listed.count(name));
      CHECK(listed[name]["bytes"] == contents.size());
    }
  CHECK(listed["objects/a.o"]["sha256"] ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(manifest["generator"] == "kgen");
  CHECK(manifest["emit"] == "object");
  CHECK(manifest["provider"] == "auto");
  CHECK(manifest["reference"] == false);
  CHECK(manifest["spec_hash"] == madeUpLibrary().specHash);
  CHECK(manifest["variants"][0]["target"] == "from-the-future");
  CHECK(manifest["variants"][1]["prefers"]["families"] == nlohmann::json({6, 26}));
  CHECK(manifest["graphs"][0]["workspace_bytes"]["x86-64-v2"] == 1000);
  CHECK(manifest["graphs"][0]["inputs"][0]["type"] == "f32[2, 3]");
}

TEST_CASE("the same library gives the same bytes, whatever the order of its variants") {
  LibraryInterface library = madeUpLibrary(), shuffled = library;
  std::swap(shuffled.variants[0], shuffled.variants[3]);
  CHECK(emitLibrary(library, {{"objects/a.o", "abc"}}) ==
        emitLibrary(shuffled, {{"objects/a.o", "abc"}}));
}
