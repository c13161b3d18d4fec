#include "codegen/SpirvCode.h"

#include <mlir/Target/SPIRV/Serialization.h>

#include <llvm/Support/Endian.h>

using namespace mlir;

namespace kgen {

llvm::Expected<std::string> spirvBytes(spirv::ModuleOp module) {
  SmallVector<uint32_t> words;
  spirv::SerializationOptions options;
  options.emitSymbolName = false;
  options.emitDebugInfo = false;
  if (failed(spirv::serialize(module, words, options)))
    return llvm::createStringError("the kernel cannot be written as SPIR-V");
  std::string bytes(4 * words.size(), '\0');
  for (size_t i = 0; i < words.size(); ++i)
    llvm::support::endian::write32le(&bytes[4 * i], words[i]);
  return bytes;
}

} // namespace kgen
