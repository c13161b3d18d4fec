#include "codegen/ObjectFormat.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/BinaryFormat/COFF.h>
#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Object/COFF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/MachO.h>
#include <llvm/Object/SymbolSize.h>
#include <llvm/Object/Wasm.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace kgen {
namespace {

Expected<std::vector<ObjectSymbol>> symbolsOfElf(const object::ELFObjectFileBase &file) {
  std::vector<ObjectSymbol> symbols;
  for (const object::ELFSymbolRef one : file.symbols()) {
    Expected<uint32_t> flags = one.getFlags();
    if (!flags)
      return flags.takeError();
    if (*flags & object::SymbolRef::SF_FormatSpecific)
      continue;
    Expected<StringRef> name = one.getName();
    if (!name)
      return name.takeError();
    ObjectSymbol symbol;
    symbol.name = name->str();
    symbol.isDefined = !(*flags & object::SymbolRef::SF_Undefined);
    symbol.isFunction = one.getELFType() == ELF::STT_FUNC;
    symbol.isLocal = one.getBinding() == ELF::STB_LOCAL;
    symbol.isWeak = one.getBinding() != ELF::STB_GLOBAL && !symbol.isLocal;
    symbol.isHidden = (one.getOther() & 3) == ELF::STV_HIDDEN;
    symbol.bytes = static_cast<int64_t>(one.getSize());
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

std::vector<ObjectSymbol> symbolsOfWasm(const object::WasmObjectFile &file) {
  std::vector<ObjectSymbol> symbols;
  for (const object::SymbolRef &reference : file.symbols()) {
    const object::WasmSymbol &one = file.getWasmSymbol(reference);
    if (one.isTypeSection())
      continue;
    ObjectSymbol symbol;
    symbol.name = one.Info.Name.str();
    symbol.isDefined = one.isDefined();
    symbol.isFunction = one.isTypeFunction();
    symbol.isLocal = one.isBindingLocal();
    symbol.isWeak = one.isBindingWeak();
    symbol.isHidden = one.isHidden();
    if (symbol.isDefined && one.isTypeData())
      symbol.bytes = static_cast<int64_t>(one.Info.DataRef.Size);
    if (symbol.isDefined && one.isTypeFunction())
      symbol.bytes = file.functions()[one.Info.ElementIndex - file.getNumImportedFunctions()].Size;
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

/// Symbols have no sizes: each ends where the next one of its section begins.
std::vector<std::pair<object::SymbolRef, uint64_t>> sized(const object::ObjectFile &file) {
  return object::computeSymbolSizes(file);
}

/// Nothing is hidden in COFF: who makes a DLL says what it exports.
Expected<std::vector<ObjectSymbol>> symbolsOfCoff(const object::COFFObjectFile &file) {
  std::vector<ObjectSymbol> symbols;
  for (const auto &[reference, bytes] : sized(file)) {
    const object::COFFSymbolRef one = file.getCOFFSymbol(reference);
    if (one.isSectionDefinition() || one.isFileRecord() || one.isAbsolute())
      continue;
    Expected<StringRef> name = file.getSymbolName(one);
    if (!name)
      return name.takeError();
    ObjectSymbol symbol;
    symbol.name = name->str();
    symbol.isDefined = !one.isAnyUndefined();
    symbol.isFunction = one.getComplexType() == COFF::IMAGE_SYM_DTYPE_FUNCTION;
    symbol.isLocal = !one.isExternal() && !one.isWeakExternal();
    symbol.isWeak = one.isWeakExternal();
    symbol.isHidden = true;
    symbol.bytes = static_cast<int64_t>(bytes);
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

Expected<std::vector<ObjectSymbol>> symbolsOfMachO(const object::MachOObjectFile &file) {
  std::vector<ObjectSymbol> symbols;
  for (const auto &[reference, bytes] : sized(file)) {
    const object::DataRefImpl place = reference.getRawDataRefImpl();
    const uint8_t type = file.getSymbol64TableEntry(place).n_type;
    const uint16_t flags = file.getSymbol64TableEntry(place).n_desc;
    Expected<StringRef> name = reference.getName();
    Expected<object::SymbolRef::Type> kind = reference.getType();
    if (!name)
      return name.takeError();
    if (!kind)
      return kind.takeError();
    if (type & MachO::N_STAB)
      continue;
    name->consume_front("_"); // of all names in C
    ObjectSymbol symbol;
    symbol.name = name->str();
    symbol.isDefined = (type & MachO::N_TYPE) != MachO::N_UNDF;
    symbol.isFunction = *kind == object::SymbolRef::ST_Function;
    symbol.isLocal = !(type & MachO::N_EXT);
    symbol.isWeak = symbol.isDefined && (flags & MachO::N_WEAK_DEF);
    symbol.isHidden = type & MachO::N_PEXT;
    symbol.bytes = static_cast<int64_t>(bytes);
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

} // namespace

Expected<std::vector<ObjectSymbol>> symbolsOf(StringRef object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "object"));
  if (!file)
    return createStringError("not an object: " + toString(file.takeError()));
  if (const auto *elf = dyn_cast<object::ELFObjectFileBase>(file->get()))
    return symbolsOfElf(*elf);
  if (const auto *wasm = dyn_cast<object::WasmObjectFile>(file->get()))
    return symbolsOfWasm(*wasm);
  if (const auto *coff = dyn_cast<object::COFFObjectFile>(file->get()))
    return symbolsOfCoff(*coff);
  if (const auto *macho = dyn_cast<object::MachOObjectFile>(file->get()))
    return symbolsOfMachO(*macho);
  return createStringError("not an object of a format that kgen writes");
}

bool mayBeNeeded(StringRef symbol) {
  // ELF with large code models; WebAssembly: the stack, functions by their address, and memory.
  // macOS: fills with zeros and patterns.
  constexpr StringLiteral names[] = {"memcpy",
                                     "memset",
                                     "_GLOBAL_OFFSET_TABLE_",
                                     "__stack_pointer",
                                     "__indirect_function_table",
                                     "__linear_memory",
                                     "bzero",
                                     "__bzero",
                                     "memset_pattern4",
                                     "memset_pattern8",
                                     "memset_pattern16"};
  return is_contained(names, symbol);
}

bool needsUnwindTables(StringRef triple) { return Triple(triple).isOSWindows(); }

bool avoidsJumpTables(StringRef triple) { return Triple(triple).isOSBinFormatMachO(); }

Reloc::Model relocationModel(StringRef triple) {
  return Triple(triple).isOSBinFormatWasm() ? Reloc::Static : Reloc::PIC_;
}

int64_t callBytes(StringRef triple) {
  // The return address, which a WebAssembly engine keeps outside of the program's memory.
  return Triple(triple).isOSBinFormatWasm() ? 0 : 8;
}

bool canStretch(StringRef triple) {
  Triple parsed(triple);
  return !parsed.isOSBinFormatWasm() && parsed.isArch64Bit() && parsed.isLittleEndian();
}

} // namespace kgen
