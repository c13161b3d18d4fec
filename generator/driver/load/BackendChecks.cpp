#include "driver/load/BackendChecks.h"

#include "backend/Backend.h"
#include "providers/Provider.h"
#include "spec/Yaml.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {

/// The triples of back ends that compile.
static std::string compiledTriples() {
  std::vector<std::string> triples;
  for (const Backend *backend : backends())
    if (backend->refusal().empty())
      triples.push_back(backend->architecture().triple().str());
  return llvm::join(triples, ", ");
}

bool isRefused(const TargetSpec &target, const SourceLoc &where, Diagnostics &diagnostics) {
  std::string refusal = backendOf(target.triple)->refusal();
  if (refusal.empty())
    return false;
  diagnostics.error(where,
                    "nothing can be compiled for target '" + target.name.value + "' (" +
                        target.triple + "): " + refusal,
                    "targets of " + compiledTriples() + " can be listed");
  return true;
}

bool isOfOtherArchitecture(const TargetSpec &target, const std::vector<TargetSpec> &targets,
                           const SourceLoc &where, Diagnostics &diagnostics) {
  if (targets.empty() || architectureOf(target.triple) == architectureOf(targets.front().triple))
    return false;
  const TargetSpec &first = targets.front();
  diagnostics.error(where,
                    "target '" + target.name.value + "' is for " + target.triple +
                        ", and target '" + first.name.value + "' for " + first.triple +
                        ": a library is for one architecture",
                    "write two specs, one with the targets of each architecture");
  return true;
}

void reportUnknownProvider(const Located<std::string> &provider, Diagnostics &diagnostics) {
  const std::string &name = provider.value;
  if (name.empty() || isProviderName(name))
    return;
  std::vector<std::string> names = providerNames();
  diagnostics.error(provider.where,
                    "there is no provider " + quoteText(name) + didYouMean(name, names),
                    "there are " + llvm::join(names, ", "));
}

std::vector<std::string> providerNames() {
  std::vector<std::string> names{autoProviderName.str()};
  for (const Provider *provider : allProviders())
    names.push_back(provider->name().str());
  return names;
}

std::string providerSummaries() {
  std::string text = autoProviderName.str() + ": the cheapest for each (default)";
  for (const Provider *provider : allProviders())
    text += "\n" + provider->name().str() + ": " + provider->summary().str();
  return text;
}

std::string providerFor(const std::string &asked, const TargetSpec &target) {
  bool targetDecides = asked == autoProviderName && !target.provider.value.empty();
  return targetDecides ? target.provider.value : asked;
}

} // namespace kgen
