// Objects of COFF and of Mach-O with one constant: its section is the last one that has bytes of
// the program, and tables of symbols follow.
#include "codegen/Stretch.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Object/COFF.h>
#include <llvm/Object/MachO.h>
#include <llvm/Support/MathExtras.h>

#include <cstddef>

using namespace llvm;

namespace kgen {
namespace {

/// A copy of a file whose numbers are changed, by their place in it.
class Copy {
public:
  explicit Copy(StringRef file) : bytes(file.str()) {}

  size_t placeOf(const void *inFile, StringRef file) const {
    return static_cast<const char *>(inFile) - file.data();
  }
  void setWord(size_t at, uint64_t value) {
    support::endian::write32le(&bytes[at], static_cast<uint32_t>(value));
  }
  void addToWord(size_t at, uint64_t by) {
    if (uint32_t value = support::endian::read32le(&bytes[at]); value != 0)
      setWord(at, value + by);
  }
  void setNumber(size_t at, uint64_t value) { support::endian::write64le(&bytes[at], value); }

  std::string bytes;
};

Error refuse(StringRef name) {
  return createStringError("the object of a constant has no section with '" + name + "'");
}

/// The section of a symbol.
Expected<const object::coff_section *> sectionOf(const object::COFFObjectFile &file,
                                                 StringRef name) {
  for (const object::SymbolRef &symbol : file.symbols()) {
    Expected<StringRef> found = symbol.getName();
    if (!found)
      return found.takeError();
    if (*found == name)
      return file.getSection(file.getCOFFSymbol(symbol).getSectionNumber());
  }
  return nullptr;
}

} // namespace

Expected<DataObject> stretchCoff(StringRef object, const object::COFFObjectFile &file,
                                 StringRef name, size_t size) {
  Expected<const object::coff_section *> constant = sectionOf(file, name);
  if (!constant)
    return constant.takeError();
  if (!*constant)
    return refuse(name);
  const uint64_t begin = (*constant)->PointerToRawData, end = begin + (*constant)->SizeOfRawData;
  const uint64_t moved = size - (end - begin);
  Copy copy(object);
  for (const object::SectionRef &section : file.sections()) {
    const object::coff_section *one = file.getCOFFSection(section);
    const size_t at = copy.placeOf(one, object);
    if (one == *constant)
      copy.setWord(at + offsetof(object::coff_section, SizeOfRawData), size);
    else if (one->PointerToRawData >= end)
      copy.addToWord(at + offsetof(object::coff_section, PointerToRawData), moved);
  }
  for (const object::SymbolRef &symbol : file.symbols()) {
    const object::COFFSymbolRef one = file.getCOFFSymbol(symbol);
    const auto *description = one.getSectionDefinition();
    Expected<const object::coff_section *> described = file.getSection(one.getSectionNumber());
    if (!described)
      return described.takeError();
    if (!description || *described != *constant)
      continue;
    const size_t at = copy.placeOf(description, object);
    copy.setWord(at + offsetof(object::coff_aux_section_definition, Length), size);
    // Of sections that linkers compare with each other, which this is not.
    copy.setWord(at + offsetof(object::coff_aux_section_definition, CheckSum), 0);
  }
  copy.addToWord(offsetof(object::coff_file_header, PointerToSymbolTable), moved);
  return DataObject{copy.bytes.substr(0, begin), copy.bytes.substr(end)};
}

Expected<DataObject> stretchMachO(StringRef object, const object::MachOObjectFile &file,
                                  StringRef name, size_t size) {
  constexpr uint64_t alignment = 8; // of tables after sections
  Copy copy(object);
  size_t header = 0;
  uint64_t begin = 0, address = 0;
  for (const auto &command : file.load_commands())
    if (command.C.cmd == MachO::LC_SEGMENT_64)
      for (uint32_t i = 0; i < file.getSegment64LoadCommand(command).nsects; ++i)
        if (const MachO::section_64 section = file.getSection64(command, i); section.size != 0) {
          header = copy.placeOf(command.Ptr, object) + sizeof(MachO::segment_command_64) +
                   i * sizeof(MachO::section_64);
          begin = section.offset;
          address = section.addr;
        }
  if (header == 0)
    return refuse(name);
  const uint64_t tables = alignTo(begin + 1, alignment), next = alignTo(begin + size, alignment);
  copy.setNumber(header + offsetof(MachO::section_64, size), size);
  for (const auto &command : file.load_commands()) {
    const size_t at = copy.placeOf(command.Ptr, object);
    if (command.C.cmd == MachO::LC_SEGMENT_64) {
      copy.setNumber(at + offsetof(MachO::segment_command_64, vmsize), address + size);
      copy.setNumber(at + offsetof(MachO::segment_command_64, filesize), address + size);
    } else if (command.C.cmd == MachO::LC_SYMTAB) {
      copy.addToWord(at + offsetof(MachO::symtab_command, symoff), next - tables);
      copy.addToWord(at + offsetof(MachO::symtab_command, stroff), next - tables);
    }
  }
  return DataObject{copy.bytes.substr(0, begin),
                    std::string(next - begin - size, '\0') + copy.bytes.substr(tables)};
}

} // namespace kgen
