// What the keys of a target file must say together: a CPU that LLVM knows, features with all that
// they imply, vectors and register tiles that the features allow.
#pragma once

#include "spec/Fields.h"
#include "spec/TargetSpec.h"

#include <map>
#include <optional>

namespace kgen {

/// Where a target's values stand in its file; what is missing or was refused has no location.
struct TargetLocations {
  std::optional<YamlMark> triple, tune, features, bits, registers;
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
  void checkTriple() const;
  void checkTune() const;
  void checkImpliedFeatures() const;
  void checkVectors() const;
  void checkRegisterTile(const std::string &kind, YamlMark mark) const;
  void checkAmxTile(const std::string &kind, YamlMark mark) const;
  bool hasFeature(llvm::StringRef name) const;

  const SpecReader &reader;
  const TargetSpec &target;
  const TargetLocations &locations;
};

/// Whether LLVM has a scheduling model of that name.
bool isKnownCpu(llvm::StringRef name);

/// LLVM's name of a CPU that has another one elsewhere: "znver4" for "zen4"; others stay.
std::string llvmNameOfCpu(const std::string &name);

/// The CPU features of a CPU that LLVM knows, in LLVM's spelling; empty if it does not know it.
std::vector<std::string> featuresOfCpu(llvm::StringRef name);

} // namespace kgen
