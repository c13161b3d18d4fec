#include "driver/load/BackendChecks.h"

#include "backend/Backend.h"
#include "providers/Provider.h"
#include "spec/Yaml.h"

#include <llvm/ADT/STLExtras.h>
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

bool isInseparable(const TargetSpec &target, const std::vector<TargetSpec> &targets,
                   const SourceLoc &where, Diagnostics &diagnostics) {
  const Architecture *own = architectureOf(target.triple);
  for (const TargetSpec &other : targets) {
    const Architecture *architecture = architectureOf(other.triple);
    const bool areToldApart = !own->compilerMacro().empty() &&
                              !architecture->compilerMacro().empty() &&
                              own->compilerMacro() != architecture->compilerMacro();
    if (architecture == own || areToldApart)
      continue;
    diagnostics.error(where,
                      "target '" + target.name.value + "' is for " + target.triple +
                          ", and target '" + other.name.value + "' for " + other.triple +
                          ": no macro of C compilers tells the two apart",
                      "write two specs, one with the targets of each architecture");
    return true;
  }
  return false;
}

bool isSecondVariant(const TargetSpec &target, const std::vector<TargetSpec> &targets,
                     const SourceLoc &where, Diagnostics &diagnostics) {
  const Architecture *own = architectureOf(target.triple);
  for (const TargetSpec &other : targets) {
    if (own->choosesVariants() || architectureOf(other.triple) != own)
      continue;
    diagnostics.error(where,
                      "targets '" + other.name.value + "' and '" + target.name.value +
                          "' are both for " + architectureName(target.triple) +
                          ", where no program can find out which of them its CPU supports",
                      "make two libraries with one of them each, and choose before the program "
                      "is loaded");
    return true;
  }
  return false;
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

void reportForeignProvider(const std::string &name, const TargetSpec &target,
                           const SourceLoc &where, Diagnostics &diagnostics) {
  if (name.empty() || name == autoProviderName || !isProviderName(name))
    return;
  std::vector<std::string> names;
  for (const Provider *provider : backendOf(target.triple)->providers())
    names.push_back(provider->name().str());
  if (!llvm::is_contained(names, name))
    diagnostics.error(where,
                      "the provider '" + name + "' makes no code for " +
                          architectureName(target.triple) + ", and so not for target '" +
                          target.name.value + "'",
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
