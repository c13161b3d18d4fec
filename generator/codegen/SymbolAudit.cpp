// The symbols that an object exports and needs: checks that external ones begin with the library's
// prefix.
#include "codegen/Audit.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Object/ELFObjectFile.h>

namespace kgen {
namespace {
/// Returns what is wrong with a symbol; empty if nothing is.
llvm::Expected<std::string> complaint(const llvm::object::ELFSymbolRef &symbol,
                                      llvm::StringRef prefix, llvm::ArrayRef<std::string> externs) {
  llvm::Expected<uint32_t> flags = symbol.getFlags();
  if (!flags)
    return flags.takeError();
  bool isLocal = symbol.getBinding() == llvm::ELF::STB_LOCAL;
  if (isLocal || (*flags & llvm::object::SymbolRef::SF_FormatSpecific))
    return "";
  llvm::Expected<llvm::StringRef> name = symbol.getName();
  if (!name)
    return name.takeError();
  bool isOurs = name->starts_with(prefix);
  if (*flags & llvm::object::SymbolRef::SF_Undefined) {
    // With large code models the linker's own symbol appears.
    bool isListed = *name == "memcpy" || *name == "memset" || *name == "_GLOBAL_OFFSET_TABLE_" ||
                    llvm::is_contained(externs, name->str());
    return isOurs || isListed ? ""
                              : "needs '" + name->str() + "', which generated code must not call";
  }
  if (!isOurs)
    return "exports '" + name->str() + "', which does not begin with '" + prefix.str() + "'";
  if (symbol.getBinding() != llvm::ELF::STB_GLOBAL)
    return "'" + name->str() + "' is weak";
  if ((symbol.getOther() & 3) != llvm::ELF::STV_HIDDEN)
    return "'" + name->str() + "' is not hidden";
  return "";
}
} // namespace

llvm::Error auditSymbols(llvm::ArrayRef<char> object, llvm::StringRef prefix,
                         llvm::StringRef context, llvm::ArrayRef<std::string> externs) {
  auto failure = [&](const llvm::Twine &message) {
    return llvm::make_error<llvm::StringError>(context + ": " + message,
                                               llvm::inconvertibleErrorCode());
  };
  llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), context);
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return failure("not an ELF object: " + llvm::toString(file.takeError()));
  std::string messages;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<std::string> wrong = complaint(symbol, prefix, externs);
    if (!wrong)
      return failure("a symbol cannot be read: " + llvm::toString(wrong.takeError()));
    if (!wrong->empty())
      messages += (messages.empty() ? "" : "; ") + *wrong;
  }
  return messages.empty() ? llvm::Error::success() : failure(messages);
}

llvm::Expected<bool> definesFunction(llvm::StringRef object, llvm::StringRef symbol) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, symbol));
  if (!file)
    return file.takeError();
  for (const llvm::object::ELFSymbolRef one : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = one.getFlags();
    if (!flags)
      return flags.takeError();
    llvm::Expected<llvm::StringRef> name = one.getName();
    if (!name)
      return name.takeError();
    if (*name == symbol && !(*flags & llvm::object::SymbolRef::SF_Undefined) &&
        one.getBinding() != llvm::ELF::STB_LOCAL)
      return true;
  }
  return false;
}

} // namespace kgen
