#include "ops/product/EinsumEquation.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

using llvm::SmallVector;
using llvm::StringRef;

namespace kgen {
namespace {

/// The label that an ellipsis is while it is not known how many dimensions it stands for.
constexpr Label ellipsis = 0;

class EquationReader {
public:
  explicit EquationReader(const InferenceContext &context) : context(context) {
    for (char c : context.string("equation"))
      if (c != ' ')
        text += c;
  }

  std::optional<EinsumEquation> read();

private:
  bool fail(const std::string &message) const {
    context.error("equation '" + context.string("equation") + "': " + message);
    return false;
  }

  bool readTerm(StringRef term, Labels &labels) const;
  bool bind(size_t i, Labels labels);
  bool addSize(Label label, int64_t size);
  void inferResult();
  bool finishResult(Labels labels);

  const InferenceContext &context;
  std::string text;
  EinsumEquation equation;
  std::map<Label, int> uses; ///< how often a letter is among the operands' labels
  int64_t ellipsisRank = 0;  ///< of the operand whose ellipsis stands for the most dimensions
};

/// Letters, and at most one ellipsis.
bool EquationReader::readTerm(StringRef term, Labels &labels) const {
  while (!term.empty()) {
    if (term.consume_front("...")) {
      if (llvm::is_contained(labels, ellipsis))
        return fail("a term may have one ellipsis");
      labels.push_back(ellipsis);
      continue;
    }
    if (!llvm::isAlpha(term.front()))
      return fail("expected letters and '...' between ',' and '->', found '" + term.str() + "'");
    labels.push_back(term.front());
    term = term.drop_front();
  }
  return true;
}

bool EquationReader::addSize(Label label, int64_t size) {
  auto [known, isNew] = equation.sizes.insert({label, size});
  if (isNew || known->second == size || size == 1)
    return true;
  if (known->second != 1)
    return fail((label > 0 ? "'" + std::string(1, static_cast<char>(label)) + "'"
                           : std::string("a dimension of '...'")) +
                " would be " + std::to_string(known->second) + " and " + std::to_string(size));
  known->second = size;
  return true;
}

/// Gives labels to the dimensions of input i.
bool EquationReader::bind(size_t i, Labels labels) {
  const TensorType &type = context.input(i);
  auto dots = llvm::find(labels, ellipsis);
  int64_t rank = type.shape.size(), letters = labels.size() - (dots != labels.end());
  if (letters > rank || (dots == labels.end() && letters != rank))
    return fail("input " + std::to_string(i + 1) + " is " + type.str() + ", which has " +
                std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions") + ", not " +
                std::to_string(letters));
  if (dots != labels.end()) {
    int64_t hidden = rank - letters;
    ellipsisRank = std::max(ellipsisRank, hidden);
    auto at = labels.erase(dots);
    for (int64_t d = 1; d <= hidden; ++d)
      at = labels.insert(at, static_cast<Label>(-d));
  }
  for (auto [label, size] : llvm::zip_equal(labels, type.shape)) {
    ++uses[label];
    if (!addSize(label, size))
      return false;
  }
  equation.operands.push_back(std::move(labels));
  return true;
}

/// Without '->': what the ellipsis stands for, then letters that are used once, in their order.
void EquationReader::inferResult() {
  Labels labels{ellipsis};
  for (auto [label, count] : uses)
    if (label > 0 && count == 1)
      labels.push_back(label);
  finishResult(labels);
}

bool EquationReader::finishResult(Labels labels) {
  for (Label label : labels) {
    if (label == ellipsis) {
      for (int64_t d = ellipsisRank; d >= 1; --d)
        equation.result.push_back(static_cast<Label>(-d));
      continue;
    }
    std::string name(1, static_cast<char>(label));
    if (!uses.count(label))
      return fail("the result has '" + name + "', which no operand has");
    if (llvm::is_contained(equation.result, label))
      return fail("the result has '" + name + "' twice");
    equation.result.push_back(label);
  }
  return true;
}

std::optional<EinsumEquation> EquationReader::read() {
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != context.inputCount()) {
    fail("it has " + std::to_string(terms.size()) + (terms.size() == 1 ? " term" : " terms") +
         ", but the node has " + std::to_string(context.inputCount()) +
         (context.inputCount() == 1 ? " input" : " inputs"));
    return std::nullopt;
  }
  for (auto [i, term] : enumerate(terms)) {
    Labels labels;
    if (!readTerm(term, labels) || !bind(i, std::move(labels)))
      return std::nullopt;
  }
  if (!StringRef(text).contains("->")) {
    inferResult();
    return equation;
  }
  Labels labels;
  if (!readTerm(right, labels) || !finishResult(std::move(labels)))
    return std::nullopt;
  return equation;
}

} // namespace

std::optional<EinsumEquation> einsumEquation(const InferenceContext &context) {
  return EquationReader(context).read();
}

} // namespace kgen
