#include "driver/run/UnwindTable.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Support/DataExtractor.h>
#include <llvm/Support/Error.h>

#include <limits>

namespace kgen {
namespace {

constexpr size_t pointerBytes = 8;

/// True for pointers of 4 or 8 bytes, absolute or relative to their place.
bool isKnownEncoding(uint8_t encoding) {
  constexpr uint8_t format = 0x0f, base = 0x70;
  switch (encoding & format) {
  case llvm::dwarf::DW_EH_PE_absptr:
  case llvm::dwarf::DW_EH_PE_udata4:
  case llvm::dwarf::DW_EH_PE_udata8:
  case llvm::dwarf::DW_EH_PE_sdata4:
  case llvm::dwarf::DW_EH_PE_sdata8:
    return (encoding & base) == llvm::dwarf::DW_EH_PE_absptr ||
           (encoding & base) == llvm::dwarf::DW_EH_PE_pcrel;
  default:
    return false;
  }
}

/// Returns the bytes of a pointer whose encoding is known.
size_t bytesOfPointer(uint8_t encoding) {
  constexpr uint8_t halfWidth = 0x03; // udata4 and sdata4, but for the sign
  return (encoding & 0x07) == halfWidth ? pointerBytes / 2 : pointerBytes;
}

/// True if each letter after the first, `z`, stands once and names a field with a known encoding.
bool areKnownFields(llvm::StringRef letters, const llvm::DataExtractor &data,
                    llvm::DataExtractor::Cursor &at) {
  for (size_t i = 0; i < letters.size(); ++i) {
    uint8_t encoding = data.getU8(at);
    if (!llvm::StringRef("LPR").contains(letters[i]) ||
        letters.drop_front(i + 1).contains(letters[i]) || !isKnownEncoding(encoding))
      return false;
    if (letters[i] == 'P')
      data.skip(at, bytesOfPointer(encoding));
  }
  return true;
}

/// `record`: what comes after the length and the number that says what it is.
bool isKnownCommonRecord(llvm::StringRef record) {
  llvm::DataExtractor data(record, /*IsLittleEndian=*/true, pointerBytes);
  llvm::DataExtractor::Cursor at(0);
  data.getU8(at); // version
  llvm::StringRef augmentation = data.getCStrRef(at);
  data.getULEB128(at); // a unit of code
  data.getSLEB128(at); // a unit of the stack
  data.getU8(at);      // the register of the return address
  bool isKnown = augmentation.empty();
  if (augmentation.consume_front("z")) {
    data.getULEB128(at); // bytes of the fields
    isKnown = areKnownFields(augmentation, data, at);
  }
  return !llvm::errorToBool(at.takeError()) && isKnown;
}

} // namespace

bool isKnownUnwindTable(llvm::StringRef bytes) {
  llvm::DataExtractor data(bytes, /*IsLittleEndian=*/true, pointerBytes);
  llvm::DataExtractor::Cursor at(0);
  bool isKnown = true;
  while (at && isKnown && at.tell() < bytes.size()) {
    uint64_t length = data.getU32(at);
    if (length == std::numeric_limits<uint32_t>::max())
      length = data.getU64(at);
    llvm::StringRef record = data.getBytes(at, length);
    bool isCommon = record.consume_front(llvm::StringRef("\0\0\0\0", 4));
    isKnown = !isCommon || isKnownCommonRecord(record);
  }
  return !llvm::errorToBool(at.takeError()) && isKnown;
}

} // namespace kgen
