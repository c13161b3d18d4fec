#include "driver/load/Systems.h"

#include "backend/Backend.h"
#include "providers/Provider.h"
#include "target/Architecture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace kgen {
namespace {

/// The place that says a system: in the spec, or on the command line.
SourceLoc placeOf(System system, const LibrarySpec &spec) {
  for (const Located<std::string> &listed : spec.systems)
    if (listed.value == systemName(system))
      return listed.where;
  return {"--system " + systemName(system).str(), 0, 0};
}

bool needsSystem(const Architecture &architecture) {
  return systemOf(architecture.triple()).has_value();
}

/// The names of systems on which an architecture has code.
std::string systemsWith(const Architecture &architecture) {
  std::vector<std::string> names;
  for (const std::string &name : systemNames())
    if (!architecture.tripleOn(*systemNamed(name)).empty())
      names.push_back(name);
  return llvm::join(names, ", ");
}

void readList(const LibrarySpec &spec, std::vector<System> &systems, Diagnostics &diagnostics) {
  for (const Located<std::string> &name : spec.systems) {
    std::optional<System> system = systemNamed(name.value);
    if (!system)
      diagnostics.error(name.where,
                        "there is no system '" + name.value + "'" +
                            didYouMean(name.value, systemNames()),
                        "there are " + llvm::join(systemNames(), ", "));
    else if (llvm::is_contained(systems, *system))
      diagnostics.error(name.where, "system '" + name.value + "' is listed twice",
                        "list each system once");
    else
      systems.push_back(*system);
  }
  llvm::sort(systems);
}

void checkTarget(const TargetSpec &target, System system, const LibrarySpec &spec,
                 Diagnostics &diagnostics) {
  const Architecture &architecture = *architectureOf(target.triple);
  if (!needsSystem(architecture) || !architecture.tripleOn(system).empty())
    return;
  const std::string own = architectureName(target.triple);
  diagnostics.error(placeOf(system, spec),
                    "not supported yet: " + systemName(system).str() + " on " + own +
                        ", which target '" + target.name.value + "' is for",
                    "for " + own + " there are " + systemsWith(architecture) +
                        "; write two specs, one for each architecture");
}

} // namespace

std::vector<System> systemsOf(const LibrarySpec &spec, std::optional<System> only,
                              Diagnostics &diagnostics) {
  std::vector<System> systems;
  readList(spec, systems, diagnostics);
  if (spec.systems.empty() || systems.empty())
    return {only.value_or(hostSystem())};
  if (!only)
    return systems;
  if (!llvm::is_contained(systems, *only))
    diagnostics.error(spec.systems.front().where,
                      "the library is not for " + systemName(*only).str(),
                      "add it to 'systems', or remove the list");
  return {*only};
}

void checkProvider(const std::string &provider, const SourceLoc &where, const TargetSpec &target,
                   const std::vector<System> &systems, Diagnostics &diagnostics) {
  for (const Provider *known : backendOf(target.triple)->providers())
    for (System system : systems)
      if (std::string why = known->refusal(targetOn(system, target).triple);
          known->name() == provider && !why.empty())
        return diagnostics.error(where,
                                 "provider '" + provider + "' makes no kernels for target '" +
                                     target.name.value + "' on " + systemName(system).str() + ": " +
                                     why,
                                 "take another provider, or leave that system out");
}

void checkSystems(const LoadedLibrary &library, const LibrarySpec &spec, Diagnostics &diagnostics) {
  for (System system : library.systems)
    for (const TargetSpec &target : library.targets) {
      const size_t before = diagnostics.errors().size();
      checkTarget(target, system, spec, diagnostics);
      if (diagnostics.errors().size() != before)
        break;
    }
  auto isFree = [](const TargetSpec &target) {
    return !needsSystem(*architectureOf(target.triple));
  };
  if (!spec.systems.empty() && !library.targets.empty() && llvm::all_of(library.targets, isFree))
    diagnostics.error(spec.systems.front().where,
                      "target '" + library.targets.front().name.value +
                          "' is for no operating system, and neither are others",
                      "remove 'systems'");
  for (const TargetSpec &target : library.targets) {
    checkProvider(target.provider.value, target.provider.where, target, library.systems,
                  diagnostics);
    for (const ScheduleSpec &schedule : spec.schedules)
      checkProvider(schedule.decisions.provider.value, schedule.decisions.provider.where, target,
                    library.systems, diagnostics);
  }
}

TargetSpec targetOn(System system, TargetSpec target) {
  const Architecture &architecture = *architectureOf(target.triple);
  if (needsSystem(architecture) && systemOf(target.triple) != system)
    target.triple = architecture.tripleOn(system).str();
  return target;
}

} // namespace kgen
