// The explanation is of the generated code: every node once, the sizes of the library, no influence
// on the code.
#include "driver/generate/Generate.h"
#include "explain/Render.h"
#include "explain/Warnings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace kgen;

namespace {

const std::string attention = KGEN_TEST_SOURCES "/attention.yaml";

GenerateResult compile(const std::string &spec, EmitKind emit, bool explain) {
  GenerateOptions options;
  options.specPath = spec;
  options.emit = emit;
  options.explain = explain;
  Diagnostics diagnostics;
  GenerateResult result;
  GenerateStatus status = generateLibrary(options, result, diagnostics);
  INFO(diagnostics.str());
  REQUIRE(status == GenerateStatus::ok);
  return result;
}

const ExplainedNode &node(const Explanation &explanation, const std::string &name) {
  for (const ExplainedNode &node : explanation.nodes)
    if (node.name == name)
      return node;
  FAIL("no node " << name);
  return explanation.nodes.front();
}

TEST_CASE("work that is done twice is named") {
  GenerateResult result = compile(KGEN_TEST_SOURCES "/repeated.yaml", EmitKind::nothing, true);
  auto twice = [&](const std::string &graph) {
    std::vector<std::string> texts;
    for (const Part &part : result.parts)
      for (const ExplainedWarning &warning : warningsOf(part.explanation))
        if (part.graph == graph && warning.text.find("work done twice") == 0)
          texts.push_back(warning.nodes.front() + ": " + warning.text);
    return texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(twice("same") ==
        Texts{"z: work done twice: 'b' (524.3 kB) is packed in the same form for 'y', too"});
  CHECK(twice("other") ==
        Texts{"z: work done twice: 'b' (524.3 kB) is packed in another form for 'y', too"});
  CHECK(twice("tiles") ==
        Texts{"c2: work done twice: 'image' (802.8 kB) is transformed into Winograd's tiles in the "
              "same form for 'c1', too"});
  CHECK(twice("once") == Texts{}); // weights are packed when the library is generated
}

TEST_CASE("every node is accounted for once") {
  for (const Part &part : compile(attention, EmitKind::nothing, true).parts) {
    const Explanation &e = part.explanation;
    REQUIRE(e.nodes.size() == 17);
    std::set<std::string> names;
    std::map<size_t, std::set<std::string>> groups;
    for (const ExplainedNode &node : e.nodes) {
      CHECK(names.insert(node.name).second);
      groups[node.group].insert(node.name);
    }
    CHECK(groups.rbegin()->first + 1 == groups.size()); // numbered without gaps
    // A step belongs to one group, and is listed by exactly its nodes.
    for (size_t i = 0; i < e.steps.size(); ++i) {
      const ExplainedStep &step = e.steps[i];
      REQUIRE(!step.nodes.empty());
      CHECK(step.kind != StepKind::other);
      CHECK(step.tiling.has_value() == (step.kind == StepKind::contraction));
      CHECK(step.loops.has_value() == (step.kind == StepKind::loops));
      for (const ExplainedNode &node : e.nodes) {
        bool listed = std::count(node.steps.begin(), node.steps.end(), i);
        bool worksInIt = std::count(step.nodes.begin(), step.nodes.end(), node.name);
        CHECK(listed == (worksInIt && step.purpose.empty()));
      }
    }
  }
}

TEST_CASE("the fates of nodes") {
  const Explanation e = compile(attention, EmitKind::nothing, true).parts.front().explanation;
  CHECK(node(e, "q").fate == NodeFate::contraction);
  CHECK(node(e, "scaled").fate == NodeFate::epilogue);
  CHECK(node(e, "scaled").into == "scores");
  for (const char *name : {"biased", "residual", "y"}) {
    CHECK(node(e, name).fate == NodeFate::epilogue);
    CHECK(node(e, name).into == "projected");
    CHECK(node(e, name).group == node(e, "projected").group);
  }
  CHECK(node(e, "kt").fate == NodeFate::folded); // what packs it reads k
  CHECK(!node(e, "kt").passes.empty());
  CHECK(node(e, "weights").fate == NodeFate::loops);
  CHECK(node(e, "weights").steps.size() > 1);
  CHECK(node(e, "same").fate == NodeFate::view);
  CHECK(node(e, "flat").passes == std::vector<std::string>{"kgen-fuse-elementwise"});
  for (const char *name : {"z", "square", "root"}) {
    CHECK(node(e, name).fate == NodeFate::fused);
    CHECK(node(e, name).group == node(e, "z").group);
  }
}

TEST_CASE("what is computed in the registers of a sum over windows") {
  const Explanation e = compile(KGEN_TEST_SOURCES "/depthwise.yaml", EmitKind::nothing, true)
                            .parts.front()
                            .explanation;
  for (const char *name : {"filtered", "scaled", "active"}) {
    CHECK(node(e, name).fate == NodeFate::fused);
    CHECK(node(e, name).steps.back() == node(e, "filtered").steps.back());
  }
  REQUIRE(!node(e, "filtered").steps.empty());
  const ExplainedStep &step = e.steps[node(e, "filtered").steps.back()];
  REQUIRE(step.loops.has_value());
  CHECK(step.loops->form == "reduction");
  CHECK(step.loops->sizes[step.loops->dimension] == 32); // channels
  CHECK(step.loops->lanes == 16);
  CHECK(step.loops->strategy == "windows-nhwc");
  auto costOf = [&](const std::string &strategy) {
    for (const ExplainedStrategy &offer : step.loops->offers)
      if (offer.name == strategy && offer.cost)
        return *offer.cost;
    return 1e9;
  };
  CHECK(costOf("windows-nhwc") <= costOf("vector-loops"));
  CHECK(costOf("vector-loops") < costOf("scalar-loops"));
  CHECK(costOf("scalar-loops") < 1e9);
}

TEST_CASE("operands of contractions: packed when, and why") {
  const Explanation e = compile(attention, EmitKind::nothing, true).parts.front().explanation;
  REQUIRE(e.operands.size() == 6);
  for (const ExplainedOperandB &operand : e.operands) {
    INFO(operand.operand);
    bool isWeight = operand.operand.front() == 'w';
    CHECK((operand.when == "build") == isWeight);
    CHECK((operand.panel > 0) == (operand.when != "never"));
    CHECK(operand.bytes > 0);
    CHECK_FALSE(operand.why.empty());
    bool hasPackStep = std::any_of(e.steps.begin(), e.steps.end(), [&](const ExplainedStep &step) {
      return step.purpose == "pack" &&
             std::count(step.nodes.begin(), step.nodes.end(), operand.operand);
    });
    CHECK(hasPackStep == (operand.when == "run"));
  }
}

TEST_CASE("micro-kernels do all of the work of contractions") {
  const Explanation e = compile(attention, EmitKind::nothing, true).parts.front().explanation;
  std::map<size_t, int64_t> products; ///< by step
  for (const ExplainedKernel &kernel : e.kernels) {
    auto chosen = std::find_if(kernel.offers.begin(), kernel.offers.end(),
                               [&](auto &offer) { return offer.provider == kernel.provider; });
    REQUIRE(chosen != kernel.offers.end());
    for (const ExplainedOffer &offer : kernel.offers)
      CHECK((offer.cost ? *offer.cost >= *chosen->cost : !offer.refusal.empty()));
    for (auto [step, calls] : kernel.calls)
      products[step] += calls * kernel.m * kernel.n * kernel.k;
  }
  for (size_t i = 0; i < e.steps.size(); ++i)
    if (auto tiling = e.steps[i].tiling)
      CHECK(products[i] == tiling->tasks * tiling->batch * tiling->m * tiling->n * tiling->k);
}

TEST_CASE("sizes are those of the library") {
  GenerateResult generated = compile(attention, EmitKind::object, false);
  GenerateResult explained = compile(attention, EmitKind::nothing, true);
  REQUIRE(generated.parts.size() == explained.parts.size());
  std::map<std::string, int64_t> weights;
  for (size_t i = 0; i < generated.parts.size(); ++i) {
    const Explanation &e = explained.parts[i].explanation;
    CHECK(e.target == generated.parts[i].target);
    CHECK(e.workspaceBytes == generated.parts[i].workspaceBytes);
    CHECK(e.workspaceBytes > 0);
    std::set<std::string> symbols;
    for (const ExplainedWeight &weight : e.weights) {
      if (weight.storage != WeightStorage::shared)
        continue;
      weights[weight.symbol] = weight.bytes;
      symbols.insert(weight.symbol);
      CHECK(weight.names.size() == 1);
    }
    CHECK(symbols == std::set<std::string>(generated.parts[i].weights.begin(),
                                           generated.parts[i].weights.end()));
  }
  int64_t total = 0;
  for (const auto &[symbol, bytes] : weights)
    total += bytes;
  CHECK(total == generated.weightBytes);
}

TEST_CASE("every weight has a row with where it is stored") {
  const Explanation e = compile(attention, EmitKind::nothing, true).parts.front().explanation;
  std::map<std::string, const ExplainedWeight *> byName;
  for (const ExplainedWeight &weight : e.weights)
    for (const std::string &name : weight.names)
      CHECK(byName.emplace(name, &weight).second);
  REQUIRE(byName.size() == 7);
  for (const char *name : {"wq", "wk", "wv", "wo"}) {
    CHECK(byName[name]->packed);
    CHECK(byName[name]->storage == WeightStorage::shared);
    CHECK(byName[name]->bytes == 65536);
  }
  CHECK(byName["bo"]->storage == WeightStorage::shared);
  CHECK_FALSE(byName["bo"]->packed);
  CHECK(byName["scale"]->storage == WeightStorage::none);
  CHECK(byName["scale"]->into == std::vector<std::string>{"scaled"});
  CHECK(byName["shape"]->into == std::vector<std::string>{"flat"});
  const Explanation digits =
      compile(KGEN_SPECS "/digits.yaml", EmitKind::nothing, true).parts.front().explanation;
  for (const ExplainedWeight &weight : digits.weights)
    CHECK((weight.storage == WeightStorage::object) == (weight.names.front().front() == 'b'));
  CHECK(digits.weights.size() == 4);
}

TEST_CASE("fates name the passes that decided them, contractions the tile of their micro-kernel") {
  const Explanation e = compile(attention, EmitKind::nothing, true).parts.front().explanation;
  using Passes = std::vector<std::string>;
  CHECK(node(e, "q").passes == Passes{"kgen-contractions-to-tpp"});
  CHECK(node(e, "scaled").passes == Passes{"kgen-fuse-epilogues"});
  CHECK(node(e, "weights").passes == Passes{"kgen-vectorize"});
  CHECK(node(e, "square").passes == Passes{"kgen-fold-into-eltwise", "kgen-vectorize"});
  CHECK(node(e, "same").passes.empty());
  const Explanation digits =
      compile(KGEN_SPECS "/digits.yaml", EmitKind::nothing, true).parts.front().explanation;
  for (const ExplainedStep &step : digits.steps)
    if (step.tiling)
      CHECK(step.tiling->tileRows == 1); // one row: no tile for several
}

TEST_CASE("buffers have distinct names") {
  const Explanation e = compile(attention, EmitKind::nothing, true).parts.front().explanation;
  std::vector<std::string> names = e.bufferNames();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const ExplainedBuffer &buffer : e.buffers)
    CHECK(buffer.type.find("f32[") == 0);
}

TEST_CASE("buffers that live at the same time do not overlap") {
  const Explanation e = compile(attention, EmitKind::nothing, true).parts.front().explanation;
  int64_t end = 0;
  for (size_t i = 0; i < e.buffers.size(); ++i) {
    const ExplainedBuffer &a = e.buffers[i];
    CHECK_FALSE(a.values.empty());
    CHECK(a.lastStep < e.steps.size());
    for (size_t writer : a.writers)
      CHECK((writer >= a.firstStep && writer <= a.lastStep));
    end = std::max(end, a.offset + a.bytes);
    for (size_t j = 0; j < i; ++j) {
      const ExplainedBuffer &b = e.buffers[j];
      // Lives that meet in one step may hand memory over within it.
      bool together = a.firstStep < b.lastStep && b.firstStep < a.lastStep;
      bool overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      CHECK_FALSE((together && overlap));
    }
  }
  CHECK(end == e.workspaceBytes);
}

TEST_CASE("explaining changes no byte of the code") {
  for (const std::string &spec : {attention, std::string(KGEN_SPECS "/digits.yaml")}) {
    GenerateResult plain = compile(spec, EmitKind::object, false);
    GenerateResult explained = compile(spec, EmitKind::object, true);
    CHECK(plain.files == explained.files);
    CHECK(plain.parts.front().explanation.nodes.empty());
    CHECK_FALSE(explained.parts.front().explanation.nodes.empty());
  }
}

TEST_CASE("the same spec gets the same explanation") {
  auto explain = [] {
    LibraryExplanation library{"attention", {}, 0};
    for (const Part &part : compile(attention, EmitKind::nothing, true).parts)
      library.parts.push_back(part.explanation);
    return explainText(library) + explainJson(library) + explainHtml(library);
  };
  CHECK(explain() == explain());
}

} // namespace
