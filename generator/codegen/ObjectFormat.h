// Differences between formats of objects: how code is placed in memory, whose symbols others see,
// and what symbols any object may need. Audits, sizes and data objects ask here.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace kgen {

/// A symbol of an object file, by the name that it has in C.
struct ObjectSymbol {
  std::string name;
  bool isDefined = false;
  bool isFunction = false;
  bool isLocal = false;  ///< seen by its own object only
  bool isWeak = false;   ///< another object's symbol of this name may replace it
  bool isHidden = false; ///< seen by the objects of one program or shared library only
  int64_t bytes = 0;     ///< of a defined function or variable
};

/// All symbols of an object file but those of the format itself, such as names of sections.
llvm::Expected<std::vector<ObjectSymbol>> symbolsOf(llvm::StringRef object);

/// True for symbols that any object may need, of whatever format: copies and fills of memory, and
/// what linkers, engines and compilers' libraries define.
bool mayBeNeeded(llvm::StringRef symbol);

/// True where debuggers and exceptions get through functions with tables only, which each function
/// with a frame must have.
bool needsUnwindTables(llvm::StringRef triple);

/// True where tables of jumps would stand among instructions, so that no disassembler could tell
/// them apart: code has none.
bool avoidsJumpTables(llvm::StringRef triple);

/// The way in which the code for a triple refers to other objects.
llvm::Reloc::Model relocationModel(llvm::StringRef triple);

/// Bytes of the stack that a call takes besides the frame of the function.
int64_t callBytes(llvm::StringRef triple);

/// True if the object of a small constant can be stretched to one of a large one.
bool canStretch(llvm::StringRef triple);

} // namespace kgen
