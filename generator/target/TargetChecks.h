// Checks of a target file's keys together: a triple that a back end takes, register tiles that the
// registers allow, and what the back end's architecture finds.
#pragma once

#include "spec/Fields.h"
#include "target/TargetSpec.h"

#include <map>
#include <optional>

namespace kgen {

class Architecture; // target/Architecture.h
struct TargetProblem;

/// Locations of a target's values in its file; a value that is missing or was refused has none.
struct TargetLocations {
  std::optional<YamlMark> triple, tune, features, bits, registers, onlyOn;
  std::map<std::string, YamlMark> tiles; ///< by kind: "gemm_f32"
};

/// Reports each contradiction with its location and what to do. Values without a location are not
/// checked.
class TargetChecks {
public:
  TargetChecks(const SpecReader &reader, const TargetSpec &target, const TargetLocations &locations)
      : reader(reader), target(target), locations(locations) {}

  void run() const;

private:
  void refuseForeignTiles(const Architecture &architecture) const;
  void askArchitecture(const Architecture &architecture) const;
  std::optional<SourceLoc> locationOf(const TargetProblem &problem) const;
  void checkRegisterTile(const std::string &kind, YamlMark mark) const;

  const SpecReader &reader;
  const TargetSpec &target;
  const TargetLocations &locations;
};

} // namespace kgen
