// Resolves calls: which template, with which parameters.
#include "templates/transforms/Instantiator.h"

#include "support/Diagnostics.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen::templates {

/// Templates that an error lists.
constexpr size_t maxListedTemplates = 3;

/// The operands without casts to types that say less.
SmallVector<mlir::Value> Instantiator::knownOperands(CallOp call) {
  SmallVector<mlir::Value> operands(call.getOperands());
  for (mlir::Value &value : operands)
    while (auto cast = value.getDefiningOp<tensor::CastOp>()) {
      auto source = dyn_cast<RankedTensorType>(cast.getSource().getType());
      auto target = dyn_cast<RankedTensorType>(value.getType());
      if (!source || (target && !tensor::preservesStaticInformation(target, source)))
        break;
      value = cast.getSource();
    }
  return operands;
}

CallShape Instantiator::shapeOf(CallOp call, ValueRange operands) {
  CallShape shape;
  for (mlir::Value operand : operands)
    shape.operands.push_back(table.termOf(operand.getType()));
  if (std::optional<DictionaryAttr> given = call.getParameters())
    for (NamedAttribute entry : *given)
      if (auto text = dyn_cast<StringAttr>(entry.getValue()))
        shape.given[entry.getName().str()] = text.str();
  return shape;
}

LogicalResult Instantiator::reportNoFit(PendingCall pending, ValueRange operands,
                                        const std::vector<Candidate> &candidates) {
  std::string callee = "@" + pending.call.getCallee().str();
  auto diagnostic = emitError(pending.call.getLoc());
  auto note = [&](const Candidate &candidate, const char *at) -> mlir::Diagnostic & {
    return diagnostic.attachNote(candidate.of->op.locationOf(at));
  };
  if (candidates.size() == 1) {
    const Match &match = candidates.front().match;
    diagnostic << callee << " cannot be called like this: " << match.refusal.message;
    note(candidates.front(), match.refusal.at) << "declared here";
    if (match.otherAt)
      note(candidates.front(), match.otherAt) << "and here";
  } else {
    diagnostic << callee << " has no template for (" << TypeRange(operands) << ")";
    for (const Candidate &candidate :
         ArrayRef(candidates).take_front(std::min(candidates.size(), maxListedTemplates)))
      note(candidate, candidate.match.refusal.at) << candidate.match.refusal.message;
  }
  addCallNotes(diagnostic, pending.parent);
  return failure();
}

/// The candidate that is more special than all others.
Instantiator::Candidate *Instantiator::mostSpecial(std::vector<Candidate *> &fit,
                                                   PendingCall pending) {
  auto isBest = [&](Candidate *c) {
    return llvm::all_of(fit, [&](Candidate *other) {
      return c == other || isMoreSpecial(c->of->header, other->of->header);
    });
  };
  auto best = llvm::find_if(fit, isBest);
  if (best != fit.end())
    return *best;
  std::vector<Candidate *> unbeaten;
  for (Candidate *c : fit)
    if (llvm::none_of(fit, [&](Candidate *other) {
          return other != c && isMoreSpecial(other->of->header, c->of->header);
        }))
      unbeaten.push_back(c);
  auto diagnostic = emitError(pending.call.getLoc())
                    << "@" << pending.call.getCallee()
                    << " is ambiguous: several templates fit, and none is the most special";
  for (Candidate *c : ArrayRef(unbeaten).take_front(maxListedTemplates))
    diagnostic.attachNote(c->of->op.locationOf(c->of->header.signature.data())) << "this one fits";
  if (unbeaten.size() >= 2)
    diagnostic.attachNote(pending.call.getLoc())
        << "a template with this header would decide: "
        << decidingHeader(unbeaten[0]->of->header, unbeaten[1]->of->header);
  addCallNotes(diagnostic, pending.parent);
  return nullptr;
}

/// Calls the instance; operands and results are cast to what knows more or less.
FailureOr<SmallVector<mlir::Value>>
Instantiator::callInstance(OpBuilder &builder, Candidate &candidate, const Environment &values,
                           PendingCall pending, ValueRange operands) {
  Location loc = pending.call.getLoc();
  auto function = instanceOf(*candidate.of, values, loc, pending.parent);
  if (failed(function))
    return failure();
  auto castTo = [&](mlir::Value value, Type type) -> mlir::Value {
    if (value.getType() == type)
      return value;
    if (memref::CastOp::areCastCompatible(value.getType(), type))
      return memref::CastOp::create(builder, loc, type, value);
    if (!tensor::CastOp::areCastCompatible(value.getType(), type))
      return {};
    return tensor::CastOp::create(builder, loc, type, value);
  };
  FunctionType type = (*function).getFunctionType();
  TypeRange wanted = pending.call.getResultTypes();
  SmallVector<mlir::Value> inputs, results;
  for (auto [operand, input] : llvm::zip(operands, type.getInputs()))
    inputs.push_back(castTo(operand, input));
  bool fits = !llvm::is_contained(inputs, mlir::Value()) && type.getNumResults() == wanted.size();
  if (fits) {
    auto call = func::CallOp::create(builder, loc, *function, inputs);
    for (auto [result, resultType] : llvm::zip(call.getResults(), wanted))
      results.push_back(castTo(result, resultType));
    fits = !llvm::is_contained(results, mlir::Value());
  }
  if (fits)
    return results;
  auto diagnostic = emitError(loc) << "@" << pending.call.getCallee() << " gives ("
                                   << type.getResults() << "), not (" << wanted << ")";
  diagnostic.attachNote(candidate.of->op.locationOf(candidate.of->header.resultText.ltrim().data()))
      << "declared here";
  addCallNotes(diagnostic, pending.parent);
  return failure();
}

LogicalResult Instantiator::resolve(PendingCall pending) {
  callCount += !pending.isReference;
  CallOp call = pending.call;
  SmallVector<mlir::Value> operands = knownOperands(call);
  ArrayRef<DefinedTemplate *> overloads = table.find(call.getCallee());
  if (overloads.empty()) {
    auto diagnostic = emitError(call.getLoc()) << "there is no template @" << call.getCallee()
                                               << didYouMean(call.getCallee().str(), table.names());
    addCallNotes(diagnostic, pending.parent);
    return failure();
  }
  CallShape shape = shapeOf(call, operands);
  std::vector<Candidate> candidates;
  std::vector<Candidate *> direct, atRunTime;
  for (DefinedTemplate *of : overloads)
    candidates.push_back({of, matchCall(of->header, shape, &table.target())});
  for (Candidate &candidate : candidates)
    if (candidate.match.fits())
      (candidate.match.atRunTime.empty() ? direct : atRunTime).push_back(&candidate);
  if (direct.empty() && atRunTime.empty())
    return reportNoFit(pending, operands, candidates);
  Candidate *otherwise = direct.empty() ? nullptr : mostSpecial(direct, pending);
  Candidate *special = atRunTime.empty() ? nullptr : mostSpecial(atRunTime, pending);
  if ((!direct.empty() && !otherwise) || (!atRunTime.empty() && !special))
    return failure();
  StringRef reference = special ? "" : otherwise->of->header.reference;
  if (limits.references && !pending.isReference && !reference.empty()) {
    call.setCallee(reference);
    return resolve({call, pending.parent, true});
  }
  OpBuilder builder(call);
  FailureOr<SmallVector<mlir::Value>> results =
      special ? dispatch(*special, otherwise, pending, operands)
              : callInstance(builder, *otherwise, otherwise->match.values, pending, operands);
  if (failed(results))
    return failure();
  call.replaceAllUsesWith(*results);
  call.erase();
  return success();
}

LogicalResult Instantiator::resolveCalls() {
  module.walk([&](CallOp call) { work.push_back({call, -1}); });
  return resolvePending();
}

LogicalResult Instantiator::resolvePending() {
  bool succeededAll = true;
  for (; !work.empty() && !stopped; work.pop_front())
    succeededAll &= succeeded(resolve(work.front()));
  return success(succeededAll);
}

} // namespace kgen::templates
