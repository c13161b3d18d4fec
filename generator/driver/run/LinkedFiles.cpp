#include "driver/run/LinkedFiles.h"

#include "driver/run/TemporaryFolder.h"
#include "driver/run/ToolCommand.h"
#include "driver/run/UnwindTable.h"
#include "support/InputFile.h"
#include "target/Architecture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/DynamicLibrary.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

#include <optional>

namespace kgen {
namespace {

SourceLoc linkOption(const std::string &path) { return {"--link " + path, 0, 0}; }

std::optional<std::string> contentsOf(const std::string &path) {
  auto buffer = readInputFile(path, maxTextBytes);
  if (buffer)
    return (*buffer)->getBuffer().str();
  llvm::consumeError(buffer.takeError());
  return std::nullopt;
}

/// Bytes that the sections of an object may take in memory, those without bytes in the file
/// included: what `--link` gives is code and its tables.
constexpr uint64_t maxLoadedBytes = uint64_t(1) << 30;

/// Contents of an object for this CPU: the functions that others see, thread-local variables, for
/// which linking needs more of the C library than is asked for here, and an unwind table that
/// LLVM's linker does not read.
struct ObjectContents {
  std::set<std::string> functions;
  bool hasThreadLocals = false, hasUnknownUnwindTable = false;
  uint64_t loadedBytes = 0;
};

/// An error where others see a symbol that is in no section which is loaded: LLVM's linker misses
/// it, and ends the program if the object has no such section at all.
llvm::Error checkSection(const llvm::object::ELF64LEFile &file,
                         const llvm::object::ELF64LE::Sym &symbol) {
  if (symbol.getBinding() == llvm::ELF::STB_LOCAL || symbol.st_shndx == llvm::ELF::SHN_UNDEF ||
      symbol.st_shndx >= llvm::ELF::SHN_LORESERVE)
    return llvm::Error::success();
  auto section = file.getSection(symbol.st_shndx);
  if (!section)
    return section.takeError();
  bool isLoaded = (*section)->sh_type != llvm::ELF::SHT_NULL &&
                  ((*section)->sh_flags & llvm::ELF::SHF_ALLOC) &&
                  !((*section)->sh_flags & llvm::ELF::SHF_COMPRESSED);
  return isLoaded ? llvm::Error::success()
                  : llvm::createStringError("a symbol is in no section that is loaded");
}

/// Adds bytes that are loaded. LLVM's linker adds addresses and sizes without a look at overflow.
llvm::Error addLoadedBytes(uint64_t size, uint64_t alignment, ObjectContents &contents) {
  if (size > maxLoadedBytes - contents.loadedBytes)
    return llvm::createStringError("its sections take more than 1 GiB");
  if (alignment > maxLoadedBytes)
    return llvm::createStringError("a section is aligned to more than 1 GiB");
  contents.loadedBytes += size;
  return llvm::Error::success();
}

/// Adds the symbols of a table. LLVM's iterators over symbols end the program where a table or a
/// name lies outside of the file; these functions return errors.
llvm::Error addSymbols(const llvm::object::ELF64LEFile &file,
                       const llvm::object::ELF64LE::Shdr &table, ObjectContents &contents) {
  auto entries = file.symbols(&table);
  if (!entries)
    return entries.takeError();
  llvm::Expected<llvm::StringRef> names = file.getStringTableForSymtab(table);
  if (!names)
    return names.takeError();
  for (const llvm::object::ELF64LE::Sym &symbol : *entries) {
    if (llvm::Error error = checkSection(file, symbol))
      return error;
    if (symbol.st_shndx == llvm::ELF::SHN_COMMON) {
      if (!llvm::isPowerOf2_64(symbol.st_value))
        return llvm::createStringError("the alignment of a common symbol is no power of 2");
      if (llvm::Error error = addLoadedBytes(symbol.st_size, symbol.st_value, contents))
        return error;
    }
    contents.hasThreadLocals |= symbol.getType() == llvm::ELF::STT_TLS;
    if (symbol.getType() != llvm::ELF::STT_FUNC || symbol.getBinding() == llvm::ELF::STB_LOCAL ||
        symbol.st_shndx == llvm::ELF::SHN_UNDEF)
      continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName(*names);
    if (!name)
      return name.takeError();
    contents.functions.insert(name->str());
  }
  return llvm::Error::success();
}

/// The bytes around its place that a relocation of x86-64 reads or changes.
struct RelocatedBytes {
  uint64_t before = 0, after = 4;
};

RelocatedBytes relocatedBytes(uint32_t type) {
  switch (type) {
  case llvm::ELF::R_X86_64_GOTPCRELX: // the instruction's operation becomes another one
    return {2, 4};
  case llvm::ELF::R_X86_64_REX_GOTPCRELX:
    return {3, 4};
  case llvm::ELF::R_X86_64_NONE:
    return {0, 0};
  case llvm::ELF::R_X86_64_8:
  case llvm::ELF::R_X86_64_PC8:
    return {0, 1};
  case llvm::ELF::R_X86_64_16:
  case llvm::ELF::R_X86_64_PC16:
    return {0, 2};
  case llvm::ELF::R_X86_64_64:
  case llvm::ELF::R_X86_64_PC64:
  case llvm::ELF::R_X86_64_GOT64:
  case llvm::ELF::R_X86_64_GOTOFF64:
  case llvm::ELF::R_X86_64_GOTPC64:
  case llvm::ELF::R_X86_64_GOTPCREL64:
  case llvm::ELF::R_X86_64_PLTOFF64:
  case llvm::ELF::R_X86_64_SIZE64:
    return {0, 8};
  default:
    return {0, 4};
  }
}

/// An error where a relocation has bytes outside of its section, or none of the symbols: LLVM's
/// linker takes both as they are. RISC-V has relocations without a symbol.
llvm::Error checkRelocations(const llvm::object::ELF64LEFile &file,
                             const llvm::object::ELF64LE::Shdr &table) {
  auto entries = file.relas(table);
  if (!entries)
    return entries.takeError();
  auto section = file.getSection(table.sh_info);
  if (!section)
    return section.takeError();
  // Sections without bytes in the file have nothing that could be changed.
  uint64_t size = (*section)->sh_type == llvm::ELF::SHT_NOBITS ? 0 : (*section)->sh_size;
  const bool needsSymbols = file.getHeader().e_machine != llvm::ELF::EM_RISCV &&
                            ((*section)->sh_flags & llvm::ELF::SHF_ALLOC) != 0;
  for (const llvm::object::ELF64LE::Rela &entry : *entries) {
    RelocatedBytes bytes = relocatedBytes(entry.getType(/*isMips64EL=*/false));
    if (entry.r_offset < bytes.before || entry.r_offset > size ||
        size - entry.r_offset < bytes.after)
      return llvm::createStringError("a relocation lies outside of its section");
    if (entry.getSymbol(/*isMips64EL=*/false) == 0 && needsSymbols)
      return llvm::createStringError("a relocation has no symbol");
  }
  return llvm::Error::success();
}

/// Adds the size of a section that is loaded.
llvm::Error addSectionBytes(const llvm::object::ELF64LE::Shdr &section, ObjectContents &contents) {
  if (!(section.sh_flags & llvm::ELF::SHF_ALLOC))
    return llvm::Error::success();
  if (section.sh_addr != 0)
    return llvm::createStringError("a section has an address, as after linking");
  return addLoadedBytes(section.sh_size, section.sh_addralign, contents);
}

/// Adds what a section has.
llvm::Error addSection(const llvm::object::ELF64LEFile &file,
                       const llvm::object::ELF64LE::Shdr &section, ObjectContents &contents) {
  if (llvm::Error error = addSectionBytes(section, contents))
    return error;
  llvm::Expected<llvm::StringRef> name = file.getSectionName(section);
  if (!name)
    return name.takeError();
  if (*name == ".eh_frame") {
    auto bytes = file.getSectionContents(section);
    if (!bytes)
      return bytes.takeError();
    contents.hasUnknownUnwindTable |= !isKnownUnwindTable(llvm::toStringRef(*bytes));
  }
  if (section.sh_type == llvm::ELF::SHT_SYMTAB)
    return addSymbols(file, section, contents);
  if (section.sh_type == llvm::ELF::SHT_RELA)
    return checkRelocations(file, section);
  return llvm::Error::success();
}

/// Nothing if `bytes` are no object for this CPU, an error if they are a broken one.
llvm::Expected<std::optional<ObjectContents>> contentsOfObject(const std::string &bytes) {
  auto read = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, ""));
  auto *object = read ? llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(read->get()) : nullptr;
  llvm::consumeError(read.takeError());
  if (!object || object->getArch() != llvm::Triple(hostTriple()).getArch() ||
      !object->isRelocatableObject())
    return std::nullopt;
  const llvm::object::ELF64LEFile &file = object->getELFFile();
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  ObjectContents contents;
  for (const llvm::object::ELF64LE::Shdr &section : *sections)
    if (llvm::Error error = addSection(file, section, contents))
      return error;
  return contents;
}

bool writeHeaders(const std::string &folder, const std::map<std::string, FileContents> &headers) {
  for (const auto &[name, contents] : headers) {
    std::error_code code;
    llvm::raw_fd_ostream stream(folder + "/" + name, code);
    if (code)
      return false;
    stream << contents.text();
  }
  return true;
}

} // namespace

void LinkedFiles::addObject(const std::string &path, const std::string &bytes,
                            Diagnostics &diagnostics) {
  llvm::Expected<std::optional<ObjectContents>> read = contentsOfObject(bytes);
  if (!read)
    return diagnostics.error(linkOption(path), "'" + path + "' is a broken object file: " +
                                                   llvm::toString(read.takeError()));
  if (!*read)
    return diagnostics.error(linkOption(path), "'" + path + "' is no object file for this CPU");
  const ObjectContents &contents = **read;
  if (contents.hasThreadLocals)
    return diagnostics.error(linkOption(path),
                             "'" + path + "' has thread-local variables, which kgen cannot link",
                             "make a shared library of it: cc -shared -fPIC");
  if (contents.hasUnknownUnwindTable)
    return diagnostics.error(linkOption(path),
                             "'" + path + "' has an unwind table that kgen cannot link",
                             "leave it out: cc -fno-asynchronous-unwind-tables");
  for (const std::string &name : contents.functions)
    if (!defined.insert(name).second)
      diagnostics.error(linkOption(path), "another file of --link defines '" + name + "', too");
  objectFiles.push_back({path, bytes});
}

/// In a folder of its own, which has the headers while the compiler runs.
void LinkedFiles::compile(const std::string &path,
                          const std::map<std::string, FileContents> &headers,
                          Diagnostics &diagnostics) {
  llvm::ErrorOr<std::string> compiler = llvm::sys::findProgramByName(compilerName());
  if (!compiler)
    return diagnostics.error(linkOption(path), "there is no C compiler '" + compilerName() + "'",
                             "the environment variable CC names one; or give an .o file");
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::make("kgen-link");
  if (!folder)
    return diagnostics.error(linkOption(path), llvm::toString(folder.takeError()));
  std::string in = folder->str(), object = *folder / "linked.o",
              messages = *folder / "messages.txt";
  if (!writeHeaders(in, headers))
    return diagnostics.error(linkOption(path), "cannot write the library's header to '" + in + "'");
  llvm::StringRef arguments[] = {*compiler, "-O2", "-fPIC", "-c", path, "-I", in, "-o", object};
  std::string failure;
  int status = llvm::sys::ExecuteAndWait(*compiler, arguments, std::nullopt,
                                         {llvm::StringRef(), messages, messages}, 0, 0, &failure);
  if (status != 0)
    return diagnostics.error(linkOption(path), compilerName() + " cannot compile '" + path +
                                                   "':\n" + contentsOf(messages).value_or("") +
                                                   failure);
  addObject(path, contentsOf(object).value_or(""), diagnostics);
}

void LinkedFiles::load(const std::string &path, const std::vector<std::string> &symbols,
                       Diagnostics &diagnostics) {
  llvm::SmallString<128> absolute(path); // without a '/', the system's folders would be searched
  llvm::sys::fs::make_absolute(absolute);
  std::string failure;
  llvm::sys::DynamicLibrary library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(absolute.c_str(), &failure);
  if (!library.isValid())
    return diagnostics.error(linkOption(path), "cannot load '" + path + "': " + failure);
  libraryPaths.push_back(absolute.str().str());
  for (const std::string &symbol : symbols)
    if (void *address = library.getAddressOfSymbol(symbol.c_str()))
      shared.emplace(symbol, address);
}

std::shared_ptr<const LinkedFiles>
LinkedFiles::open(const std::vector<std::string> &paths,
                  const std::map<std::string, FileContents> &headers,
                  const std::vector<std::string> &symbols, Diagnostics &diagnostics) {
  size_t before = diagnostics.errors().size();
  auto files = std::make_shared<LinkedFiles>();
  for (const std::string &path : paths) {
    llvm::StringRef extension = llvm::sys::path::extension(path);
    std::optional<std::string> bytes = contentsOf(path);
    if (!bytes)
      diagnostics.error(linkOption(path), "cannot read the file '" + path + "'");
    else if (extension == ".c")
      files->compile(path, headers, diagnostics);
    else if (extension == ".o")
      files->addObject(path, *bytes, diagnostics);
    else if (extension == ".so")
      files->load(path, symbols, diagnostics);
    else
      diagnostics.error(linkOption(path), "expected a .c, .o or .so file, found '" + path + "'");
  }
  for (const std::string &name : files->defined)
    files->shared.erase(name);
  return diagnostics.errors().size() == before ? files : nullptr;
}

} // namespace kgen
