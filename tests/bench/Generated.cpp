// Each generated library has types of its own, so the binding is a macro over the library's name.
#include "Generated.h"

#include "Libraries.inc" // includes the libraries' headers; BENCH_LIBRARIES(X) is X(name) for each

#include <functional>
#include <link.h>
#include <stdexcept>

namespace bench {
namespace {
using Call = std::function<void(const void *const *inputs, void *const *outputs)>;

#define BIND_LIBRARY(lib)                                                                          \
  Call bind_##lib(const std::string &function, const char *variant) {                              \
    lib##_options options = {sizeof options, variant, nullptr};                                    \
    lib##_context context;                                                                         \
    lib##_status status = lib##_init(&context, &options);                                          \
    if (status != 0)                                                                               \
      throw std::runtime_error(std::string(variant) + ": " + lib##_status_string(status));         \
    for (size_t i = 0; i < lib##_function_count(); i++) {                                          \
      const lib##_function *info = lib##_function_info(i);                                         \
      if (function != info->name)                                                                  \
        continue;                                                                                  \
      auto workspace = std::make_shared<Aligned<char>>(info->workspace_size + 1);                  \
      return [=](const void *const *inputs, void *const *outputs) {                                \
        if (lib##_call(&context, i, inputs, outputs, workspace->data(), workspace->size()) != 0)   \
          throw std::runtime_error(function + ": the call failed");                                \
      };                                                                                           \
    }                                                                                              \
    throw std::runtime_error("no function " + function);                                           \
  }
BENCH_LIBRARIES(BIND_LIBRARY)
#undef BIND_LIBRARY

Call bind(const std::string &library, const std::string &function, const char *variant) {
#define TRY_LIBRARY(lib)                                                                           \
  if (library == #lib)                                                                             \
    return bind_##lib(function, variant);
  BENCH_LIBRARIES(TRY_LIBRARY)
#undef TRY_LIBRARY
  throw std::runtime_error("no library " + library);
}

/// Adds what the program itself maps read-only: the libraries' weights are in there.
int addConstants(dl_phdr_info *info, size_t, void *ranges) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && !(header.p_flags & PF_W))
      static_cast<std::vector<Range> *>(ranges)->push_back(
          {reinterpret_cast<const void *>(info->dlpi_addr + header.p_vaddr), header.p_memsz});
  }
  return 1; // the program comes first
}

class Generated : public Contestant {
public:
  Generated(const std::string &library, const Chain &chain, const Platform &platform)
      : chain(chain), call(bind(library, chain.name, platform.variant)),
        y{chain.yType, Aligned<char>(static_cast<size_t>(chain.yType.byteCount()))} {}

  void run() override {
    const void *inputs[] = {chain.x.bytes.data(), chain.given.bytes.data()};
    void *outputs[] = {y.bytes.data()};
    call(inputs, outputs);
  }
  Tensor result() override { return y; }
  std::vector<Range> weights() override {
    if (chain.given)
      return {{chain.given.bytes.data(), chain.given.bytes.size()}};
    std::vector<Range> ranges;
    dl_iterate_phdr(addConstants, &ranges);
    return ranges;
  }

private:
  const Chain &chain;
  Call call;
  Tensor y;
};
} // namespace

std::unique_ptr<Contestant> makeGenerated(const std::string &library, const Chain &chain,
                                          const Platform &platform) {
  return std::make_unique<Generated>(library, chain, platform);
}

} // namespace bench
