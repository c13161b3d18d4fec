// Files with the functions that graphs call from outside of their library, for code that runs on
// this machine.
#pragma once

#include "emit/FileContents.h"
#include "support/Diagnostics.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kgen {

class LinkedFiles {
public:
  struct Object {
    std::string path;
    std::string bytes; ///< an ELF object
  };

  /// Reads `paths`: .o files, .c files, which the C compiler ($CC, else cc) compiles and which may
  /// include `headers`, and shared libraries, which are loaded. Of those, `symbols` are looked up.
  /// Null after errors.
  static std::shared_ptr<const LinkedFiles> open(const std::vector<std::string> &paths,
                                                 const std::map<std::string, FileContents> &headers,
                                                 const std::vector<std::string> &symbols,
                                                 Diagnostics &diagnostics);

  bool defines(const std::string &symbol) const {
    return defined.count(symbol) != 0 || shared.count(symbol) != 0;
  }
  const std::vector<Object> &objects() const { return objectFiles; }
  /// Addresses in shared libraries of symbols that no object defines.
  const std::map<std::string, void *> &addresses() const { return shared; }
  /// Absolute paths of the shared libraries.
  const std::vector<std::string> &libraries() const { return libraryPaths; }

private:
  void addObject(const std::string &path, const std::string &bytes, Diagnostics &diagnostics);
  void compile(const std::string &path, const std::map<std::string, FileContents> &headers,
               Diagnostics &diagnostics);
  void load(const std::string &path, const std::vector<std::string> &symbols,
            Diagnostics &diagnostics);

  std::vector<Object> objectFiles;
  std::set<std::string> defined; ///< by the objects
  std::map<std::string, void *> shared;
  std::vector<std::string> libraryPaths;
};

} // namespace kgen
