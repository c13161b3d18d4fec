// The provider `xsmm`: machine code from libxsmm's generator, which runs within kgen. The bytes
// become a local symbol of the variant's object, as module-level assembly; the micro-kernel calls
// it and applies the epilogue to the stored tile. The generated library does not need libxsmm.
#include "backend/x86/Intrinsics.h"
#include "backend/x86/LibxsmmCode.h"
#include "providers/KernelBuilder.h"
#include "providers/Provider.h"
#include "target/System.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

bool hasFeatures(TargetAttr target, ArrayRef<StringRef> wanted) {
  return llvm::all_of(wanted, [&](StringRef name) { return x86::hasFeature(target, name); });
}

/// The best instruction set for `element` that both libxsmm and the target support.
std::optional<LibxsmmGemm::Isa> isaFor(TargetAttr target, Type element) {
  if (target.getVectorBits() >= 512 &&
      hasFeatures(target, {"avx512f", "avx512bw", "avx512dq", "avx512vl"})) {
    bool hasDotProducts = element.isBF16() && x86::hasFeature(target, "avx512bf16");
    return hasDotProducts ? LibxsmmGemm::Isa::avx512bf16 : LibxsmmGemm::Isa::avx512;
  }
  if (target.getVectorBits() >= 256 && hasFeatures(target, {"avx2", "fma"}))
    return LibxsmmGemm::Isa::avx2;
  return std::nullopt;
}

/// Collects the reasons why libxsmm cannot generate a kernel.
class Refusal {
public:
  void add(const llvm::Twine &reason) { reasons.push_back(reason.str()); }

  /// Requires that `count` rows of `length` elements do not overlap, and that a 32-bit displacement
  /// reaches all from the first one.
  void addRows(const char *matrix, int64_t count, int64_t stride, int64_t length) {
    if (count > 1 && stride < length)
      add(llvm::formatv("rows of {0} with {1} elements are only {2} apart", matrix, length, stride)
              .str());
    if (count > 1 && stride > reach / count)
      add(llvm::Twine("the tile of ") + matrix + " is beyond a 32-bit displacement");
  }

  /// All reasons, separated by "; "; empty if there are none.
  std::string str() const { return llvm::join(reasons, "; "); }

  /// Requires that a 32-bit displacement spans the operands of two products.
  void addDistance(const char *matrix, int64_t elements) {
    if (elements < 0 || elements > reach)
      add(llvm::Twine("the products of ") + matrix + " are beyond a 32-bit displacement");
  }

private:
  static constexpr int64_t reach = std::numeric_limits<int32_t>::max() / int64_t(sizeof(double));
  SmallVector<std::string> reasons;
};

/// Types, and the VNNI factor.
void addTypes(Refusal &refusal, ukernel::GemmOp kernel, std::optional<LibxsmmGemm::Isa> isa) {
  Type element = kernel.getElement(), sum = kernel.getAccumulatorType();
  bool isPairs = element.isBF16();
  if (element != kernel.getBElement() ||
      (!isPairs && !mlir::isa<Float32Type, Float64Type>(element)))
    return refusal.add("only f32, f64 and bf16, the same in A and B");
  std::string text;
  llvm::raw_string_ostream os(text);
  if (sum != accumulatorOf(element)) {
    os << "the sums of " << element << " are " << accumulatorOf(element) << ", not " << sum;
    refusal.add(text);
  }
  if (isPairs && isa == LibxsmmGemm::Isa::avx2)
    refusal.add("bf16 needs AVX-512");
  if (static_cast<int64_t>(kernel.getVnni()) != (isPairs ? 2 : 1))
    refusal.add(isPairs ? "bf16 needs B in pairs of k" : "only bf16 has B in pairs of k");
  else if (isPairs && kernel.getK() % 2 != 0)
    refusal.add("an odd number of products, of which libxsmm would read one more in A");
}

/// Strides of the operands.
void addOperands(Refusal &refusal, ukernel::GemmOp kernel) {
  int64_t m = kernel.getM(), n = kernel.getN(), k = kernel.getK(), aCol = kernel.getACol(),
          vnni = kernel.getVnni(), batch = kernel.getBatch();
  if (k > 1 && aCol != 1)
    refusal.add("the elements of a row of A are " + llvm::Twine(aCol) + " apart, not adjacent");
  else
    refusal.addRows("A", m, kernel.getARow(), k);
  refusal.addRows("B", llvm::divideCeil(k, vnni), kernel.getBRow(), n * vnni);
  if (m > 1 && kernel.getARow() % vnni != 0)
    refusal.add("rows of A begin in the middle of a pair");
  if (k > vnni && kernel.getBRow() % vnni != 0)
    refusal.add("rows of B begin in the middle of a pair");
  if (kernel.getResultType() == kernel.getAccumulatorType()) // else there is a tile of sums
    refusal.addRows("C", m, kernel.getCRow(), n);
  if (batch > 1) {
    refusal.addDistance("A", kernel.getABatch());
    refusal.addDistance("B", kernel.getBBatch());
  }
}

/// All reasons why libxsmm cannot generate the kernel; empty if it can.
std::string xsmmRefusal(ukernel::GemmOp kernel, TargetAttr target) {
  Refusal refusal;
  int64_t n = kernel.getN(), lanes = target.lanes(kernel.getElement());
  auto isa = isaFor(target, kernel.getElement());
  addTypes(refusal, kernel, isa);
  if (kernel.getStrictOrder())
    refusal.add("it does not support strict_order");
  if (kernel.isDotProducts())
    refusal.add("only adjacent columns of B");
  if (kernel.getARunRows())
    refusal.add("it does not support a_run_rows");
  if (kernel.getAValidRanges())
    refusal.add("it does not support a_valid_ranges");
  if (kernel.getSumsRow())
    refusal.add("it does not support sums_row");
  if (!isa)
    refusal.add("the target " + target.getName() + " has no AVX2 with FMA");
  if (kernel.getK() == 0)
    refusal.add("k is 0");
  addOperands(refusal, kernel);
  if (isa == LibxsmmGemm::Isa::avx2 && n % lanes != 0)
    refusal.add(llvm::formatv("{0} columns are no multiple of the {1} in a vector; libxsmm would "
                              "compute the rest in scalar AVX2 code",
                              n, lanes)
                    .str());
  return refusal.str();
}

LibxsmmGemm::Element elementOf(ukernel::GemmOp kernel) {
  Type element = kernel.getElement();
  return element.isF32()    ? LibxsmmGemm::Element::f32
         : element.isBF16() ? LibxsmmGemm::Element::bf16
                            : LibxsmmGemm::Element::f64;
}

/// The kernel in libxsmm's terms. libxsmm also checks strides of dimensions of size 1, which have
/// no meaning. `sumsRow` is the row stride of the sums.
LibxsmmGemm describe(ukernel::GemmOp kernel, TargetAttr target, int64_t sumsRow) {
  LibxsmmGemm gemm;
  int64_t vnni = kernel.getVnni();
  gemm.isa = *isaFor(target, kernel.getElement());
  gemm.element = elementOf(kernel);
  gemm.m = kernel.getM();
  gemm.n = kernel.getN();
  gemm.k = kernel.getK();
  gemm.aRow = gemm.m > 1 ? kernel.getARow() : gemm.k;
  gemm.bRow = gemm.k > vnni ? kernel.getBRow() / vnni : gemm.n;
  gemm.cRow = gemm.m > 1 ? sumsRow : gemm.n;
  gemm.accumulate = kernel.getAccumulate();
  gemm.batchReduce = kernel.getBatch() > 1;
  if (gemm.batchReduce) {
    gemm.aBatch = kernel.getABatch();
    gemm.bBatch = kernel.getBBatch();
  }
  // libxsmm prefetches as many lines as it reads of B.
  gemm.prefetch = gemm.isa == LibxsmmGemm::Isa::avx512 &&
                  static_cast<int64_t>(kernel.getBPrefetch()) >= gemm.k * gemm.n &&
                  gemm.element != LibxsmmGemm::Element::bf16 && !gemm.batchReduce;
  return gemm;
}

/// The symbol has all that the code depends on, except for the ISA, which is the same in the
/// module.
std::string symbolOf(ukernel::GemmOp kernel, const LibxsmmGemm &gemm) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << (gemm.batchReduce ? "xsmm_brgemm_" : "xsmm_gemm_") << kernel.getElement() << "_" << gemm.m
     << "x" << gemm.n << "x" << gemm.k << "_a" << gemm.aRow << "_b" << gemm.bRow << "_c"
     << gemm.cRow;
  if (gemm.batchReduce)
    os << "_by" << gemm.aBatch << "_by" << gemm.bBatch;
  os << (gemm.accumulate ? "_acc" : "") << (gemm.prefetch ? "_pf" : "");
  return name;
}

/// Module-level assembly of a local function with the given bytes.
SmallVector<std::string> assemblyOf(StringRef symbol, StringRef code) {
  std::string name = symbol.str();
  SmallVector<std::string> lines{"# Machine code made by libxsmm", ".text", ".p2align 6",
                                 ".type " + name + ",@function", name + ":"};
  constexpr size_t bytesPerLine = 16;
  for (; !code.empty(); code = code.drop_front(std::min(bytesPerLine, code.size()))) {
    std::string line = ".byte ";
    llvm::ListSeparator comma(",");
    llvm::raw_string_ostream os(line);
    for (char byte : code.take_front(bytesPerLine))
      os << comma << static_cast<unsigned>(static_cast<unsigned char>(byte));
    lines.push_back(line);
  }
  lines.push_back(".size " + name + ", .-" + name);
  return lines;
}

class XsmmWrapper : KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;
  using KernelBuilder::strideOfSums;

  void build(LLVM::LLVMFuncOp machineCode, const LibxsmmGemm &gemm) {
    OpBuilder::InsertionGuard guard(b);
    beginFunction("xsmm");
    Sums sums = memoryForSums();
    SmallVector<Value> arguments{bPointer, a, sums.pointer};
    if (gemm.prefetch)
      arguments.push_back(prefetchPointer);
    else if (kernel.getBPrefetch())
      prefetchAll();
    if (gemm.batchReduce)
      arguments.push_back(storeToStack(kernel.getBatch()));
    LLVM::CallOp::create(b, loc, machineCode, arguments);
    // libxsmm leaves vzeroupper to its caller, and LLVM does not know which registers the callee
    // uses.
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.avx.vzeroupper"), ValueRange{});
    if (hasEpilogue())
      epilogueOverTile(sums);
    func::ReturnOp::create(b, loc);
  }

private:
  void prefetchAll() {
    auto loop = scf::ForOp::create(b, loc, number(0), number(linesToPrefetch()), number(1));
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    prefetchLines(loop.getInductionVar(), cpu.lineBytes, 1);
  }

  Value storeToStack(int64_t value) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value slot = LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(), number(1), 8);
    LLVM::StoreOp::create(b, loc, number(value), slot);
    return slot;
  }
};

/// The declaration of the machine code in the module, which is added on first use.
LLVM::LLVMFuncOp addMachineCode(ukernel::GemmOp kernel, const LibxsmmGemm &gemm, StringRef code,
                                OpBuilder &b) {
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string symbol = symbolOf(kernel, gemm);
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
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()),
      SmallVector<Type>(gemm.prefetch || gemm.batchReduce ? 4 : 3, pointer));
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), symbol, type, LLVM::Linkage::External,
                                  /*dsoLocal=*/true);
}

struct XsmmProvider : Provider {
  using Provider::cost;
  using Provider::generate;
  StringRef name() const override { return "xsmm"; }
  StringRef summary() const override { return "machine code from libxsmm, for AVX2 and AVX-512"; }
  /// Its kernels multiply whole matrices of one type.
  KernelCapabilities capabilities() const override { return {false, false}; }
  std::string refusal(StringRef triple) const override {
    return systemOf(triple) == System::onLinux
               ? ""
               : "libxsmm's machine code follows the calling convention of Linux";
  }

  /// As for `vector`, plus a call that saves five registers and, with an epilogue, storing and
  /// reading C once more. libxsmm's AVX2 code has too few sums to hide the latency of a
  /// multiply-add: a layer of width 1024 takes 1.4 times as long on Zen 5. With AVX-512 they are on
  /// a par, except that libxsmm up-converts bf16 again for each row, which takes 2.2 times as long.
  std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    refusal = xsmmRefusal(kernel, target);
    if (!refusal.empty())
      return std::nullopt;
    constexpr double avx2Slowdown = 1.4, upconversionSlowdown = 2.2;
    Type element = kernel.getElement(), sum = kernel.getAccumulatorType();
    int64_t lanes = target.lanes(sum);
    double vectors = kernel.getM() * static_cast<double>(llvm::divideCeil(kernel.getN(), lanes));
    auto isa = isaFor(target, element);
    bool upconverts = element.isBF16() && isa == LibxsmmGemm::Isa::avx512;
    double slowdown = isa == LibxsmmGemm::Isa::avx2 ? avx2Slowdown
                      : upconverts                  ? upconversionSlowdown
                                                    : 1;
    double products = static_cast<double>(kernel.getBatch()) * kernel.getK() * lanes;
    double cycles =
        isa == LibxsmmGemm::Isa::avx512bf16
            ? target.productCost(ProductForm::dotProduct, element, element)
            : target.productCost(ProductForm::multiplyAdd, sum, sum); // after up-conversion
    bool isTrivial = kernel.getEpilogue().front().getOperations().size() == 1;
    return vectors * products * cycles * slowdown + target.tradeoffs().callCycles +
           (isTrivial ? 0 : vectors);
  }

  LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    XsmmWrapper wrapper(kernel, target, builder);
    LibxsmmGemm gemm = describe(kernel, target, wrapper.strideOfSums());
    llvm::Expected<std::string> code = libxsmmCode(gemm);
    if (!code)
      return kernel.emitError() << "micro-kernel '" << kernel.getSymName()
                                << "': " << llvm::toString(code.takeError());
    wrapper.build(addMachineCode(kernel, gemm, *code, builder), gemm);
    return success();
  }
};

} // namespace

const Provider &xsmmProvider() {
  static const XsmmProvider provider;
  return provider;
}

} // namespace kgen
