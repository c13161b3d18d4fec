// Unwind tables of object files: those that compilers write, and others.
#include "driver/run/UnwindTable.h"

#include <catch2/catch.hpp>

#include <string>

using namespace kgen;

namespace {

/// Returns a common record with this augmentation and these bytes of its fields.
std::string commonRecord(const std::string &letters, const std::string &fields) {
  std::string record = std::string(4, 0) + '\1' + letters + std::string("\0\1\x78\x10", 4);
  if (!letters.empty())
    record += char(fields.size()) + fields;
  return char(record.size()) + std::string(3, 0) + record;
}

/// A record of a function.
const std::string functionRecord = std::string("\x0c\0\0\0\x10\0\0\0", 8) + std::string(8, 0);

} // namespace

TEST_CASE("Unwind tables of compilers are known") {
  CHECK(isKnownUnwindTable(""));
  CHECK(isKnownUnwindTable(commonRecord("", "")));
  CHECK(isKnownUnwindTable(commonRecord("zR", "\x1b") + functionRecord));
  CHECK(isKnownUnwindTable(commonRecord("zR", std::string(1, 0)) + functionRecord));
  CHECK(isKnownUnwindTable(commonRecord("zPLR", std::string("\x9b\0\0\0\0\x1b\x1b", 7))));
  CHECK(
      isKnownUnwindTable(commonRecord("zPLR", std::string(1, 0) + std::string(8, 0) + "\x03\x03")));
  CHECK(isKnownUnwindTable(commonRecord("zR", "\x1b") + std::string(4, 0)));
}

TEST_CASE("Unwind tables that LLVM's linker cannot read are not known") {
  for (const char *encoding : {"\x01", "\x05", "\x0f", "\x1a", "\x2b", "\x5b", "\xff"})
    CHECK_FALSE(isKnownUnwindTable(commonRecord("zR", encoding)));
  CHECK_FALSE(isKnownUnwindTable(functionRecord + commonRecord("zR", "\x15")));
  CHECK_FALSE(isKnownUnwindTable(commonRecord("zLL", "\x1b\x1b")));
  CHECK_FALSE(isKnownUnwindTable(commonRecord("zS", "\x1b")));
  CHECK_FALSE(isKnownUnwindTable(commonRecord("R", "\x1b")));
  CHECK_FALSE(isKnownUnwindTable(commonRecord("zPR", std::string("\x1b\0\0", 3))));
}

TEST_CASE("Records outside of the table are not known") {
  std::string table = commonRecord("zR", "\x1b") + functionRecord;
  CHECK_FALSE(isKnownUnwindTable(table.substr(0, table.size() - 1)));
  CHECK_FALSE(isKnownUnwindTable("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
  CHECK_FALSE(isKnownUnwindTable("\1"));
}
