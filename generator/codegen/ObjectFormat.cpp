#include "codegen/ObjectFormat.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Object/ELFObjectFile.h>
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

} // namespace

Expected<std::vector<ObjectSymbol>> symbolsOf(StringRef object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "object"));
  if (!file)
    return createStringError("not an object: " + toString(file.takeError()));
  if (const auto *elf = dyn_cast<object::ELFObjectFileBase>(file->get()))
    return symbolsOfElf(*elf);
  if (const auto *wasm = dyn_cast<object::WasmObjectFile>(file->get()))
    return symbolsOfWasm(*wasm);
  return createStringError("not an object of a format that kgen writes");
}

bool isLinkersOwn(StringRef symbol) {
  // ELF with large code models; WebAssembly: the stack, functions by their address, and memory.
  constexpr StringLiteral names[] = {"_GLOBAL_OFFSET_TABLE_", "__stack_pointer",
                                     "__indirect_function_table", "__linear_memory"};
  return is_contained(names, symbol);
}

Reloc::Model relocationModel(StringRef triple) {
  return Triple(triple).isOSBinFormatWasm() ? Reloc::Static : Reloc::PIC_;
}

int64_t callBytes(StringRef triple) {
  // The return address, which a WebAssembly engine keeps outside of the program's memory.
  return Triple(triple).isOSBinFormatWasm() ? 0 : 8;
}

bool canStretch(StringRef triple) {
  Triple parsed(triple);
  return parsed.isOSBinFormatELF() && parsed.isArch64Bit() && parsed.isLittleEndian();
}

} // namespace kgen
