// Objects whose one constant is made larger, by format; for DataObject.cpp alone.
#pragma once

#include "codegen/ObjectCode.h"

namespace llvm::object {
class COFFObjectFile;
class MachOObjectFile;
} // namespace llvm::object

namespace kgen {

/// Returns `object` with `size` bytes in place of those of the constant `name`, which stand between
/// the two parts of the result.
llvm::Expected<DataObject> stretchCoff(llvm::StringRef object,
                                       const llvm::object::COFFObjectFile &file,
                                       llvm::StringRef name, size_t size);
llvm::Expected<DataObject> stretchMachO(llvm::StringRef object,
                                        const llvm::object::MachOObjectFile &file,
                                        llvm::StringRef name, size_t size);

} // namespace kgen
