// Rules for single names. Headers are read by C99 to C23 and C++11 to C++20, so the keywords of all
// of them count.
#include "spec/Names.h"

#include "spec/Yaml.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/Path.h>

namespace kgen {

constexpr size_t maxNameLength = 100;

static bool isKeyword(llvm::StringRef name) {
  static const llvm::StringSet<> words = {"alignas",
                                          "alignof",
                                          "and",
                                          "and_eq",
                                          "asm",
                                          "auto",
                                          "bitand",
                                          "bitor",
                                          "bool",
                                          "break",
                                          "case",
                                          "catch",
                                          "char",
                                          "char8_t",
                                          "char16_t",
                                          "char32_t",
                                          "class",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "compl",
                                          "concept",
                                          "const",
                                          "const_cast",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "continue",
                                          "decltype",
                                          "default",
                                          "delete",
                                          "do",
                                          "double",
                                          "dynamic_cast",
                                          "else",
                                          "enum",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "false",
                                          "float",
                                          "for",
                                          "friend",
                                          "goto",
                                          "if",
                                          "inline",
                                          "int",
                                          "long",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "noexcept",
                                          "not",
                                          "not_eq",
                                          "nullptr",
                                          "operator",
                                          "or",
                                          "or_eq",
                                          "private",
                                          "protected",
                                          "public",
                                          "register",
                                          "reinterpret_cast",
                                          "requires",
                                          "restrict",
                                          "return",
                                          "short",
                                          "signed",
                                          "sizeof",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "struct",
                                          "switch",
                                          "template",
                                          "this",
                                          "thread_local",
                                          "throw",
                                          "true",
                                          "try",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "typeof",
                                          "typeof_unqual",
                                          "union",
                                          "unsigned",
                                          "using",
                                          "virtual",
                                          "void",
                                          "volatile",
                                          "wchar_t",
                                          "while",
                                          "xor",
                                          "xor_eq"};
  return words.contains(name);
}

/// Macros and types that system headers or compilers define without being asked.
static bool isTakenByC(llvm::StringRef name) {
  static const llvm::StringSet<> words = {
      "NULL",      "EOF",  "I",     "assert",   "complex", "errno",  "far",    "i386",
      "interface", "near", "linux", "offsetof", "stdin",   "stdout", "stderr", "unix"};
  if (words.contains(name))
    return true;
  static const llvm::StringSet<> prefixes = {"int",       "uint",    "ptrdiff", "size",
                                             "intptr",    "uintptr", "intmax",  "uintmax",
                                             "max_align", "nullptr"};
  llvm::StringRef stem = name;
  if (!stem.consume_back("_t"))
    return false;
  stem = stem.rtrim("0123456789");
  if (!stem.consume_back("_least"))
    stem.consume_back("_fast");
  return prefixes.contains(stem);
}

static std::string formProblem(llvm::StringRef name) {
  if (name.empty())
    return "it is empty";
  if (name.size() > maxNameLength)
    return "it is longer than " + std::to_string(maxNameLength) + " characters";
  if (llvm::isDigit(name.front()))
    return "it begins with a digit";
  for (char c : name)
    if (!llvm::isAlnum(c) && c != '_')
      return "only letters, digits and '_' are allowed";
  return "";
}

std::string nameProblem(const std::string &name, NameUse use) {
  std::string problem = formProblem(name);
  if (!problem.empty() || use == NameUse::label)
    return problem;
  if (name.front() == '_' || name.back() == '_' || name.find("__") != std::string::npos)
    return "'_' at the beginning or end and '__' are reserved in C and C++";
  if (isKeyword(name))
    return "it is a keyword of C or C++";
  if (isTakenByC(name))
    return "it is a name of the C library or compiler";
  return "";
}

std::string cIdentifierOf(llvm::StringRef name) {
  std::string text;
  for (char c : name) {
    bool isWord = llvm::isAlnum(c);
    if (isWord)
      text += c;
    else if (!text.empty() && text.back() != '_')
      text += '_';
  }
  while (!text.empty() && text.back() == '_')
    text.pop_back();
  constexpr size_t maxLength = 90; // of 100, so that a number can follow
  if (text.size() > maxLength)
    text = text.substr(text.size() - maxLength);
  text = llvm::StringRef(text).ltrim('_').str();
  if (text.empty() || llvm::isDigit(text.front()))
    text = "v" + text;
  return nameProblem(text, NameUse::c).empty() ? text : text + "_value";
}

std::string libraryNameProblem(const std::string &name) {
  static const llvm::StringSet<> headers = {
      "assert",   "complex", "ctype",       "errno",  "fenv",    "float",     "inttypes", "iso646",
      "limits",   "locale",  "malloc",      "math",   "memory",  "pthread",   "setjmp",   "signal",
      "stdalign", "stdarg",  "stdatomic",   "stdbit", "stdbool", "stdckdint", "stddef",   "stdint",
      "stdio",    "stdlib",  "stdnoreturn", "string", "strings", "tgmath",    "threads",  "time",
      "uchar",    "unistd",  "wchar",       "wctype"};
  static const llvm::StringSet<> libraries = {"c", "m", "dl", "rt", "util", "gcc", "stdc"};
  static const llvm::StringSet<> buildTargets = {
      "all", "clean", "help", "install", "package", "rebuild_cache", "edit_cache", "test"};
  if (llvm::StringRef(name).starts_with("kgenrt"))
    return "'kgenrt' begins names of the runtime";
  if (headers.contains(name))
    return "its header would hide <" + name + ".h>";
  if (libraries.contains(name))
    return "its archive would hide the system's lib" + name;
  if (buildTargets.contains(name))
    return "CMake reserves a target of that name";
  return "";
}

std::string UniqueNames::make(const std::string &name, bool isParameter) {
  std::string base = cIdentifierOf(name);
  bool isTaken = base == "context" || base == "workspace" || base == "workspace_size" ||
                 llvm::StringRef(base).starts_with_insensitive(library + "_");
  if (isParameter && isTaken)
    base += "_value";
  std::string unique = base;
  // A loop of a thousand iterations has a thousand values of one name.
  for (int &number = numbers[base]; !taken.insert(unique).second;)
    unique = base + "_" + std::to_string(number = std::max(number, 1) + 1);
  return unique;
}

std::string targetIdentifierOf(const std::string &nameOrPath) {
  llvm::StringRef name = nameOrPath;
  if (name.contains('/') || name.ends_with(".yaml"))
    name = llvm::sys::path::stem(name);
  std::string identifier = name.str();
  for (char &c : identifier)
    if (!llvm::isAlnum(c))
      c = '_';
  return identifier;
}

} // namespace kgen
