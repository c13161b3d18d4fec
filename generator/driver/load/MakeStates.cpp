#include "driver/load/MakeStates.h"

#include "driver/load/GrowingStates.h"
#include "driver/load/LengthState.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

class StateMaker {
public:
  StateMaker(const std::map<std::string, std::string> &original, const std::string &path,
             Graph &graph, Diagnostics &diagnostics)
      : original(original), path(path), graph(graph), diagnostics(diagnostics) {}

  void run(const std::vector<StatePair> &pairs) {
    for (const StatePair &pair : pairs) {
      std::optional<size_t> input = find(pair.input, graph.inputs, "input", pair),
                            output = find(pair.output, graph.outputs, "output", pair);
      if (!input || !output)
        continue;
      Found one{graph.inputs[*input], graph.outputs[*output]};
      if (std::optional<size_t> axis = growingAxis(graph, one.input, one.output)) {
        const Dim before = graph.values[one.input].type.shape.dim(*axis),
                  after = graph.values[one.output].type.shape.dim(*axis);
        const std::string problem = growInPlace(graph, one.input, *output, *axis);
        if (problem.empty()) {
          found.push_back({one.input, graph.outputs[*output]});
          caches.push_back({before, after - before});
        } else
          fail("--state " + pair.input + "=" + pair.output + ": " + problem,
               "give it as input and output, or write the spec with TensorScatter");
      } else if (fits(pair, one.input, one.output)) {
        found.push_back(one);
      }
    }
    if (graph.outputs.size() == found.size() && !found.empty())
      return fail("the model has no other output than those of --state",
                  "its functions need one that a caller reads: leave a --state out");
    move();
    holdLengths(caches, graph);
  }

private:
  struct Found {
    ValueId input, output;
  };

  void fail(const std::string &message, const std::string &hint = "") {
    diagnostics.error({path, 0, 0}, message, hint);
  }

  /// The number of the value, which no other pair has.
  std::optional<size_t> find(const std::string &name, const std::vector<ValueId> &values,
                             const std::string &what, const StatePair &pair) {
    std::vector<std::string> names;
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string &own = graph.values[values[i]].name;
      auto other = original.find(own);
      names.push_back(other == original.end() ? own : other->second);
      if (name != own && name != names.back())
        continue;
      if (llvm::any_of(found, [&](const Found &known) {
            return (what == "input" ? known.input : known.output) == values[i];
          })) {
        fail("--state names the " + what + " '" + name + "' twice");
        return std::nullopt;
      }
      return i;
    }
    fail("--state " + pair.input + "=" + pair.output + ": the model has no " + what + " '" + name +
             "'" + didYouMean(name, names),
         "it has " + llvm::join(names, ", "));
    return std::nullopt;
  }

  bool fits(const StatePair &pair, ValueId input, ValueId output) {
    const TensorType &before = graph.values[input].type, &after = graph.values[output].type;
    const std::string option = "--state " + pair.input + "=" + pair.output + ": ";
    if (before != after)
      fail(option + "the input is " + before.str() + ", the output " + after.str(),
           "the output may have more along one axis, whose size the input has a name of");
    return before == after;
  }

  /// Inputs and outputs that are states come after all others.
  void move() {
    for (const Found &one : found) {
      llvm::erase(graph.inputs, one.input);
      graph.outputs.erase(llvm::find(graph.outputs, one.output));
    }
    for (const Found &one : found) {
      graph.states.push_back(
          {graph.values[one.input].name, graph.inputs.size(), graph.outputs.size()});
      graph.inputs.push_back(one.input);
      graph.outputs.push_back(one.output);
    }
  }

  const std::map<std::string, std::string> &original;
  const std::string &path;
  Graph &graph;
  Diagnostics &diagnostics;
  std::vector<Found> found;
  std::vector<CacheGrowth> caches;
};

} // namespace

void makeStates(const std::vector<StatePair> &pairs,
                const std::map<std::string, std::string> &original, const std::string &path,
                Graph &graph, Diagnostics &diagnostics) {
  StateMaker(original, path, graph, diagnostics).run(pairs);
}

} // namespace kgen
