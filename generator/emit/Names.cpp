// Names in generated C. A spec's names are almost free; what would clash with a keyword, a type or
// a parameter of kgen's own gets an underscore; what may be a macro gets `_value`; what begins like
// macros or like the library's own names gets another beginning.
#include "emit/Names.h"

#include "emit/Gpu.h"
#include "support/LibraryNames.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace kgen {
namespace {
const llvm::StringSet<> &reservedParameterNames() {
  static const llvm::StringSet<> names = {
      // C and C++
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
      "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
      "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
      "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
      "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
      "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
      "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
      "requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert",
      "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try",
      "typedef", "typeid", "typename", "typeof", "typeof_unqual", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // macros of compilers and of <stddef.h>
      "NULL", "linux", "unix", "i386", "near", "far", "interface", "offsetof", "errno",
      // types that the prototypes use
      "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",
      "uint64_t", "uintptr_t",
      // kgen's own parameters
      "context", "workspace", "workspace_size", "code", "exact", "aligned", "status", "row"};
  return names;
}

/// Macros of the C library that have small letters and no common beginning.
bool isMixedMacro(llvm::StringRef name) {
  static const llvm::StringSet<> words = {
      "AF_DECnet",    "L_ctermid",      "L_cuserid",        "L_tmpnam",  "PF_DECnet", "P_tmpdir",
      "basename",     "complex",        "d_fileno",         "h_addr",    "h_errno",   "imaginary",
      "msg_cbytes",   "noreturn",       "s6_addr",          "s6_addr16", "s6_addr32", "sa_handler",
      "sa_sigaction", "sched_priority", "math_errhandling", "stderr",    "stdin",     "stdout",
      "st_atime",     "st_ctime",       "st_mtime"};
  return words.contains(name);
}

/// True if the name begins like a macro of the C library that has small letters: nothing added at
/// the end helps.
bool beginsLikeMacro(llvm::StringRef name) {
  static const char *const prefixes[] = {"M_",   "PRI",  "SCN", "ifa_",
                                         "ifc_", "ifr_", "si_", "sigev_notify_"};
  return llvm::any_of(
      prefixes, [&](const char *prefix) { return name.starts_with(prefix) && name.size() > 3; });
}

/// True if a header of C, C++, POSIX or the system may define it as a macro. Its author need not
/// know which: macros are written in capitals, and more come with each system.
bool mayBeMacro(llvm::StringRef name) {
  bool isLoud =
      llvm::none_of(name, [](char c) { return std::islower(static_cast<unsigned char>(c)); });
  return name == "I" || (isLoud && name.size() > 1) || isMixedMacro(name);
}

/// Names for the parameters of one function.
class ParameterNames {
public:
  explicit ParameterNames(const LibraryInterface &library) : prefix(library.name + "_") {
    if (!library.states.empty())
      taken = {{"state", 1}, {"state_size", 1}};
  }

  std::string add(const std::string &specName) {
    std::string name = cIdentifier(specName);
    if (isOurs(name) || name.find("kgenrt_") == 0 || beginsLikeMacro(name))
      name.insert(0, isOurs("p_" + name) ? "v_" : "p_");
    while (reservedParameterNames().contains(name) || mayBeMacro(name))
      name += mayBeMacro(name) ? "_value" : "_";
    return fresh(name);
  }

private:
  /// The name if no parameter has it, else with `_`, else with the next number.
  std::string fresh(const std::string &name) {
    if (taken.try_emplace(name, 1).second)
      return name;
    std::string other = name + "_";
    while (!taken.try_emplace(other, 1).second)
      other = name + "_" + std::to_string(++taken[name]);
    return other;
  }

  bool isOurs(const std::string &name) const { return name.find(prefix) == 0; }

  const std::string prefix;
  /// Names that parameters have, and the last number that was added to each.
  std::map<std::string, int> taken;
};

/// Returns the number of bytes of a bidirectional control character at the beginning of the text,
/// else 0. Compilers warn about them, since code that has them need not be what an editor shows.
size_t bidirectionalControl(llvm::StringRef text) {
  if (text.starts_with("\u061c"))
    return 2;
  llvm::StringRef character = text.take_front(3);
  bool isControl = character == "\u200e" || character == "\u200f" ||
                   (character >= "\u202a" && character <= "\u202e") ||
                   (character >= "\u2066" && character <= "\u2069");
  return isControl ? 3 : 0;
}

/// The octal escape of a byte: unlike `\x`, it ends after three digits.
std::string octalEscape(char c) {
  auto byte = static_cast<unsigned char>(c);
  return {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
          static_cast<char>('0' + byte % 8)};
}

} // namespace

std::string cIdentifier(const std::string &name) {
  std::string result;
  for (char c : name)
    result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])))
    result.insert(0, "t");
  return result;
}

std::string upperCase(std::string name) {
  for (char &c : name)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string cString(const std::string &text) {
  std::string result = "\"";
  size_t escaped = 0; // what lies before is bytes of a control character
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    escaped = std::max(escaped, i + bidirectionalControl(llvm::StringRef(text).drop_front(i)));
    if (i < escaped) {
      result += octalEscape(c);
      continue;
    }
    if (c == '"' || c == '\\' || c == '?')
      result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "\"";
}

std::string inComment(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (!result.empty() &&
        ((result.back() == '*' && c == '/') || (result.back() == '/' && c == '*')))
      result += ' ';
    result += c;
  }
  return result;
}

std::string kernelSymbol(const std::string &library, const std::string &graph,
                         const std::string &target, const SizeValues &sizes) {
  std::string symbol = library + "_" + graph + "_kernel_" + cIdentifier(target);
  for (const auto &[name, size] : sizes)
    symbol += "_" + name + "_" + std::to_string(size);
  return symbol;
}

std::string partName(const std::string &graph, const SizeValues &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes)
    text += (text.empty() ? "." : "-") + name + "-" + std::to_string(size);
  return graph + text;
}

std::string objectPath(const std::string &part, const std::string &target, ObjectKind kind) {
  return "objects/" + part + "." + target + (kind == ObjectKind::object ? ".o" : ".s");
}

bool mayBeFull(const LibraryInterface &library) {
  return llvm::any_of(library.graphs, [](const GraphInterface &graph) {
    return !graph.rooms.empty() || hasHeldSizes(graph);
  });
}

std::vector<StatusCode> statusCodes(const LibraryInterface &library) {
  std::vector<StatusCode> codes = {
      {"OK", "the call did what it says"},
      {"NOT_INITIALIZED", "the context is NULL, or @library@_init did not succeed on it"},
      {"NULL_POINTER", "a tensor, a workspace that is needed, or @library@_init's context is NULL"},
      {"WORKSPACE_TOO_SMALL", "less than the function's workspace size"},
      {"UNSUPPORTED_CPU", "no variant fits this CPU and operating system"},
      {"UNKNOWN_VARIANT", "the variant asked for is not in this library"},
      {"UNSUPPORTED_VARIANT", "the variant asked for needs more than this CPU and system have"},
      {"BAD_OPTIONS", "options.size is wrong, or options that this library does not know are set"},
      {"BAD_INDEX", "there is no such function"}};
  if (!library.externs.empty())
    codes.push_back(
        {"EXTERN_FAILED", "a function that the library calls returned something but 0"});
  if (takesSizes(library))
    codes.push_back({"BAD_SIZE", "a size that the function does not take; nothing was written"});
  if (!library.states.empty())
    codes.push_back({"BAD_STATE", "a block that is misaligned or too small, or that "
                                  "@library@_state_init of this library did not begin"});
  if (mayBeFull(library))
    codes.push_back({"STATE_FULL", "no room for the rows of the call; nothing was written"});
  return codes;
}

std::vector<VariantInterface> variantsByRank(const LibraryInterface &library) {
  std::vector<VariantInterface> sorted = library.variants;
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return a.rank != b.rank ? a.rank > b.rank : a.target < b.target;
  });
  return sorted;
}

bool takesSizes(const LibraryInterface &library) {
  return std::any_of(library.graphs.begin(), library.graphs.end(),
                     [](const GraphInterface &graph) { return !graph.dims.empty(); });
}

bool hasVersions(const LibraryInterface &library) {
  return std::any_of(library.graphs.begin(), library.graphs.end(),
                     [](const GraphInterface &graph) { return !graph.versions.empty(); });
}

std::vector<SizeParameter> sizeParameters(const LibraryInterface &library,
                                          const GraphInterface &graph) {
  std::vector<SizeParameter> result;
  ParameterNames names(library);
  for (const DimSymbol &dim : graph.dims)
    result.push_back({names.add(dim.name), dim});
  return result;
}

std::vector<SizeParameter> callerSizes(const LibraryInterface &library,
                                       const GraphInterface &graph) {
  std::vector<SizeParameter> sizes = sizeParameters(library, graph);
  llvm::erase_if(sizes, [](const SizeParameter &size) { return size.isHeld(); });
  return sizes;
}

bool hasHeldSizes(const GraphInterface &graph) {
  return llvm::any_of(graph.dims, [](const DimSymbol &dim) { return !dim.state.empty(); });
}

bool hasHeldSizes(const LibraryInterface &library) {
  return llvm::any_of(library.graphs,
                      [](const GraphInterface &graph) { return hasHeldSizes(graph); });
}

std::vector<Parameter> graphParameters(const LibraryInterface &library,
                                       const GraphInterface &graph) {
  std::vector<Parameter> result;
  ParameterNames names(library);
  for (const DimSymbol &dim : graph.dims)
    names.add(dim.name);
  auto add = [&](const TensorInterface &tensor, bool isInput) {
    std::string type =
        std::string(isInput ? "const " : "") + std::string(cTypeName(tensor.type.element)) + " *";
    result.push_back(
        {names.add(tensor.name), type, tensor.type, isInput, tensor.typeText(), tensor.state});
  };
  for (const TensorInterface &tensor : graph.inputs)
    add(tensor, true);
  for (const TensorInterface &tensor : graph.outputs)
    add(tensor, false);
  return result;
}

std::vector<Parameter> externParameters(const LibraryInterface &library,
                                        const ExternInterface &function) {
  return graphParameters(library, {function.symbol, function.inputs, function.outputs, {}, {}});
}

std::string kernelParameterTypes(const LibraryInterface &library, const GraphInterface &graph) {
  std::string types;
  for (size_t i = 0; i < graph.dims.size(); ++i)
    types += "size_t, ";
  for (const Parameter &p : graphParameters(library, graph))
    types += p.cType + ", ";
  return types + "unsigned char *, const void *";
}

std::vector<std::string> nameCollisions(const LibraryInterface &library) {
  std::map<std::string, std::string> owners; // C name -> what it stands for
  std::vector<std::string> collisions;
  auto declare = [&](const std::string &name, const std::string &what) {
    auto [it, isNew] = owners.emplace(name, what);
    if (!isNew)
      collisions.push_back(what + " and " + it->second + " are both '" + name + "' in C");
  };
  for (const char *name : libraryWords)
    declare(library.name + "_" + name, std::string("kgen's own ") + library.name + "_" + name);
  std::string prefix = upperCase(library.name) + "_";
  for (const char *name : libraryMacroWords)
    declare(prefix + name, "kgen's own " + prefix + name);
  for (ElementType type : allElementTypes()) {
    std::string name = prefix + "TYPE_" + upperCase(std::string(toString(type)));
    declare(name, "the type " + name);
  }
  if (!library.externs.empty())
    declare(prefix + "EXTERN_FAILED", "kgen's own " + prefix + "EXTERN_FAILED");
  if (takesSizes(library)) {
    for (const char *name : sizedLibraryMacroWords)
      declare(prefix + name, "kgen's own " + prefix + name);
    for (const char *name : sizedLibraryWords)
      declare(library.name + "_" + name, std::string("kgen's own ") + library.name + "_" + name);
  }
  if (!library.states.empty()) {
    for (const char *name : stateLibraryMacroWords)
      declare(prefix + name, "kgen's own " + prefix + name);
    for (const char *name : stateLibraryWords)
      declare(library.name + "_" + name, std::string("kgen's own ") + library.name + "_" + name);
  }
  declareGpuNames(library, declare);
  for (const ExternInterface &function : library.externs)
    declare(function.symbol, "extern function '" + function.symbol + "'");
  for (const GraphInterface &graph : library.graphs) {
    std::string base = library.name + "_" + graph.name, what = "graph '" + graph.name + "'";
    declare(base, what);
    declare(base + "_workspace_size", "the workspace size of " + what);
    declare(upperCase(base) + "_WORKSPACE_SIZE", "the workspace macro of " + what);
    for (const VariantInterface &variant : library.variants) {
      std::string forTarget = what + " for target '" + variant.target + "'";
      declare(base + "_on_" + cIdentifier(variant.target), forTarget);
      declare(kernelSymbol(library.name, graph.name, variant.target), "the code of " + forTarget);
      for (const GraphInterface &version : graph.versions)
        declare(kernelSymbol(library.name, graph.name, variant.target, version.sizes),
                "a version of " + forTarget);
    }
  }
  if (library.name.find("kgenrt") == 0)
    collisions.push_back("library '" + library.name + "' begins like the runtime's own names");
  return collisions;
}

} // namespace kgen
