// Sizes that are known at run time only: a switch over the instances of finite sets.
#include "templates/transforms/Instantiator.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen::templates {

static mlir::Value sizeOf(OpBuilder &builder, mlir::Location loc, mlir::Value operand, size_t dim) {
  return isa<MemRefType>(operand.getType())
             ? builder.createOrFold<memref::DimOp>(loc, operand, dim)
             : builder.createOrFold<tensor::DimOp>(loc, operand, dim);
}

/// All combinations of the parameters' values that `requires` allows.
std::vector<Instantiator::RunTimeCase> Instantiator::casesOf(const Candidate &candidate) const {
  std::vector<RunTimeCase> cases{{candidate.match.values, {}}};
  for (const RunTimeParameter &p : candidate.match.atRunTime) {
    std::vector<RunTimeCase> next;
    for (const RunTimeCase &prefix : cases)
      for (const Value &choice : p.choices) {
        if (next.size() > limits.cases)
          break;
        RunTimeCase &longer = next.emplace_back(prefix);
        longer.values[p.parameter->name.str()] = choice;
        longer.choices.push_back(&choice);
      }
    cases = std::move(next);
  }
  llvm::erase_if(cases, [&](const RunTimeCase &c) {
    ExpressionError ignored;
    return !holdRequirements(candidate.of->header, c.values, &table.target(), ignored);
  });
  return cases;
}

/// The number of the case whose sizes the operands have; that of the default if there is none.
mlir::Value Instantiator::caseNumber(OpBuilder &builder, mlir::Location loc,
                                     const Candidate &special,
                                     const std::vector<RunTimeCase> &cases, ValueRange operands) {
  auto constant = [&](int64_t n) -> mlir::Value {
    return arith::ConstantIndexOp::create(builder, loc, n);
  };
  mlir::Value number = constant(cases.size());
  for (auto [i, runTimeCase] : llvm::enumerate(cases)) {
    mlir::Value all;
    auto require = [&](SizePlace place, int64_t size) {
      mlir::Value operand = operands[place.operand];
      auto type = cast<ShapedType>(operand.getType());
      if (size == dynamicSize || !type.isDynamicDim(place.dim))
        return;
      mlir::Value is = sizeOf(builder, loc, operand, place.dim);
      mlir::Value equal =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, is, constant(size));
      all = all ? arith::AndIOp::create(builder, loc, all, equal).getResult() : equal;
    };
    for (auto [parameter, choice] : llvm::zip(special.match.atRunTime, runTimeCase.choices))
      for (SizePlace place : parameter.places) {
        if (choice->kind == Value::Kind::number)
          require(place, choice->number);
        for (auto [k, size] : llvm::enumerate(choice->sizes))
          require({place.operand, place.dim + k}, size);
      }
    if (all)
      number = arith::SelectOp::create(builder, loc, all, constant(i), number);
  }
  return number;
}

FailureOr<SmallVector<mlir::Value>> Instantiator::dispatch(Candidate &special, Candidate *otherwise,
                                                           PendingCall pending,
                                                           ValueRange operands) {
  CallOp call = pending.call;
  mlir::Location loc = call.getLoc();
  const RunTimeParameter &first = special.match.atRunTime.front();
  auto refuse = [&](const Twine &message) {
    auto diagnostic = emitError(loc) << "@" << call.getCallee() << message;
    diagnostic.attachNote(special.of->op.locationOf(first.parameter->name.data()))
        << first.parameter->name << " is " << first.parameter->constraint;
    addCallNotes(diagnostic, pending.parent);
    return failure();
  };
  if (!otherwise)
    return refuse(" has no template for other values of " + first.parameter->name +
                  ", which is known at run time only; one with any_dim takes them");
  std::vector<RunTimeCase> cases = casesOf(special);
  if (cases.size() > limits.cases) {
    stopped = true;
    return refuse(" needs more than " + Twine(limits.cases) +
                  " cases at run time (the limit is the option max-cases)");
  }
  ++switchCount;
  OpBuilder builder(call);
  // A single size is what the switch looks at.
  bool isSize = special.match.atRunTime.size() == 1 && first.places.size() == 1 &&
                first.parameter->kind == Value::Kind::number;
  mlir::Value number =
      isSize ? sizeOf(builder, loc, operands[first.places[0].operand], first.places[0].dim)
             : caseNumber(builder, loc, special, cases, operands);
  SmallVector<int64_t> labels;
  for (auto [i, runTimeCase] : llvm::enumerate(cases))
    labels.push_back(isSize ? runTimeCase.choices[0]->number : int64_t(i));
  auto choice = scf::IndexSwitchOp::create(builder, loc, call.getResultTypes(), number, labels,
                                           labels.size());
  for (size_t i = 0; i <= cases.size(); ++i) {
    bool isDefault = i == cases.size();
    Region &region = isDefault ? choice.getDefaultRegion() : choice.getCaseRegions()[i];
    builder.setInsertionPointToStart(&region.emplaceBlock());
    auto results =
        callInstance(builder, isDefault ? *otherwise : special,
                     isDefault ? otherwise->match.values : cases[i].values, pending, operands);
    if (failed(results))
      return failure();
    scf::YieldOp::create(builder, loc, *results);
  }
  return SmallVector<mlir::Value>(choice.getResults());
}

} // namespace kgen::templates
