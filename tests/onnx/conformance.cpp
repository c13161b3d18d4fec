// The standard's own tests through kgen: imported, compiled, called, compared with its tolerances.
//
//   kgen-onnx-conformance DATA [--target NAME] [--every N] [--only TEST] [--write FILE | --check
//   FILE]
//
// DATA has a folder for each suite (node, simple, ...), and that one for each test: model.onnx and
// test_data_set_<n>. --write makes the page of docs/ with what passes; --check compares with it,
// and fails if a test has another result than it says. A test that computes something wrong fails
// always.
#include "driver/verify/Verify.h"
#include "ingress/onnx/Model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

namespace fs = std::filesystem;
using namespace kgen;

namespace {

const char *const suites[] = {"node", "pytorch-operator", "pytorch-converted", "simple"};

struct Options {
  std::string data, target = "x86-64-v3", only, write, check;
  size_t every = 1;
};

enum class Outcome { passed, refused, wrong };

struct Result {
  std::string suite, test;
  Outcome outcome = Outcome::passed;
  std::string reason;
};

std::vector<std::string> foldersIn(const fs::path &folder, const std::string &prefix) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
    if (it->is_directory() && it->path().filename().string().rfind(prefix, 0) == 0)
      names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// "Loop: its number of iterations is known at run time only" of the importer's report, whose
/// second line begins with the operator and has the reason after the node.
std::string reasonOf(const std::string &message) {
  size_t line = message.find("\n    ");
  if (message.rfind("the model cannot be imported", 0) != 0 || line == std::string::npos)
    return message.substr(0, message.find('\n'));
  std::string first = message.substr(line + 5);
  first = first.substr(0, first.find('\n'));
  size_t reason = first.find("': ");
  std::string op = first.substr(0, first.find(' '));
  return op + ": " + (reason == std::string::npos ? first : first.substr(reason + 3));
}

/// Inputs of a model, in order.
std::vector<std::string> inputsOf(const std::string &path) {
  Diagnostics diagnostics;
  std::unique_ptr<onnx::Model> model = onnx::readModel(path, diagnostics);
  std::vector<std::string> names;
  for (int i = 0; model && i < model->proto.graph().input_size(); ++i)
    names.push_back(model->proto.graph().input(i).name());
  return names;
}

/// kgen's shapes are known when code is generated. Where a test gives one at run time, its inputs
/// but the first one are constants, as `--value NAME=FILE` makes them; if that is not enough, all.
GenerateStatus verifyWithConstants(VerifyOptions options, VerifyReport &report,
                                   Diagnostics &diagnostics) {
  GenerateStatus status = verify(options, report, diagnostics);
  std::vector<std::string> inputs = inputsOf(options.path);
  for (size_t first : {size_t(1), size_t(0)}) {
    if (status != GenerateStatus::userError)
      return status;
    VerifyOptions constant = options;
    for (size_t i = first; i < inputs.size(); ++i)
      constant.bindings.valueFiles[inputs[i]] =
          (fs::path(options.against) / ("input_" + std::to_string(i) + ".pb")).string();
    VerifyReport again;
    Diagnostics errors;
    status = verify(constant, again, errors);
    if (status == GenerateStatus::ok)
      report = again;
  }
  return status;
}

Result runTest(const Options &options, const std::string &suite, const std::string &test) {
  Result result{suite, test, Outcome::passed, ""};
  fs::path folder = fs::path(options.data) / suite / test;
  for (const std::string &set : foldersIn(folder, "test_data_set_")) {
    VerifyOptions verifyOptions;
    verifyOptions.path = (folder / "model.onnx").string();
    verifyOptions.against = (folder / set).string();
    verifyOptions.targets = {options.target};
    VerifyReport report;
    Diagnostics diagnostics;
    GenerateStatus status = verifyWithConstants(verifyOptions, report, diagnostics);
    if (status == GenerateStatus::userError) {
      result.outcome = Outcome::refused;
      result.reason = reasonOf(diagnostics.errors().front().message);
    } else if (status != GenerateStatus::ok) {
      result.outcome = Outcome::wrong;
      result.reason = diagnostics.str();
    } else if (!report.isRight()) {
      result.outcome = Outcome::wrong;
      result.reason = "another result in " + set;
    }
    if (result.outcome != Outcome::passed)
      return result;
  }
  return result;
}

std::vector<Result> runAll(const Options &options) {
  std::vector<Result> results;
  size_t number = 0;
  for (const char *suite : suites)
    for (const std::string &test : foldersIn(fs::path(options.data) / suite, "test_")) {
      if (!options.only.empty() ? test != options.only : number++ % options.every != 0)
        continue;
      results.push_back(runTest(options, suite, test));
      const Result &result = results.back();
      if (result.outcome != Outcome::passed)
        std::cerr << (result.outcome == Outcome::wrong ? "WRONG   " : "refused ") << suite << "/"
                  << test << ": " << result.reason << "\n";
    }
  return results;
}

size_t count(const std::vector<Result> &results, const std::string &suite, Outcome outcome) {
  return static_cast<size_t>(
      std::count_if(results.begin(), results.end(), [&](const Result &result) {
        return result.suite == suite && result.outcome == outcome;
      }));
}

/// The page of docs/.
std::string pageOf(const std::vector<Result> &results) {
  std::string text =
      "<!-- Generated: run `kgen-onnx-conformance DATA --write docs/ONNX-Conformance.md`. -->\n"
      "# ONNX conformance\n\n"
      "The standard's own tests (Debian's `libonnx-testdata`), each through `kgen verify`: "
      "imported, generated for `x86-64-v3` and as plain\nloops, called, and compared with the "
      "standard's tolerances. `ctest -R onnx.conformance` checks a part of this page in every "
      "run, all of\nit in the long tests.\n\n"
      "| suite | passed | refused, with a reason | wrong | of |\n|---|---|---|---|---|\n";
  for (const char *suite : suites)
    text +=
        fmt::format("| {} | {} | {} | {} | {} |\n", suite, count(results, suite, Outcome::passed),
                    count(results, suite, Outcome::refused), count(results, suite, Outcome::wrong),
                    std::count_if(results.begin(), results.end(),
                                  [&](const Result &r) { return r.suite == suite; }));
  std::map<std::string, std::vector<std::string>> byReason;
  for (const Result &result : results)
    if (result.outcome == Outcome::refused)
      byReason[result.reason].push_back(result.suite + "/" + result.test);
  text += "\nWhat is refused, and why:\n\n| reason | tests |\n|---|---|\n";
  for (const auto &[reason, tests] : byReason) {
    std::string list;
    for (const std::string &test : tests)
      list += (list.empty() ? "`" : ", `") + test + "`";
    text += "| " + reason + " | " + list + " |\n";
  }
  return text;
}

/// The names of tests that the page says are refused.
std::set<std::string> refusedIn(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  std::set<std::string> names;
  std::string all = text.str();
  for (size_t at = 0; (at = all.find("`", at)) != std::string::npos;) {
    size_t end = all.find("`", at + 1);
    if (end == std::string::npos)
      break;
    if (std::string name = all.substr(at + 1, end - at - 1);
        name.find("/test_") != std::string::npos)
      names.insert(name);
    at = end + 1;
  }
  return names;
}

int check(const Options &options, const std::vector<Result> &results) {
  std::set<std::string> refused = refusedIn(options.check);
  int bad = 0;
  for (const Result &result : results) {
    std::string name = result.suite + "/" + result.test;
    bool isRefused = result.outcome == Outcome::refused;
    if (isRefused == (refused.count(name) != 0))
      continue;
    ++bad;
    std::cerr << name << ": " << (isRefused ? "is refused" : "passes") << ", and the page says "
              << (isRefused ? "it passes" : "it is refused") << "\n";
  }
  return bad;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto next = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "--target")
      options.target = next();
    else if (word == "--every")
      options.every = std::max(1l, std::atol(next().c_str()));
    else if (word == "--only")
      options.only = next();
    else if (word == "--write")
      options.write = next();
    else if (word == "--check")
      options.check = next();
    else
      options.data = word;
  }
  return options;
}

} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  std::vector<Result> results = runAll(options);
  if (results.empty()) {
    std::cerr << "there are no tests in '" << options.data << "'\n";
    return 2;
  }
  size_t wrong = 0;
  for (const char *suite : suites) {
    size_t bad = count(results, suite, Outcome::wrong);
    wrong += bad;
    fmt::print("{:<18} {:>4} passed, {:>4} refused, {:>3} wrong\n", suite,
               count(results, suite, Outcome::passed), count(results, suite, Outcome::refused),
               bad);
  }
  if (!options.write.empty())
    std::ofstream(options.write) << pageOf(results);
  int differences = options.check.empty() ? 0 : check(options, results);
  return wrong != 0 || differences != 0 ? 1 : 0;
}
