// Each generated library has types of its own, so the binding is a macro over the library's name.
#include "Generated.h"

#include "matmuls.h"
#include "mlp.h"
#include "mlp_xsmm.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace bench {

#define BIND_LIBRARY(lib)                                                                          \
  static Call bind_##lib(const std::string &function, const std::string &variant) {                \
    lib##_options options = {sizeof options, variant.c_str(), nullptr};                            \
    lib##_context context;                                                                         \
    lib##_status status = lib##_init(&context, &options);                                          \
    if (status != 0)                                                                               \
      throw std::runtime_error(variant + ": " + lib##_status_string(status));                      \
    for (size_t i = 0; i < lib##_function_count(); i++) {                                          \
      const lib##_function *info = lib##_function_info(i);                                         \
      if (function != info->name)                                                                  \
        continue;                                                                                  \
      auto workspace = std::make_shared<std::vector<char>>(info->workspace_size + 1);              \
      return [=](const void *const *inputs, void *const *outputs) {                                \
        if (lib##_call(&context, i, inputs, outputs, workspace->data(), workspace->size()) != 0)   \
          throw std::runtime_error(function + ": the call failed");                                \
      };                                                                                           \
    }                                                                                              \
    throw std::runtime_error("no function " + function);                                           \
  }

BIND_LIBRARY(mlp)
BIND_LIBRARY(mlp_xsmm)
BIND_LIBRARY(matmuls)

Call generatedFunction(const std::string &library, const std::string &function,
                       const std::string &variant) {
  if (library == "mlp")
    return bind_mlp(function, variant);
  return library == "mlp_xsmm" ? bind_mlp_xsmm(function, variant) : bind_matmuls(function, variant);
}

} // namespace bench
