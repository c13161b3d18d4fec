// The audit of WebAssembly's instructions. LLVM's disassembler decodes those of every feature, so
// that the feature follows from the opcode.
#include "backend/wasm/Audit.h"

#include "target/Architecture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/Wasm.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/LEB128.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace kgen::wasm {
namespace {

constexpr size_t maxReported = 10;

/// Opcodes from `first` to `last` behind a prefix byte, or without one, belong to a feature.
struct Opcodes {
  uint8_t prefix;
  uint64_t first, last;
  StringLiteral feature;
};

/// "Instructions" of the standard's binary format; version 1.0 has those that are not here.
constexpr Opcodes opcodes[] = {
    {0, 0x12, 0x13, "tail-call"},         {0, 0x06, 0x0a, "exception-handling"},
    {0, 0xc0, 0xc4, "sign-ext"},          {0, 0xd0, 0xd2, "reference-types"},
    {0xfc, 0, 7, "nontrapping-fptoint"},  {0xfc, 8, 14, "bulk-memory"},
    {0xfc, 15, 17, "reference-types"},    {0xfd, 0, 0xff, "simd128"},
    {0xfd, 0x100, 0x113, "relaxed-simd"}, {0xfe, 0, 0x4e, "atomics"},
};

/// Opcodes of relaxed-simd from 0x100 on, which LLVM 22 does not decode. They have no operands in
/// the code.
constexpr uint64_t firstRelaxed = 0x100;
constexpr StringLiteral relaxedNames[] = {"i8x16.relaxed_swizzle",
                                          "i32x4.relaxed_trunc_f32x4_s",
                                          "i32x4.relaxed_trunc_f32x4_u",
                                          "i32x4.relaxed_trunc_f64x2_s_zero",
                                          "i32x4.relaxed_trunc_f64x2_u_zero",
                                          "f32x4.relaxed_madd",
                                          "f32x4.relaxed_nmadd",
                                          "f64x2.relaxed_madd",
                                          "f64x2.relaxed_nmadd",
                                          "i8x16.relaxed_laneselect",
                                          "i16x8.relaxed_laneselect",
                                          "i32x4.relaxed_laneselect",
                                          "i64x2.relaxed_laneselect",
                                          "f32x4.relaxed_min",
                                          "f32x4.relaxed_max",
                                          "f64x2.relaxed_min",
                                          "f64x2.relaxed_max",
                                          "i16x8.relaxed_q15mulr_s",
                                          "i16x8.relaxed_dot_i8x16_i7x16_s",
                                          "i32x4.relaxed_dot_i8x16_i7x16_add_s"};

/// An instruction without its operands.
struct Opcode {
  uint8_t prefix = 0;  ///< 0: none
  uint64_t number = 0; ///< after the prefix
  unsigned bytes = 1;  ///< of both

  explicit Opcode(ArrayRef<uint8_t> code) : number(code.front()) {
    constexpr uint8_t firstPrefix = 0xfc;
    if (code.front() < firstPrefix)
      return;
    prefix = code.front();
    unsigned size = 0;
    number = decodeULEB128(code.data() + 1, &size, code.end());
    bytes += size;
  }

  /// The name of one of relaxed-simd; "" for all others.
  StringRef relaxedName() const {
    bool isRelaxed =
        prefix == 0xfd && number >= firstRelaxed && number - firstRelaxed < std::size(relaxedNames);
    return isRelaxed ? StringRef(relaxedNames[number - firstRelaxed]) : "";
  }
  /// "" for those of version 1.0.
  StringRef feature() const {
    for (const Opcodes &range : opcodes)
      if (range.prefix == prefix && range.first <= number && number <= range.last)
        return range.feature;
    return prefix == 0 ? "" : "an unknown feature";
  }
};

class Auditor {
public:
  explicit Auditor(ArrayRef<std::string> allowed) : allowed(allowed) {}

  Error prepare(StringRef tripleText);
  void auditFunction(StringRef name, ArrayRef<uint8_t> body);
  /// After the last function.
  void finish() { report.byFeature.assign(byFeature.begin(), byFeature.end()); }

  uint64_t offences = 0;
  std::string messages;
  AuditReport report;

private:
  void refuse(StringRef function, uint64_t offset, const Twine &what) {
    if (++offences <= maxReported)
      messages += formatv("\n  {0}+{1:x}: {2}", function, offset, what.str());
  }
  void count(StringRef name, StringRef feature);

  ArrayRef<std::string> allowed;
  Triple triple;
  std::map<std::string, uint64_t> byFeature;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembly;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
};

Error Auditor::prepare(StringRef tripleText) {
  triple = Triple(tripleText);
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  registers.reset(target->createMCRegInfo(triple));
  assembly.reset(target->createMCAsmInfo(*registers, triple, MCTargetOptions()));
  instructions.reset(target->createMCInstrInfo());
  subtarget.reset(target->createMCSubtargetInfo(triple, "mvp", ""));
  context = std::make_unique<MCContext>(triple, assembly.get(), registers.get(), subtarget.get());
  disassembler.reset(target->createMCDisassembler(*subtarget, *context));
  printer.reset(target->createMCInstPrinter(triple, assembly->getAssemblerDialect(), *assembly,
                                            *instructions, *registers));
  return disassembler && printer ? Error::success()
                                 : createStringError("LLVM has no disassembler for WebAssembly");
}

void Auditor::count(StringRef name, StringRef feature) {
  ++report.instructions;
  ++byFeature[feature.str()];
  constexpr unsigned vectorBits = 128;
  if (feature == "simd128" || feature == "relaxed-simd")
    ++report.vectorInstructions[{name.str(), vectorBits}];
}

void Auditor::auditFunction(StringRef name, ArrayRef<uint8_t> body) {
  for (uint64_t offset = 0, size = 0; offset < body.size(); offset += size) {
    Opcode opcode(body.drop_front(offset));
    StringRef instructionName = opcode.relaxedName(), feature = opcode.feature();
    MCInst instruction;
    if (!instructionName.empty()) {
      size = opcode.bytes;
    } else if (disassembler->getInstruction(instruction, size, body.drop_front(offset), offset,
                                            nulls()) == MCDisassembler::Fail ||
               size == 0) {
      return refuse(name, offset, "bytes that are no instruction");
    } else {
      instructionName = StringRef(printer->getMnemonic(instruction).first).trim();
    }
    if (feature.empty() || is_contained(allowed, feature))
      count(instructionName, feature);
    else
      refuse(name, offset, instructionName + ": needs " + feature);
  }
}

} // namespace

Expected<AuditReport> audit(ArrayRef<char> object, StringRef triple,
                            const std::vector<std::string> &allowedFeatures, StringRef context) {
  auto failure = [&](const Twine &message) { return createStringError(context + ": " + message); };
  Auditor auditor(allowedFeatures);
  if (Error error = auditor.prepare(triple))
    return failure(toString(std::move(error)));
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), context);
  auto file = object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return failure("not an object: " + toString(file.takeError()));
  const auto *wasm = dyn_cast<object::WasmObjectFile>(file->get());
  if (!wasm)
    return failure("not an object for WebAssembly");
  for (const llvm::wasm::WasmFunction &function : wasm->functions())
    auditor.auditFunction(function.SymbolName, function.Body);
  auditor.finish();
  if (auditor.offences > maxReported)
    auditor.messages += "\n  and " + std::to_string(auditor.offences - maxReported) + " more";
  if (auditor.offences != 0)
    return failure(Twine(auditor.offences) +
                   " instruction(s) outside the target:" + auditor.messages);
  return std::move(auditor.report);
}

} // namespace kgen::wasm
