#include "tools/BenchAgainst.h"
#include "support/InputFile.h"
#include "support/Json.h"

#include <llvm/Support/MemoryBuffer.h>

#include <fmt/format.h>

namespace kgen {
namespace {

std::string keyOf(const std::string &graph, const std::string &variant, unsigned threads,
                  const std::string &caches, const SizeValues &sizes) {
  std::string key = fmt::format("{}\n{}\n{}\n{}", graph, variant, threads, caches);
  for (const auto &[name, size] : sizes)
    key += fmt::format("\n{}={}", name, size);
  return key;
}

} // namespace

llvm::Expected<EarlierTimes> EarlierTimes::read(const std::string &path) {
  auto file = readInputFile(path, maxTextBytes);
  if (!file)
    return llvm::createStringError(path + ": " + llvm::toString(file.takeError()));
  EarlierTimes result;
  try {
    SortedJson json = parsedJson((*file)->getBuffer().str());
    for (const SortedJson &line : json.at("results")) {
      SizeValues sizes;
      if (line.contains("sizes"))
        line.at("sizes").get_to(sizes);
      double median = line.at("seconds").at("median");
      if (!(median > 0))
        return llvm::createStringError(path + ": a time is not positive");
      result.seconds.push_back({keyOf(line.at("graph"), line.at("variant"), line.at("threads"),
                                      line.at("caches"), sizes),
                                median});
    }
  } catch (const SortedJson::exception &error) {
    return llvm::createStringError(path + ": not what kgen bench --json writes: " + error.what());
  }
  return result;
}

std::optional<double> EarlierTimes::ratio(const BenchLine &line) const {
  std::string key = keyOf(line.graph, line.variant, line.threads, line.memory(), line.sizes);
  for (const auto &[known, before] : seconds)
    if (known == key)
      return before / line.seconds.median();
  return std::nullopt;
}

} // namespace kgen
