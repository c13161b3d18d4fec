// LLVM's code generator holds the bytes of a constant four times. Those of a weight are left out
// here: the object of a small constant is stretched to the size of a large one.
#include "codegen/Stretch.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Object/COFF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/MachO.h>
#include <llvm/Support/MathExtras.h>

#include <cstring>

using namespace llvm;

namespace kgen {
namespace {

using Elf = object::ELF64LE;

/// Sections are moved in a copy of the file; all but the constant's keep their sizes.
class Stretcher {
public:
  Stretcher(const std::string &object, const object::ELFFile<Elf> &file, size_t size)
      : object(object), file(file), size(size) {}

  Expected<DataObject> run(StringRef name);

private:
  Error findSymbol(StringRef name);
  void layOut();

  const std::string &object;
  const object::ELFFile<Elf> &file;
  size_t size;
  std::vector<Elf::Shdr> headers;
  size_t data = 0;         ///< the section of the constant
  uint64_t symbolSize = 0; ///< where the file has the size of its symbol
  std::string stretched;   ///< the file without the constant's bytes
};

/// The constant's section, and where its size stands beside.
Error Stretcher::findSymbol(StringRef name) {
  for (const Elf::Shdr &table : headers) {
    if (table.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto symbols = file.symbols(&table);
    auto names = file.getStringTableForSymtab(table);
    if (!symbols)
      return symbols.takeError();
    if (!names)
      return names.takeError();
    for (const Elf::Sym &symbol : *symbols) {
      Expected<StringRef> found = symbol.getName(*names);
      if (!found)
        return found.takeError();
      if (*found != name)
        continue;
      data = symbol.st_shndx;
      symbolSize =
          reinterpret_cast<const char *>(&symbol) - object.data() + offsetof(Elf::Sym, st_size);
      return Error::success();
    }
  }
  return createStringError("the object of a constant has no symbol '" + name + "'");
}

/// Writes what stands before the constant, and all sections after it.
void Stretcher::layOut() {
  Elf::Shdr &constant = headers[data];
  uint64_t begin = constant.sh_offset, end = begin + constant.sh_size;
  uint64_t position = begin + size; // in the large file
  constant.sh_size = size;
  SmallVector<Elf::Shdr *> behind;
  for (Elf::Shdr &header : headers)
    if (header.sh_offset >= end)
      behind.push_back(&header);
  llvm::sort(behind, [](auto *a, auto *b) { return a->sh_offset < b->sh_offset; });
  stretched = object.substr(0, begin);
  const uint64_t field = symbolSize;
  auto align = [&](uint64_t alignment) {
    uint64_t aligned = alignTo(position, std::max<uint64_t>(alignment, 1));
    stretched.append(aligned - position, '\0');
    position = aligned;
  };
  for (Elf::Shdr *header : behind) {
    align(header->sh_addralign);
    StringRef contents = StringRef(object).substr(header->sh_offset, header->sh_size);
    if (field >= header->sh_offset && field < header->sh_offset + header->sh_size)
      symbolSize = stretched.size() + field - header->sh_offset;
    header->sh_offset = position;
    stretched += contents;
    position += contents.size();
  }
  align(alignof(uint64_t));
  Elf::Ehdr ehdr = file.getHeader();
  ehdr.e_shoff = position;
  std::memcpy(stretched.data(), &ehdr, sizeof ehdr);
  stretched.append(reinterpret_cast<const char *>(headers.data()),
                   headers.size() * sizeof headers.front());
}

Expected<DataObject> Stretcher::run(StringRef name) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  headers.assign(sections->begin(), sections->end());
  if (Error error = findSymbol(name))
    return error;
  uint64_t begin = headers[data].sh_offset;
  layOut();
  support::endian::write64le(&stretched[symbolSize], size);
  return DataObject{stretched.substr(0, begin), stretched.substr(begin)};
}

} // namespace

Expected<DataObject> dataObject(StringRef name, size_t size, const std::string &triple) {
  Expected<std::string> object = emitData(name, {'\1'}, triple, CodeKind::object);
  if (!object)
    return object.takeError();
  auto parsed = object::ObjectFile::createObjectFile(MemoryBufferRef(*object, "object"));
  if (!parsed)
    return parsed.takeError();
  if (const auto *coff = dyn_cast<object::COFFObjectFile>(parsed->get()))
    return stretchCoff(*object, *coff, name, size);
  if (const auto *macho = dyn_cast<object::MachOObjectFile>(parsed->get()))
    return stretchMachO(*object, *macho, name, size);
  auto file = object::ELFFile<Elf>::create(*object);
  if (!file)
    return file.takeError();
  return Stretcher(*object, *file, size).run(name);
}

} // namespace kgen
