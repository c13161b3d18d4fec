// The report of everything that cannot be imported.
#include "ingress/onnx/Importer.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace kgen::onnx {

/// Lines of the report.
constexpr size_t maxShownRefusals = 40;

void Importer::refuse(const NodeProto &node, const std::string &reason) {
  std::string op = (domainOf(node).empty() ? "" : domainOf(node) + ".") + node.op_type();
  if (op.size() > maxShownName || op.find('\n') != std::string::npos)
    op = quoteName(op);
  auto [known, isNew] = refusalIndex.emplace(std::pair(op, reason), refusals.size());
  if (isNew)
    refusals.push_back({op, reason, nameOf(node)});
  Refusal &refusal = refusals[known->second];
  if (refusal.last != &node)
    ++refusal.count;
  refusal.last = &node;
}

void Importer::dropRefusals(size_t count) {
  refusals.resize(std::min(count, refusals.size()));
  for (auto it = refusalIndex.begin(); it != refusalIndex.end();)
    it = it->second >= count ? refusalIndex.erase(it) : std::next(it);
}

/// Returns what to do about an operator that kgen lacks.
std::string Importer::adviceForMissing() const {
  if (!missing)
    return "";
  std::string before;
  for (const std::string &input : missing->input())
    if (const ImportedValue *value = input.empty() ? nullptr : scope.find(input);
        value && value->kind == ImportedValue::Kind::tensor && value->tensor < brokenValue &&
        valueOf(value->tensor).kind == ValueKind::result)
      before += (before.empty() ? "" : ",") + input;
  return "--extern " + missing->op_type() + "=SYMBOL makes it a call of a C function of yours" +
         (before.empty() ? "" : "; --outputs " + before + " ends the function before it");
}

/// One message: by operator, with the number of nodes, the first of them, and the reason.
void Importer::reportRefusals() {
  if (refusals.empty())
    return;
  size_t width = 0, hidden = refusals.size() - std::min(refusals.size(), maxShownRefusals);
  refusals.resize(refusals.size() - hidden);
  for (const Refusal &refusal : refusals)
    width = std::max(width, refusal.op.size());
  std::string text;
  for (const Refusal &refusal : refusals) {
    std::string op = refusal.op;
    op.resize(width, ' ');
    text += "\n    " + op + "  " + std::to_string(refusal.count) +
            (refusal.count == 1 ? " node,  " : " nodes, the first is ") + quoteName(refusal.where) +
            ": " + refusal.reason;
  }
  if (hidden != 0)
    text += "\n    and " + std::to_string(hidden) + " more";
  diagnostics.error({model.path, 0, 0}, "the model cannot be imported:" + text, adviceForMissing());
}

} // namespace kgen::onnx
