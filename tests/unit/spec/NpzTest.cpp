// The reader of .npz on bytes in memory; archives that NumPy has written are read in tests/verify.
#include "spec/Npz.h"

#include "ZipWriter.h"

#include <catch2/catch.hpp>

using namespace kgen;
using namespace kgen::test;

namespace {

std::string bytesNpy(const std::string &shape, const std::string &data) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }";
  return std::string("\x93NUMPY\1\0", 8) + littleEndian(header.size(), 2) + header + data;
}

/// "u8[2] ab" or the error.
std::string readArray(const std::string &file, const std::string &name) {
  auto archive = NpzArchive::parse(file);
  if (!archive)
    return llvm::toString(archive.takeError());
  std::string storage;
  auto tensor = archive->read(name, storage);
  if (!tensor)
    return name + ": " + llvm::toString(tensor.takeError());
  return tensor->type.str() + " " + tensor->bytes.str();
}

/// `file` with other bytes at the first place where `what` stands, and `skip` after it.
std::string patched(std::string file, const std::string &what, size_t skip,
                    const std::string &bytes) {
  size_t at = file.find(what);
  REQUIRE(at != std::string::npos);
  return file.replace(at + skip, bytes.size(), bytes);
}

const std::string manyBytes(500, 'x');
const std::vector<ZipMember> members = {{"x.npy", bytesNpy("(2,)", "ab")},
                                        {"long.npy", bytesNpy("(500,)", manyBytes), true},
                                        {"none.npy", bytesNpy("(0, 3)", ""), true}};
const std::string directoryEntry = "PK\1\2";

} // namespace

TEST_CASE("arrays of an archive, stored and deflated, with small and large sizes") {
  for (bool isLarge : {false, true}) {
    std::string file = zipArchive(members, isLarge);
    auto archive = NpzArchive::parse(file);
    REQUIRE(bool(archive));
    CHECK(archive->names() == std::vector<std::string>{"long", "none", "x"});
    CHECK(readArray(file, "x") == "u8[2] ab");
    CHECK(readArray(file, "long") == "u8[500] " + manyBytes);
    CHECK(readArray(file, "none") == "u8[0, 3] ");
    CHECK(readArray(file, "y") == "y: there is no such array");
  }
  CHECK(readArray(zipArchive({}), "x") == "x: there is no such array");
  // A comment after the end of the archive.
  std::string commented = zipArchive(members);
  commented.replace(commented.size() - 2, 2, littleEndian(5, 2));
  CHECK(readArray(commented + "hello", "x") == "u8[2] ab");
}

TEST_CASE("what is no archive") {
  std::string noEnd = "it is not a .npz file, or truncated (the zip archive has no end)";
  CHECK(readArray("", "x") == noEnd);
  CHECK(readArray("PK", "x") == noEnd);
  CHECK(readArray(bytesNpy("(2,)", "ab"), "x") ==
        "it is a .npy file, not a .npz archive; numpy.savez writes one");
  CHECK(readArray(zipArchive({members[0], members[0]}), "x") == "it has two arrays 'x'");
  CHECK(readArray(zipArchive({{"x.txt", "hello"}}), "x.txt") ==
        "x.txt: it is not a .npy file (wrong magic number)");
}

TEST_CASE("every prefix of an archive is refused") {
  std::string file = zipArchive(members);
  for (size_t n = 0; n < file.size(); ++n)
    CHECK(readArray(file.substr(0, n), "long") != "u8[500] " + manyBytes);
}

TEST_CASE("archives that contradict themselves") {
  std::string stored = zipArchive({members[0]}), deflated = zipArchive({members[1]});
  auto number = [](uint64_t value, size_t bytes) { return littleEndian(value, bytes); };
  CHECK(readArray(patched(stored, directoryEntry, 8, number(1, 2)), "x") == "x: it is encrypted");
  CHECK(readArray(patched(stored, directoryEntry, 10, number(12, 2)), "x") ==
        "x: it is compressed by a method (zip's 12) that is not NumPy's; numpy.savez and "
        "numpy.savez_compressed write stored and deflated ones");
  CHECK(readArray(patched(stored, directoryEntry, 24, number(3, 4)), "x") ==
        "x: its size is not what the directory says");
  CHECK(readArray(patched(stored, directoryEntry, 20, number(99999, 4)), "x") ==
        "x: it is truncated");
  CHECK(readArray(patched(stored, directoryEntry, 42, number(7, 4)), "x") ==
        "x: it is not where the directory says");
  CHECK(readArray(patched(stored, "ab", 0, "ac"), "x") ==
        "x: its checksum is wrong: the file is damaged");
  CHECK(readArray(patched(stored, directoryEntry, 28, number(9999, 2)), "x") ==
        "its directory is malformed");
  CHECK(readArray(patched(stored, directoryEntry, 0, "PK\1\7"), "x") ==
        "its directory is malformed");
  CHECK(readArray(patched(stored, "PK\5\6", 16, number(99999, 4)), "x") ==
        "its directory is not within the file");
  // The size that a hostile directory promises is not allocated.
  CHECK(readArray(patched(deflated, directoryEntry, 24, number(0xfffffff0, 4)), "long") ==
        "long: it cannot have the size that the directory says");
  for (uint64_t size : {uint64_t(0), uint64_t(1), uint64_t(499), uint64_t(700)})
    CHECK(readArray(patched(deflated, directoryEntry, 24, number(size, 4)), "long") ==
          "long: its compressed data are damaged");
  CHECK(readArray(patched(deflated, directoryEntry, 24, number(0xffffffff, 4)), "long") ==
        "its directory lacks the size of 'long'");
  CHECK(readArray(patched(zipArchive(members, true), "PK\6\6", 0, "PK\6\5"), "x") ==
        "its zip64 record is not where it should be");
}
