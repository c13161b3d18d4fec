#include "driver/load/ProposeStates.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/StringSwitch.h>

#include <set>

namespace kgen {
namespace {

enum class Side { input, output };

/// A name without the words that say which call a tensor is of, and if there were some.
struct Stem {
  std::vector<std::string> words;
  bool isMarked = false;
  bool isWeak = false; ///< marked by "in" or "out" only, as images are
};

/// "past_key_values.0.key" is past, key, values, 0, key; "stateN" is state, N.
std::vector<std::string> wordsOf(llvm::StringRef name) {
  std::vector<std::string> words{""};
  for (size_t i = 0; i < name.size(); ++i) {
    bool isWord = llvm::isAlnum(name[i]);
    bool begins = i > 0 && isWord &&
                  ((llvm::isUpper(name[i]) && llvm::isLower(name[i - 1])) ||
                   (llvm::isDigit(name[i]) && !llvm::isDigit(name[i - 1])));
    if ((!isWord || begins) && !words.back().empty())
      words.emplace_back();
    if (isWord)
      words.back() += name[i];
  }
  if (words.back().empty())
    words.pop_back();
  return words;
}

bool isMark(llvm::StringRef word, Side side, bool isLast) {
  if (side == Side::input)
    return llvm::StringSwitch<bool>(word.lower())
        .Cases({"in", "past", "prev"}, true)
        .Case("0", isLast)
        .Default(false);
  return llvm::StringSwitch<bool>(word.lower())
      .Cases({"out", "present", "next", "new"}, true)
      .Cases({"n", "1"}, isLast)
      .Default(false);
}

Stem stemOf(const std::string &name, Side side) {
  Stem stem;
  stem.isWeak = true;
  std::vector<std::string> words = wordsOf(name);
  // Optimum's past_key_values.0.key belongs to present.0.key.
  bool isOptimum = words.size() > 3 && llvm::StringRef(name).starts_with("past_key_values");
  if (isOptimum)
    words.erase(words.begin() + 1, words.begin() + 3);
  for (size_t i = 0; i < words.size(); ++i) {
    const bool isLast = i + 1 == words.size();
    const std::string lower = llvm::StringRef(words[i]).lower();
    if (lower == "cache")
      continue;
    if (isMark(words[i], side, isLast)) {
      stem.isMarked = true;
      stem.isWeak &= lower == "in" || lower == "out";
      continue;
    }
    // hn, cn: one letter, and n.
    bool endsInN = isLast && side == Side::output && words[i].size() == 2 && lower.back() == 'n';
    stem.words.push_back(endsInN ? lower.substr(0, 1) : lower);
    stem.isMarked |= endsInN;
    stem.isWeak &= !endsInN;
  }
  return stem;
}

bool hasLetters(const Stem &stem) {
  return llvm::any_of(stem.words, [](const std::string &word) { return llvm::isAlpha(word[0]); });
}

/// True if the names differ by marks only.
bool fit(const std::string &input, const std::string &output) {
  const Stem before = stemOf(input, Side::input), after = stemOf(output, Side::output);
  bool isMarked = before.isMarked || after.isMarked;
  bool isWeak = before.isWeak && after.isWeak;
  return input != output && isMarked && before.words == after.words &&
         (hasLetters(before) || !isWeak);
}

class Proposer {
public:
  Proposer(const Graph &graph, const std::map<std::string, std::string> &original)
      : graph(graph), original(original) {}

  std::vector<ProposedState> run() {
    for (ValueId input : graph.inputs)
      for (ValueId output : graph.outputs)
        if (input != output && typeOf(input).element == typeOf(output).element &&
            fit(nameOf(input), nameOf(output)))
          pairs.push_back({input, output});
    llvm::erase_if(pairs, [all = pairs](const Pair &pair) {
      return llvm::count_if(all, [&](const Pair &other) {
               return other.input == pair.input || other.output == pair.output;
             }) > 1;
    });
    std::vector<ProposedState> proposed;
    for (const Pair &pair : pairs) {
      std::optional<size_t> growing = growingAxis(pair);
      if (growing || typeOf(pair.input).shape == typeOf(pair.output).shape)
        proposed.push_back({{nameOf(pair.input), nameOf(pair.output)}, growing});
    }
    bool isAll = proposed.size() == graph.inputs.size() || proposed.size() == graph.outputs.size();
    return isAll ? std::vector<ProposedState>() : proposed;
  }

private:
  struct Pair {
    ValueId input, output;
  };

  const TensorType &typeOf(ValueId id) const { return graph.values[id].type; }

  const std::string &nameOf(ValueId id) const {
    auto found = original.find(graph.values[id].name);
    return found == original.end() ? graph.values[id].name : found->second;
  }

  /// The only axis that differs, if an input of no pair has an axis of the difference.
  std::optional<size_t> growingAxis(const Pair &pair) const {
    const TensorType &before = typeOf(pair.input), &after = typeOf(pair.output);
    if (before.shape.size() != after.shape.size())
      return std::nullopt;
    std::vector<size_t> axes;
    for (size_t i = 0; i < before.shape.size(); ++i)
      if (before.shape.dim(i) != after.shape.dim(i))
        axes.push_back(i);
    if (axes.size() != 1)
      return std::nullopt;
    const Dim grown = after.shape.dim(axes.front()) - before.shape.dim(axes.front());
    bool isLength = llvm::any_of(graph.inputs, [&](ValueId input) {
      if (llvm::any_of(pairs, [&](const Pair &other) { return other.input == input; }))
        return false;
      const TensorType &type = typeOf(input);
      for (size_t i = 0; i < type.shape.size(); ++i)
        if (type.shape.dim(i) == grown)
          return true;
      return false;
    });
    return isLength ? std::optional(axes.front()) : std::nullopt;
  }

  const Graph &graph;
  const std::map<std::string, std::string> &original;
  std::vector<Pair> pairs;
};

} // namespace

std::vector<ProposedState> proposeStates(const Graph &graph,
                                         const std::map<std::string, std::string> &original) {
  return Proposer(graph, original).run();
}

} // namespace kgen
