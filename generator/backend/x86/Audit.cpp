// The ISA audit. Zydis names the ISA set of each instruction; backend/x86/runtime/cpu_features.def
// lists the features that it needs. Sets that the table does not list are rejected. This catches
// code that LLVM generates for another CPU than the variant's: an AVX-512 instruction in an AVX2
// variant.
#include "backend/x86/Audit.h"

#include "backend/x86/CpuFeatures.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/FormatVariadic.h>

#include <Zydis/Zydis.h>

#include <map>
#include <optional>

namespace kgen {
namespace {
constexpr size_t maxReported = 10;

/// Zydis' name of an ISA set -> the features that it needs, all of them; none: x86-64 itself.
using Requirements = llvm::StringMap<std::vector<std::string>>;

const Requirements &isaSetRequirements() {
  static const Requirements table = [] {
    Requirements t;
    for (std::string_view set : baseIsaSets())
      t.try_emplace(llvm::StringRef(set.data(), set.size()));
    for (const CpuFeature &feature : cpuFeatures())
      for (std::string_view set : feature.isaSets) {
        auto &needs = t[llvm::StringRef(set.data(), set.size())];
        if (!feature.baseline)
          needs.emplace_back(feature.name);
      }
    return t;
  }();
  return table;
}

/// An instruction's features; nothing if the table does not know it.
std::optional<std::vector<std::string>>
requiredFeatures(const ZydisDecodedInstruction &instruction) {
  // Landing pads belong to another ISA set, but are no-ops on CPUs without it.
  if (instruction.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
    return std::vector<std::string>();
  llvm::StringRef set = ZydisISASetGetString(instruction.meta.isa_set);
  auto it = isaSetRequirements().find(set);
  if (it == isaSetRequirements().end())
    return std::nullopt;
  std::vector<std::string> needs = it->second;
  // Zydis counts the 128-bit VEX form as plain AVX.
  if (instruction.mnemonic == ZYDIS_MNEMONIC_VPCLMULQDQ && set == "AVX")
    needs.push_back("pclmul");
  if (instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX) {
    if (set.ends_with("_128") || set.ends_with("_256"))
      needs.push_back("avx512vl");
    if (!llvm::is_contained(needs, "avx512f"))
      needs.push_back("avx512f");
  }
  return needs;
}

std::string textOf(const ZydisDecodedInstruction &instruction,
                   const ZydisDecodedOperand *operands) {
  ZydisFormatter formatter;
  char buffer[256] = "";
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
  ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
                                  instruction.operand_count_visible, buffer, sizeof buffer,
                                  ZYDIS_RUNTIME_ADDRESS_NONE, nullptr);
  return buffer;
}

/// Bits of the widest vector operand, 0 for tiles only; nothing if there is neither.
std::optional<unsigned> vectorBits(const ZydisDecodedInstruction &instruction,
                                   const ZydisDecodedOperand *operands) {
  std::optional<unsigned> bits;
  for (const ZydisDecodedOperand &operand :
       llvm::ArrayRef(operands, instruction.operand_count_visible)) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER)
      continue;
    ZydisRegisterClass kind = ZydisRegisterGetClass(operand.reg.value);
    if (kind == ZYDIS_REGCLASS_TMM)
      bits = bits.value_or(0);
    else if (kind == ZYDIS_REGCLASS_XMM || kind == ZYDIS_REGCLASS_YMM || kind == ZYDIS_REGCLASS_ZMM)
      bits = std::max<unsigned>(bits.value_or(0), operand.size);
  }
  return bits;
}

class Auditor {
public:
  explicit Auditor(const std::vector<std::string> &allowedFeatures) {
    for (const std::string &name : allowedFeatures)
      allowed.insert(name);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  void auditSection(llvm::StringRef name, llvm::StringRef code) {
    for (size_t offset = 0; offset < code.size();) {
      ZydisDecodedInstruction instruction;
      ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
      ZyanStatus status = ZydisDecoderDecodeFull(&decoder, code.data() + offset,
                                                 code.size() - offset, &instruction, operands);
      if (!ZYAN_SUCCESS(status)) {
        // The start of the next instruction is unknown.
        report(name, offset, "bytes that are no instruction", "");
        return;
      }
      check(name, offset, instruction, operands);
      offset += instruction.length;
    }
  }

  uint64_t offences = 0, instructions = 0;
  std::string messages;
  std::map<std::string, uint64_t> byFeature;
  std::map<std::pair<ZydisMnemonic, unsigned>, uint64_t> vectorInstructions;

private:
  void check(llvm::StringRef section, size_t offset, const ZydisDecodedInstruction &instruction,
             const ZydisDecodedOperand *operands) {
    ++instructions;
    if (std::optional<unsigned> bits = vectorBits(instruction, operands))
      ++vectorInstructions[{instruction.mnemonic, *bits}];
    std::optional<std::vector<std::string>> needs = requiredFeatures(instruction);
    if (!needs) {
      std::string set = ZydisISASetGetString(instruction.meta.isa_set);
      return report(section, offset, textOf(instruction, operands),
                    "belongs to " + set + ", which cpu_features.def does not know");
    }
    // LLVM writes bsf with this prefix where the operand is not zero: the same result on all CPUs.
    if (instruction.mnemonic == ZYDIS_MNEMONIC_TZCNT && !allowed.contains("bmi"))
      needs->clear();
    if (needs->empty())
      ++byFeature[""];
    std::string missing;
    for (const std::string &feature : *needs) {
      ++byFeature[feature];
      if (!allowed.contains(feature))
        missing += (missing.empty() ? "needs " : ", ") + feature;
    }
    if (!missing.empty())
      report(section, offset, textOf(instruction, operands), missing);
  }

  void report(llvm::StringRef section, size_t offset, const std::string &what,
              const std::string &why) {
    if (++offences <= maxReported)
      messages += llvm::formatv("\n  {0}+{1:x}: {2}{3}{4}", section, offset, what,
                                why.empty() ? "" : ": ", why);
  }

  ZydisDecoder decoder;
  llvm::StringSet<> allowed;
};

llvm::Error auditError(llvm::StringRef context, const llvm::Twine &message) {
  return llvm::make_error<llvm::StringError>(context + ": " + message,
                                             llvm::inconvertibleErrorCode());
}
} // namespace

llvm::Expected<AuditReport> auditObject(llvm::ArrayRef<char> object,
                                        const std::vector<std::string> &allowedFeatures,
                                        llvm::StringRef context) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), context);
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return auditError(context, "not an object: " + llvm::toString(file.takeError()));
  if ((*file)->getArch() != llvm::Triple::x86_64)
    return auditError(context, "not an object for x86-64");
  Auditor auditor(allowedFeatures);
  for (const llvm::object::SectionRef &section : (*file)->sections()) {
    if (!section.isText())
      continue;
    llvm::Expected<llvm::StringRef> name = section.getName(), code = section.getContents();
    if (!name || !code)
      return auditError(context,
                        "a section cannot be read: " +
                            llvm::toString(llvm::joinErrors(name.takeError(), code.takeError())));
    auditor.auditSection(*name, *code);
  }
  if (auditor.offences > maxReported)
    auditor.messages += "\n  and " + std::to_string(auditor.offences - maxReported) + " more";
  if (auditor.offences != 0)
    return auditError(context, llvm::Twine(auditor.offences) +
                                   " instruction(s) outside the target:" + auditor.messages);
  AuditReport report;
  report.instructions = auditor.instructions;
  report.byFeature.assign(auditor.byFeature.begin(), auditor.byFeature.end());
  for (const auto &[key, count] : auditor.vectorInstructions)
    report.vectorInstructions[{ZydisMnemonicGetString(key.first), key.second}] = count;
  return report;
}

} // namespace kgen
