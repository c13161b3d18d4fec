// Tensors whose elements are in files beside the model.
#include "TemporaryFolder.h"
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace kgen;
using namespace kgen::test;

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

onnx::TensorProto external(const Sizes &shape, const Entries &entries) {
  onnx::TensorProto tensor = floats(shape, {});
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto &[key, value] : entries) {
    auto &entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return tensor;
}

/// `y = x + w` with four elements of external data, imported as FOLDER/m/m.onnx.
TestImport importWith(const TemporaryFolder &folder, const Entries &entries) {
  TestModel model;
  model.input("x", {4}).initializer("w", external({4}, entries)).output("y");
  model.node("Add", {"x", "w"}, {"y"});
  return importBytes(model.bytes(), {}, folder.path("m/m.onnx"));
}

std::string bytesOf(const std::vector<float> &elements) {
  return {reinterpret_cast<const char *>(elements.data()), sizeof(float) * elements.size()};
}

} // namespace

TEST_CASE("external data is read from its offset, and the file counts as read") {
  TemporaryFolder folder;
  folder.write("m/data/w.bin", bytesOf({9, 1, 2, 3, 4, 9}));
  TestImport result =
      importWith(folder, {{"location", "data/w.bin"}, {"offset", "4"}, {"length", "16"}});
  INFO(result.messages);
  REQUIRE(result.model);
  const std::vector<char> &data = *result.model->graph.values[1].data;
  CHECK(std::string(data.begin(), data.end()) == bytesOf({1, 2, 3, 4}));
  CHECK(result.model->files == Names{folder.path("m/m.onnx"), folder.path("m/data/w.bin")});
}

TEST_CASE("external data that is not in the model's folder or below") {
  TemporaryFolder folder;
  folder.write("outside.bin", bytesOf({1, 2, 3, 4}));
  folder.write("m/inside.bin", bytesOf({1, 2, 3, 4}));
  folder.write("m-other/w.bin", bytesOf({1, 2, 3, 4}));
  std::filesystem::create_symlink(folder.path("outside.bin"), folder.path("m/link.bin"));
  std::filesystem::create_directory_symlink(folder.path("m-other"), folder.path("m/linked"));
  std::filesystem::create_symlink("inside.bin", folder.path("m/within.bin"));
  auto at = [&](const std::string &location) {
    return importWith(folder, {{"location", location}}).messages;
  };
  for (const char *location :
       {"../outside.bin", "link.bin", "linked/w.bin", "../m-other/w.bin", "./../outside.bin"})
    CHECK(has(at(location), "is outside of the model's folder"));
  CHECK(has(at(folder.path("m/inside.bin")), "expected a path relative to the model's folder"));
  CHECK(has(at(""), "expected a path relative to the model's folder"));
  CHECK(has(at("missing.bin"), "no such file"));
  CHECK(has(at("../m"), "is outside of the model's folder"));
  CHECK(has(at(std::string("inside.bin\0x", 12)), "cannot be read"));
  CHECK(at("within.bin") == "");
  CHECK(at("../m/inside.bin") == "");
}

TEST_CASE("external data that is a folder, a pipe or a device") {
  TemporaryFolder folder;
  folder.write("m/folder/x", "");
  std::filesystem::create_symlink("/dev/zero", folder.path("m/zero"));
  CHECK(has(importWith(folder, {{"location", "folder"}}).messages, "it is a folder"));
  CHECK(has(importWith(folder, {{"location", "zero"}}).messages, "outside of the model's folder"));
}

TEST_CASE("offsets and lengths that do not fit") {
  TemporaryFolder folder;
  folder.write("m/w.bin", bytesOf({1, 2, 3, 4, 5}));
  auto with = [&](Entries entries) {
    entries.emplace_back("location", "w.bin");
    return importWith(folder, entries).messages;
  };
  CHECK(with({{"offset", "4"}}) == "");
  for (const char *offset : {"5", "8", "20", "21", "18446744073709551615"})
    CHECK(has(with({{"offset", offset}}), "ends behind the end"));
  for (const char *offset : {"-1", "x", "1.5", "18446744073709551616"})
    CHECK(has(with({{"offset", offset}}), "expected the 16 bytes of the tensor"));
  for (const char *length : {"0", "15", "17", "-16", "abc"})
    CHECK(has(with({{"length", length}}), "expected the 16 bytes of the tensor"));
}

TEST_CASE("tensors that share external data share its bytes, and may not read a file ever again") {
  TemporaryFolder folder;
  folder.write("m/w.bin", bytesOf(std::vector<float>(100, 1.0f)));
  TestModel model;
  model.input("x", {100}).output("y");
  std::string last = "x";
  for (int i = 0; i < 20; ++i) {
    std::string name = "w" + std::to_string(i), next = "y" + std::to_string(i);
    model.initializer(name, external({100}, {{"location", "w.bin"}}));
    model.node("Add", {last, name}, {next});
    last = next;
  }
  model.node("Neg", {last}, {"y"});
  TestImport tied = importBytes(model.bytes(), {}, folder.path("m/m.onnx"));
  INFO(tied.messages);
  REQUIRE(tied.model);
  CHECK(tied.model->graph.values[1].data == tied.model->graph.values[20].data);
  for (int i = 0; i < 50; ++i)
    model.initializer("o" + std::to_string(i),
                      external({50}, {{"location", "w.bin"}, {"offset", std::to_string(4 * i)}}));
  CHECK(has(importBytes(model.bytes(), {}, folder.path("m/m.onnx")).messages,
            "overlaps that of other tensors more than once"));
}

TEST_CASE("bytes of an external tensor of zero elements") {
  TemporaryFolder folder;
  folder.write("m/w.bin", "");
  TestModel model;
  model.input("x", {1}).initializer("w", external({0}, {{"location", "w.bin"}})).output("y");
  model.node("Add", {"x", "w"}, {"y"});
  CHECK(has(importBytes(model.bytes(), {}, folder.path("m/m.onnx")).text(), "y: f32[0] = Add"));
}
