// The provider `xsmm`: machine code that libxsmm's generator makes while kgen runs. The bytes
// become a local symbol of the variant's object, as module-level assembly; the micro-kernel calls
// it and applies the epilogue to the stored tile. The generated library needs no libxsmm.
#include "providers/LibxsmmCode.h"
#include "providers/Provider.h"
#include "providers/TileCode.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

bool hasFeatures(TargetAttr target, ArrayRef<StringRef> wanted) {
  return llvm::all_of(wanted, [&](StringRef name) { return target.hasFeature(name); });
}

/// The widest instruction set that libxsmm knows and the target wants.
std::optional<LibxsmmGemm::Isa> isaFor(TargetAttr target) {
  if (target.getVectorBits() >= 512 &&
      hasFeatures(target, {"avx512f", "avx512bw", "avx512dq", "avx512vl"}))
    return LibxsmmGemm::Isa::avx512;
  if (target.getVectorBits() >= 256 && hasFeatures(target, {"avx2", "fma"}))
    return LibxsmmGemm::Isa::avx2;
  return std::nullopt;
}

/// Collects why libxsmm cannot make a kernel.
class Refusal {
public:
  void add(const llvm::Twine &reason) { reasons.push_back(reason.str()); }

  /// `count` rows of `length` elements must not overlap, and be within reach of their first one.
  void addRows(const char *matrix, int64_t count, int64_t stride, int64_t length) {
    constexpr int64_t reach = std::numeric_limits<int32_t>::max() / int64_t(sizeof(double));
    if (count > 1 && stride < length)
      add(llvm::formatv("rows of {0} with {1} elements are only {2} apart", matrix, length, stride)
              .str());
    if (count > 1 && stride > reach / count)
      add(llvm::Twine("the tile of ") + matrix + " is beyond a 32-bit displacement");
  }

  /// "; " between them; empty if there is nothing against it.
  std::string str() const { return llvm::join(reasons, "; "); }

private:
  SmallVector<std::string> reasons;
};

/// Every reason; empty if libxsmm can make the kernel.
std::string reasonsAgainst(ukernel::GemmOp kernel, TargetAttr target) {
  Refusal refusal;
  int64_t m = kernel.getM(), n = kernel.getN(), k = kernel.getK(), aCol = kernel.getACol();
  int64_t lanes = target.lanes(kernel.getElement());
  auto isa = isaFor(target);
  if (!mlir::isa<Float32Type, Float64Type>(kernel.getElement()))
    refusal.add("only f32 and f64");
  if (kernel.getResultType() != kernel.getElement())
    refusal.add("C must have the type of A and B");
  if (kernel.getBatch() != 1 || kernel.getVnni() != 1 || kernel.isDotProducts())
    refusal.add("only single products with adjacent columns of B");
  if (!isa)
    refusal.add("the target " + target.getName() + " has no AVX2 with FMA");
  if (k == 0)
    refusal.add("no products to add");
  if (k > 1 && aCol != 1)
    refusal.add("the elements of a row of A are " + llvm::Twine(aCol) + " apart, not adjacent");
  else
    refusal.addRows("A", m, kernel.getARow(), k);
  refusal.addRows("B", k, kernel.getBRow(), n);
  refusal.addRows("C", m, kernel.getCRow(), n);
  if (isa == LibxsmmGemm::Isa::avx2 && n % lanes != 0)
    refusal.add(llvm::formatv("{0} columns are no multiple of the {1} in a vector; libxsmm would "
                              "compute the rest in scalar AVX2 code",
                              n, lanes)
                    .str());
  return refusal.str();
}

/// The strides of what is one row or column only mean nothing, but libxsmm checks them.
LibxsmmGemm describe(ukernel::GemmOp kernel, TargetAttr target) {
  LibxsmmGemm gemm;
  gemm.isa = *isaFor(target);
  gemm.element =
      isa<Float32Type>(kernel.getElement()) ? LibxsmmGemm::Element::f32 : LibxsmmGemm::Element::f64;
  gemm.m = kernel.getM();
  gemm.n = kernel.getN();
  gemm.k = kernel.getK();
  gemm.aRow = gemm.m > 1 ? kernel.getARow() : gemm.k;
  gemm.bRow = gemm.k > 1 ? kernel.getBRow() : gemm.n;
  gemm.cRow = gemm.m > 1 ? kernel.getCRow() : gemm.n;
  gemm.accumulate = kernel.getAccumulate();
  gemm.prefetch = gemm.isa == LibxsmmGemm::Isa::avx512 && kernel.getBPrefetch() != 0;
  return gemm;
}

/// Everything that the code depends on but the ISA, which is the same in the whole module.
std::string symbolOf(const LibxsmmGemm &gemm) {
  std::string name;
  llvm::raw_string_ostream(name) << "xsmm_gemm_"
                                 << (gemm.element == LibxsmmGemm::Element::f32 ? "f32" : "f64")
                                 << "_" << gemm.m << "x" << gemm.n << "x" << gemm.k << "_a"
                                 << gemm.aRow << "_b" << gemm.bRow << "_c" << gemm.cRow
                                 << (gemm.accumulate ? "_acc" : "") << (gemm.prefetch ? "_pf" : "");
  return name;
}

/// A local function with the given bytes.
SmallVector<std::string> assemblyOf(StringRef symbol, StringRef code) {
  std::string name = symbol.str();
  SmallVector<std::string> lines{"# Machine code made by libxsmm", ".text", ".p2align 6",
                                 ".type " + name + ",@function", name + ":"};
  constexpr size_t perLine = 16;
  for (; !code.empty(); code = code.drop_front(std::min(perLine, code.size()))) {
    std::string line = ".byte ";
    llvm::ListSeparator comma(",");
    llvm::raw_string_ostream os(line);
    for (char byte : code.take_front(perLine))
      os << comma << static_cast<unsigned>(static_cast<unsigned char>(byte));
    lines.push_back(line);
  }
  lines.push_back(".size " + name + ", .-" + name);
  return lines;
}

class KernelBuilder : TileCode {
public:
  using TileCode::TileCode;

  void build(LLVM::LLVMFuncOp machineCode) {
    OpBuilder::InsertionGuard guard(b);
    beginFunction("xsmm");
    SmallVector<Value> arguments{bPointer, a, c};
    if (machineCode.getNumArguments() == 4)
      arguments.push_back(address(element, bPointer, kernel.getBPrefetch()));
    LLVM::CallOp::create(b, loc, machineCode, arguments);
    // libxsmm leaves this to its caller, and LLVM does not know about the callee's registers.
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.avx.vzeroupper"), ValueRange{});
    if (hasEpilogue())
      epilogueOverTile({c, static_cast<int64_t>(kernel.getCRow())});
    func::ReturnOp::create(b, loc);
  }
};

/// The declaration of the machine code in the module, which is added if it is not there yet.
LLVM::LLVMFuncOp addMachineCode(ModuleOp module, const LibxsmmGemm &gemm, StringRef code,
                                OpBuilder &b) {
  std::string symbol = symbolOf(gemm);
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return function;
  StringRef attribute = LLVM::LLVMDialect::getModuleLevelAsmAttrName();
  SmallVector<Attribute> lines;
  if (auto earlier = module->getAttrOfType<ArrayAttr>(attribute))
    llvm::append_range(lines, earlier);
  for (const std::string &line : assemblyOf(symbol, code))
    lines.push_back(b.getStringAttr(line));
  module->setAttr(attribute, b.getArrayAttr(lines));
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          SmallVector<Type>(gemm.prefetch ? 4 : 3, pointer));
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), symbol, type, LLVM::Linkage::External,
                                  /*dsoLocal=*/true);
}

struct XsmmProvider : Provider {
  using Provider::cost;
  using Provider::generate;
  StringRef name() const override { return "xsmm"; }

  /// Like `vector`, plus a call with five registers to save and, before an epilogue, C once more
  /// through memory. Its AVX2 code keeps too few sums to hide the latency of multiply-add: a
  /// 1024-wide layer takes 1.4 times as long on Zen 5; with AVX-512 they are on a par.
  std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    refusal = reasonsAgainst(kernel, target);
    if (!refusal.empty())
      return std::nullopt;
    constexpr double callCycles = 20, avx2Slowdown = 1.4;
    double vectors =
        kernel.getM() *
        static_cast<double>(llvm::divideCeil(kernel.getN(), target.lanes(kernel.getElement())));
    double slowdown = isaFor(target) == LibxsmmGemm::Isa::avx2 ? avx2Slowdown : 1;
    bool isTrivial = kernel.getEpilogue().front().getOperations().size() == 1;
    return vectors * kernel.getK() / 2 * slowdown + callCycles + (isTrivial ? 0 : vectors);
  }

  LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    LibxsmmGemm gemm = describe(kernel, target);
    llvm::Expected<std::string> code = libxsmmCode(gemm);
    if (!code)
      return kernel.emitError() << "micro-kernel '" << kernel.getSymName()
                                << "': " << llvm::toString(code.takeError());
    auto module = kernel->getParentOfType<ModuleOp>();
    KernelBuilder(kernel, target, builder).build(addMachineCode(module, gemm, *code, builder));
    return success();
  }
};

} // namespace

const Provider &xsmmProvider() {
  static const XsmmProvider provider;
  return provider;
}

} // namespace kgen
