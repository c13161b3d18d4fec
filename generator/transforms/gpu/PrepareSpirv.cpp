#include "transforms/gpu/Passes.h"

#include <mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SPIRV/IR/TargetAndABI.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PREPARESPIRVPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

/// Capabilities that Vulkan 1.1 may have; a kernel declares those that it uses.
spirv::TargetEnvAttr targetEnv(MLIRContext *context) {
  using spirv::Capability;
  using spirv::Extension;
  auto triple = spirv::VerCapExtAttr::get(
      spirv::Version::V_1_3,
      {Capability::Shader, Capability::Float16, Capability::Float64, Capability::Int8,
       Capability::Int16, Capability::Int64, Capability::StorageBuffer16BitAccess,
       Capability::StorageBuffer8BitAccess, Capability::SignedZeroInfNanPreserve},
      {Extension::SPV_KHR_storage_buffer_storage_class, Extension::SPV_KHR_16bit_storage,
       Extension::SPV_KHR_8bit_storage, Extension::SPV_KHR_float_controls},
      context);
  return spirv::TargetEnvAttr::get(
      triple, spirv::getDefaultResourceLimits(context), spirv::ClientAPI::Vulkan,
      spirv::Vendor::Unknown, spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
}

/// Integers that become bf16 by way of f32, which has those of 16 bits.
template <typename Conversion> void convertByF32(Conversion op) {
  if (!op.getType().isBF16())
    return;
  OpBuilder b(op);
  Value wide = Conversion::create(b, op.getLoc(), b.getF32Type(), op.getIn());
  op.replaceAllUsesWith(arith::TruncFOp::create(b, op.getLoc(), b.getBF16Type(), wide).getResult());
  op.erase();
}

/// Choices between numbers of bf16, and constants, as integers.
void chooseIntegers(gpu::GPUFuncOp kernel) {
  kernel.walk([](arith::SIToFPOp op) { convertByF32(op); });
  kernel.walk([](arith::UIToFPOp op) { convertByF32(op); });
  SmallVector<Operation *> found;
  kernel.walk([&](Operation *op) {
    if (isa<arith::SelectOp, arith::ConstantOp>(op) && op->getResult(0).getType().isBF16())
      found.push_back(op);
  });
  for (Operation *op : found) {
    OpBuilder b(op);
    Type bits = b.getI16Type();
    Value made;
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      made = arith::ConstantOp::create(
          b, op->getLoc(),
          b.getIntegerAttr(bits, cast<FloatAttr>(constant.getValue()).getValue().bitcastToAPInt()));
    } else {
      auto asBits = [&](Value x) -> Value {
        return arith::BitcastOp::create(b, op->getLoc(), bits, x);
      };
      made = arith::SelectOp::create(b, op->getLoc(), op->getOperand(0), asBits(op->getOperand(1)),
                                     asBits(op->getOperand(2)));
    }
    op->replaceAllUsesWith(
        arith::BitcastOp::create(b, op->getLoc(), op->getResult(0).getType(), made));
    op->erase();
  }
}

/// Vectors in memory element by element: buffers are arrays of scalars.
void accessElements(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> accesses;
  kernel.walk([&](Operation *op) {
    if (isa<vector::LoadOp, vector::StoreOp>(op))
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto at = [&](Value first, int64_t e) -> Value {
      return arith::AddIOp::create(b, loc, first, arith::ConstantIndexOp::create(b, loc, e));
    };
    if (auto load = dyn_cast<vector::LoadOp>(op)) {
      SmallVector<Value> elements;
      for (int64_t e = 0; e < load.getVectorType().getNumElements(); ++e)
        elements.push_back(
            memref::LoadOp::create(b, loc, load.getBase(), at(load.getIndices().front(), e)));
      load.replaceAllUsesWith(
          vector::FromElementsOp::create(b, loc, load.getVectorType(), elements).getResult());
    } else {
      auto store = cast<vector::StoreOp>(op);
      for (int64_t e = 0; e < store.getVectorType().getNumElements(); ++e)
        memref::StoreOp::create(b, loc,
                                vector::ExtractOp::create(b, loc, store.getValueToStore(), e),
                                store.getBase(), at(store.getIndices().front(), e));
    }
    op->erase();
  }
}

/// Loads and stores of bf16 in a buffer of integers.
void storeAsIntegers(gpu::GPUFuncOp kernel) {
  OpBuilder b(kernel.getContext());
  auto asIntegers = [&](Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    memref.setType(
        MemRefType::get(type.getShape(), b.getI16Type(), type.getLayout(), type.getMemorySpace()));
  };
  auto isOfBf16 = [](Value memref) {
    auto type = dyn_cast<MemRefType>(memref.getType());
    return type && type.getElementType().isBF16();
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (isOfBf16(argument))
      asIntegers(argument);
  kernel.walk([&](memref::AllocOp alloc) {
    if (isOfBf16(alloc))
      asIntegers(alloc);
  });
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op); load && load.getType().isBF16()) {
      load.getResult().setType(b.getI16Type());
      b.setInsertionPointAfter(load);
      auto cast = arith::BitcastOp::create(b, load.getLoc(), b.getBF16Type(), load.getResult());
      load.getResult().replaceAllUsesExcept(cast, cast);
    } else if (auto store = dyn_cast<memref::StoreOp>(op);
               store && store.getValueToStore().getType().isBF16()) {
      b.setInsertionPoint(store);
      store.getValueMutable().assign(
          arith::BitcastOp::create(b, store.getLoc(), b.getI16Type(), store.getValueToStore()));
    }
  });
  chooseIntegers(kernel);
  SmallVector<Type> types(kernel.getArgumentTypes().size());
  for (auto [type, argument] : llvm::zip(types, kernel.getBody().getArguments()))
    type = argument.getType();
  kernel.setFunctionType(b.getFunctionType(types, {}));
}

/// Hints for branches, and that sums do not wrap, of which SPIR-V 1.3 has none.
void dropHints(Operation *root) {
  root->walk([](arith::ArithIntegerOverflowFlagsInterface op) {
    op->setAttr(
        op.getIntegerOverflowAttrName(),
        arith::IntegerOverflowFlagsAttr::get(op.getContext(), arith::IntegerOverflowFlags::none));
  });
  root->walk([](LLVM::ExpectOp hint) {
    hint.getResult().replaceAllUsesWith(hint.getVal());
    hint.erase();
  });
}

/// The greater or the smaller of two numbers by comparisons: SPIR-V's own takes either of 0 and -0.
template <typename Extremum> void expandExtremum(Extremum op) {
  constexpr bool isMax = std::is_same_v<Extremum, arith::MaximumFOp>;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getLhs(), y = op.getRhs();
  Type type = x.getType(), bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  auto compare = [&](arith::CmpFPredicate how, Value other) -> Value {
    return arith::CmpFOp::create(b, loc, how, x, other);
  };
  Value result = arith::SelectOp::create(
      b, loc, compare(isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, y), x, y);
  // Of two zeros; of numbers that are the same, these.
  Value bitsOfX = arith::BitcastOp::create(b, loc, bits, x);
  Value bitsOfY = arith::BitcastOp::create(b, loc, bits, y);
  Value both = isMax ? arith::AndIOp::create(b, loc, bitsOfX, bitsOfY).getResult()
                     : arith::OrIOp::create(b, loc, bitsOfX, bitsOfY).getResult();
  both = arith::BitcastOp::create(b, loc, type, both);
  result = arith::SelectOp::create(b, loc, compare(arith::CmpFPredicate::OEQ, y), both, result);
  result = arith::SelectOp::create(b, loc, compare(arith::CmpFPredicate::UNO, x), x, result);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Replaces sums with 0 and products with it by what they are of an element's bits: drivers take
/// them for the element, and for 0.
void expandZeros(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<arith::AddFOp, arith::MulFOp>(op) || op->getResult(0).getType().isBF16())
      return;
    APFloat constant(0.0f);
    const bool isFirst = matchPattern(op->getOperand(0), m_ConstantFloat(&constant));
    if (!(isFirst || matchPattern(op->getOperand(1), m_ConstantFloat(&constant))) ||
        !constant.isZero() || (isa<arith::AddFOp>(op) && constant.isNegative()))
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value x = op->getOperand(isFirst ? 1 : 0);
    const llvm::fltSemantics &semantics = constant.getSemantics();
    Type type = x.getType(), bitsType = b.getIntegerType(type.getIntOrFloatBitWidth());
    auto number = [&](const APInt &bits) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bitsType, bits));
    };
    Value bits = arith::BitcastOp::create(b, loc, bitsType, x);
    Value sign = number(APFloat::getZero(semantics, /*Negative=*/true).bitcastToAPInt());
    Value zero = number(APInt::getZero(bitsType.getIntOrFloatBitWidth()));
    auto compare = [&](arith::CmpIPredicate how, Value y, Value z) -> Value {
      return arith::CmpIOp::create(b, loc, how, y, z);
    };
    Value result;
    if (isa<arith::AddFOp>(op)) {
      result = arith::SelectOp::create(b, loc, compare(arith::CmpIPredicate::eq, bits, sign), zero,
                                       bits);
    } else {
      Value infinity = number(APFloat::getInf(semantics).bitcastToAPInt());
      Value special = compare(arith::CmpIPredicate::eq,
                              arith::AndIOp::create(b, loc, bits, infinity), infinity);
      Value signs = arith::AndIOp::create(b, loc, bits, sign);
      if (constant.isNegative())
        signs = arith::XOrIOp::create(b, loc, signs, sign);
      result = arith::SelectOp::create(b, loc, special,
                                       number(APFloat::getNaN(semantics).bitcastToAPInt()), signs);
    }
    op->replaceAllUsesWith(arith::BitcastOp::create(b, loc, type, result));
    op->erase();
  });
}

/// Replaces quotients by 0 by products with an infinity, which are the same: drivers leave open
/// what the quotients are.
void expandQuotientsByZero(Operation *root) {
  root->walk([](arith::DivFOp op) {
    APFloat constant(0.0f);
    if (!matchPattern(op.getRhs(), m_ConstantFloat(&constant)) || !constant.isZero())
      return;
    OpBuilder b(op);
    APFloat infinity = APFloat::getInf(constant.getSemantics(), constant.isNegative());
    Value factor =
        arith::ConstantOp::create(b, op.getLoc(), b.getFloatAttr(op.getType(), infinity));
    op.replaceAllUsesWith(arith::MulFOp::create(b, op.getLoc(), op.getLhs(), factor).getResult());
    op.erase();
  });
}

/// Like `how`, but of numbers without a sign.
arith::CmpIPredicate withoutSign(arith::CmpIPredicate how) {
  switch (how) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::ult;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::ule;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::ugt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::uge;
  default:
    return how;
  }
}

/// Compares integers that were extended with constants as they were before: Mesa 22.3 says that no
/// i32 which is extended to i64 is below 0.
void narrowComparisons(Operation *root) {
  root->walk([](arith::CmpIOp op) {
    Operation *extension = op.getLhs().getDefiningOp();
    APInt constant;
    if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension) ||
        !matchPattern(op.getRhs(), m_ConstantInt(&constant)))
      return;
    Value narrow = extension->getOperand(0);
    const unsigned bits = narrow.getType().getIntOrFloatBitWidth();
    const bool hasSign = isa<arith::ExtSIOp>(extension);
    const bool isSigned = withoutSign(op.getPredicate()) != op.getPredicate() ||
                          op.getPredicate() == arith::CmpIPredicate::eq ||
                          op.getPredicate() == arith::CmpIPredicate::ne;
    if (bits == 1 || (hasSign ? !isSigned || !constant.isSignedIntN(bits) : !constant.isIntN(bits)))
      return;
    OpBuilder b(op);
    Value number = arith::ConstantOp::create(
        b, op.getLoc(), b.getIntegerAttr(narrow.getType(), constant.trunc(bits)));
    op.replaceAllUsesWith(
        arith::CmpIOp::create(b, op.getLoc(),
                              hasSign ? op.getPredicate() : withoutSign(op.getPredicate()), narrow,
                              number)
            .getResult());
    op.erase();
  });
}

void expandExtrema(Operation *root) {
  root->walk([](Operation *op) {
    if (op->getNumResults() == 1 && op->getResult(0).getType().isBF16())
      return; // as f32, later
    if (auto max = dyn_cast<arith::MaximumFOp>(op))
      expandExtremum(max);
    else if (auto min = dyn_cast<arith::MinimumFOp>(op))
      expandExtremum(min);
  });
}

/// Upstream has no pattern for it, though SPIR-V has the instruction.
void expandTrunc(Operation *root) {
  root->walk([](math::TruncOp op) {
    OpBuilder b(op);
    Value size = math::AbsFOp::create(b, op.getLoc(), op.getOperand());
    Value whole = math::FloorOp::create(b, op.getLoc(), size);
    op.replaceAllUsesWith(
        math::CopySignOp::create(b, op.getLoc(), whole, op.getOperand()).getResult());
    op.erase();
  });
}

struct PrepareSpirvPass : impl::PrepareSpirvPassBase<PrepareSpirvPass> {
  using PrepareSpirvPassBase::PrepareSpirvPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    module->setAttr(spirv::getTargetEnvAttrName(), targetEnv(context));
    dropHints(module);
    expandTrunc(module);
    expandExtrema(module);
    expandZeros(module);
    expandQuotientsByZero(module);
    narrowComparisons(module);
    module.walk([&](gpu::GPUFuncOp kernel) {
      accessElements(kernel);
      storeAsIntegers(kernel);
      if (auto size = kernel.getKnownBlockSize())
        kernel->setAttr(spirv::getEntryPointABIAttrName(),
                        spirv::getEntryPointABIAttr(context, *size));
      for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
        kernel.setArgAttr(i, spirv::getInterfaceVarABIAttrName(),
                          spirv::getInterfaceVarABIAttr(0, i, {}, context));
    });
    spirv::MemorySpaceToStorageClassConverter converter(
        [](Attribute space) -> std::optional<spirv::StorageClass> {
          auto own = dyn_cast_or_null<gpu::AddressSpaceAttr>(space);
          return own && own.getValue() == gpu::AddressSpace::Workgroup
                     ? spirv::StorageClass::Workgroup
                     : spirv::StorageClass::StorageBuffer;
        });
    spirv::convertMemRefTypesAndAttrs(module, converter);
  }
};

} // namespace
} // namespace kgen
