// A back end that has nothing but its architecture: it refuses all targets.
#include "backend/Backend.h"

namespace kgen {

const Architecture &emptyArchitecture();

namespace {

class EmptyBackend : public Backend {
public:
  const Architecture &architecture() const override { return emptyArchitecture(); }
};

} // namespace

const Backend &emptyBackend() {
  static const EmptyBackend backend;
  return backend;
}

} // namespace kgen
