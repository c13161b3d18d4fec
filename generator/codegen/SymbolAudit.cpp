// The symbols that an object exports and needs: checks that external ones begin with the library's
// prefix.
#include "codegen/Audit.h"
#include "codegen/ObjectFormat.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

/// Returns what is wrong with a symbol; empty if nothing is.
static std::string complaint(const ObjectSymbol &symbol, llvm::StringRef prefix,
                             llvm::ArrayRef<std::string> externs) {
  if (symbol.isLocal)
    return "";
  const std::string &name = symbol.name;
  bool isOurs = llvm::StringRef(name).starts_with(prefix);
  if (!symbol.isDefined) {
    bool isListed = mayBeNeeded(name) || llvm::is_contained(externs, name);
    return isOurs || isListed ? "" : "needs '" + name + "', which generated code must not call";
  }
  if (!isOurs)
    return "exports '" + name + "', which does not begin with '" + prefix.str() + "'";
  if (symbol.isWeak)
    return "'" + name + "' is weak";
  return symbol.isHidden ? "" : "'" + name + "' is not hidden";
}

llvm::Error auditSymbols(llvm::ArrayRef<char> object, llvm::StringRef prefix,
                         llvm::StringRef context, llvm::ArrayRef<std::string> externs) {
  auto failure = [&](const llvm::Twine &message) {
    return llvm::make_error<llvm::StringError>(context + ": " + message,
                                               llvm::inconvertibleErrorCode());
  };
  llvm::Expected<std::vector<ObjectSymbol>> symbols =
      symbolsOf(llvm::StringRef(object.data(), object.size()));
  if (!symbols)
    return failure(llvm::toString(symbols.takeError()));
  std::string messages;
  for (const ObjectSymbol &symbol : *symbols)
    if (std::string wrong = complaint(symbol, prefix, externs); !wrong.empty())
      messages += (messages.empty() ? "" : "; ") + wrong;
  return messages.empty() ? llvm::Error::success() : failure(messages);
}

llvm::Expected<bool> definesFunction(llvm::StringRef object, llvm::StringRef symbol) {
  llvm::Expected<std::vector<ObjectSymbol>> symbols = symbolsOf(object);
  if (!symbols)
    return symbols.takeError();
  return llvm::any_of(*symbols, [&](const ObjectSymbol &one) {
    return one.name == symbol && one.isDefined && !one.isLocal;
  });
}

} // namespace kgen
