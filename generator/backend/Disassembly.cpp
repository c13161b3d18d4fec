// See Disassembly.h.
#include "backend/Disassembly.h"

#include <llvm/ADT/StringExtras.h>
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
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace kgen {
namespace {

constexpr size_t maxReported = 10;
/// Of vector registers; narrower ones hold numbers.
constexpr unsigned minVectorBits = 128;

/// Tables of an architecture that hold whatever features a CPU has.
struct Machine {
  Triple triple;
  const Target *target = nullptr;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembly;
  std::unique_ptr<MCInstrInfo> instructions;

  static Expected<Machine> create(const Architecture &architecture) {
    Machine machine;
    machine.triple = Triple(architecture.triple());
    std::string message;
    machine.target = TargetRegistry::lookupTarget(machine.triple, message);
    if (!machine.target)
      return createStringError(message);
    machine.registers.reset(machine.target->createMCRegInfo(machine.triple));
    machine.assembly.reset(
        machine.target->createMCAsmInfo(*machine.registers, machine.triple, MCTargetOptions()));
    machine.instructions.reset(machine.target->createMCInstrInfo());
    return machine;
  }
};

/// Decodes and prints instructions of CPUs that have certain features.
class Decoder {
public:
  Decoder(const Machine &machine, StringRef cpu, ArrayRef<std::string> features)
      : subtarget(machine.target->createMCSubtargetInfo(
            machine.triple, cpu, features.empty() ? "" : "+" + join(features, ",+"))),
        context(machine.triple, machine.assembly.get(), machine.registers.get(), subtarget.get()),
        disassembler(machine.target->createMCDisassembler(*subtarget, context)),
        printer(machine.target->createMCInstPrinter(
            machine.triple, machine.assembly->getAssemblerDialect(), *machine.assembly,
            *machine.instructions, *machine.registers)) {}

  explicit operator bool() const { return disassembler && printer; }

  /// Returns the number of bytes of the instruction at the beginning; 0 if there is none.
  uint64_t decode(ArrayRef<uint8_t> bytes, MCInst &instruction) const {
    uint64_t size = 0;
    auto status = disassembler->getInstruction(instruction, size, bytes, /*Address=*/0, nulls());
    return status == MCDisassembler::Fail ? 0 : size;
  }

  std::string text(const MCInst &instruction) const {
    std::string printed;
    raw_string_ostream stream(printed);
    printer->printInst(&instruction, /*Address=*/0, "", *subtarget, stream);
    std::string result; // tabs stand around the mnemonic
    for (char c : StringRef(printed).trim())
      result += c == '\t' ? ' ' : c;
    return result;
  }

  std::string mnemonic(const MCInst &instruction) const {
    return StringRef(printer->getMnemonic(instruction).first).trim().str();
  }

private:
  std::unique_ptr<MCSubtargetInfo> subtarget;
  MCContext context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
};

class Auditor {
public:
  Auditor(const Machine &machine, const Architecture &architecture, StringRef cpu,
          std::vector<std::string> allowed)
      : machine(machine), architecture(architecture), cpu(cpu), allowed(std::move(allowed)),
        decoder(machine, cpu, this->allowed) {}

  bool canDecode() const { return bool(decoder); }
  void auditSection(StringRef name, StringRef code);

  uint64_t offences = 0;
  std::string messages;
  AuditReport report;

private:
  uint64_t explain(StringRef section, uint64_t offset, ArrayRef<uint8_t> bytes);
  unsigned vectorBits(const MCInst &instruction) const;
  void refuse(StringRef section, uint64_t offset, const Twine &what) {
    if (++offences <= maxReported)
      messages += formatv("\n  {0}+{1:x}: {2}", section, offset, what.str());
  }

  const Machine &machine;
  const Architecture &architecture;
  StringRef cpu;
  std::vector<std::string> allowed;
  Decoder decoder;
};

/// Bits of the widest vector operand; 0 if there is none.
unsigned Auditor::vectorBits(const MCInst &instruction) const {
  unsigned bits = 0;
  const MCInstrDesc &description = machine.instructions->get(instruction.getOpcode());
  for (const MCOperandInfo &operand : description.operands())
    if (operand.OperandType == MCOI::OPERAND_REGISTER && operand.RegClass >= 0 &&
        !operand.isLookupRegClassByHwMode())
      bits = std::max(bits, machine.registers->getRegClass(operand.RegClass).getSizeInBits());
  return bits >= minVectorBits ? bits : 0;
}

/// Reports bytes that the target does not decode: which instruction they are to a CPU with another
/// feature. Returns their number; 0 if no feature decodes them.
uint64_t Auditor::explain(StringRef section, uint64_t offset, ArrayRef<uint8_t> bytes) {
  for (const std::string &feature : architecture.featureNames()) {
    std::vector<std::string> more = allowed;
    more.push_back(feature);
    Decoder other(machine, cpu, more);
    MCInst instruction;
    if (uint64_t size = other.decode(bytes, instruction)) {
      refuse(section, offset, other.text(instruction) + ": needs " + feature);
      return size;
    }
  }
  refuse(section, offset, "bytes that are no instruction of a target with these features");
  return 0;
}

void Auditor::auditSection(StringRef name, StringRef code) {
  ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(code.data()), code.size());
  for (uint64_t offset = 0; offset < bytes.size();) {
    MCInst instruction;
    uint64_t size = decoder.decode(bytes.drop_front(offset), instruction);
    if (size != 0) {
      ++report.instructions;
      if (unsigned bits = vectorBits(instruction))
        ++report.vectorInstructions[{decoder.mnemonic(instruction), bits}];
    } else if (size = explain(name, offset, bytes.drop_front(offset)); size == 0) {
      return; // the start of the next instruction is unknown
    }
    offset += size;
  }
}

} // namespace

Expected<AuditReport> auditByDisassembler(ArrayRef<char> object, const Architecture &architecture,
                                          StringRef cpu,
                                          const std::vector<std::string> &allowedFeatures,
                                          StringRef context) {
  auto failure = [&](const Twine &message) { return createStringError(context + ": " + message); };
  Expected<Machine> machine = Machine::create(architecture);
  if (!machine)
    return failure(toString(machine.takeError()));
  Auditor auditor(*machine, architecture, cpu, allowedFeatures);
  if (!auditor.canDecode())
    return failure("LLVM has no disassembler for " + architecture.name());
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), context);
  auto file = object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return failure("not an object: " + toString(file.takeError()));
  if ((*file)->getArch() != machine->triple.getArch())
    return failure("not an object for " + architecture.name());
  for (const object::SectionRef &section : (*file)->sections()) {
    if (!section.isText())
      continue;
    Expected<StringRef> name = section.getName(), code = section.getContents();
    if (!name || !code)
      return failure("a section cannot be read: " +
                     toString(joinErrors(name.takeError(), code.takeError())));
    auditor.auditSection(*name, *code);
  }
  if (auditor.offences > maxReported)
    auditor.messages += "\n  and " + std::to_string(auditor.offences - maxReported) + " more";
  if (auditor.offences != 0)
    return failure(Twine(auditor.offences) +
                   " instruction(s) outside the target:" + auditor.messages);
  return std::move(auditor.report);
}

} // namespace kgen
