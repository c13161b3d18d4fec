#include "transforms/gpu/Passes.h"

#include <mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SPIRV/IR/TargetAndABI.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PREPARESPIRVPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

/// What Vulkan 1.1 may have; a kernel declares what it uses.
spirv::TargetEnvAttr targetEnv(MLIRContext *context) {
  using spirv::Capability;
  using spirv::Extension;
  auto triple = spirv::VerCapExtAttr::get(
      spirv::Version::V_1_3,
      {Capability::Shader, Capability::Float16, Capability::Float64, Capability::Int8,
       Capability::Int16, Capability::Int64, Capability::StorageBuffer16BitAccess,
       Capability::StorageBuffer8BitAccess},
      {Extension::SPV_KHR_storage_buffer_storage_class, Extension::SPV_KHR_16bit_storage,
       Extension::SPV_KHR_8bit_storage},
      context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context),
                                   spirv::ClientAPI::Vulkan, spirv::Vendor::Unknown,
                                   spirv::DeviceType::Unknown,
                                   spirv::TargetEnvAttr::kUnknownDeviceID);
}

/// Loads and stores of bf16 in a buffer of integers.
void storeAsIntegers(gpu::GPUFuncOp kernel) {
  OpBuilder b(kernel.getContext());
  auto asIntegers = [&](Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    memref.setType(MemRefType::get(type.getShape(), b.getI16Type(), type.getLayout(),
                                   type.getMemorySpace()));
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
  SmallVector<Type> types(kernel.getArgumentTypes().size());
  for (auto [type, argument] : llvm::zip(types, kernel.getBody().getArguments()))
    type = argument.getType();
  kernel.setFunctionType(b.getFunctionType(types, {}));
}

/// Hints for branches, and that sums do not wrap, of which SPIR-V 1.3 has none.
void dropHints(Operation *root) {
  root->walk([](arith::ArithIntegerOverflowFlagsInterface op) {
    op->setAttr(op.getIntegerOverflowAttrName(),
                arith::IntegerOverflowFlagsAttr::get(op.getContext(),
                                                     arith::IntegerOverflowFlags::none));
  });
  root->walk([](LLVM::ExpectOp hint) {
    hint.getResult().replaceAllUsesWith(hint.getVal());
    hint.erase();
  });
}

/// Roundings to the nearest number as those that nothing was said about: upstream knows no others.
void dropRoundingModes(Operation *root) {
  root->walk([](arith::TruncFOp op) {
    if (op.getRoundingmode() == arith::RoundingMode::to_nearest_even)
      op.removeRoundingmodeAttr();
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
    dropRoundingModes(module);
    expandTrunc(module);
    module.walk([&](gpu::GPUFuncOp kernel) {
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
