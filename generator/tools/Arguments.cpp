#include "tools/Arguments.h"

#include "driver/Generate.h"

#include <algorithm>

namespace kgen {

std::string checkProvider(const std::string &name) {
  std::vector<std::string> names = providerNames();
  if (std::find(names.begin(), names.end(), name) != names.end())
    return "";
  std::string list;
  for (const std::string &each : names)
    list += (list.empty() ? "" : ", ") + each;
  return "there is no provider '" + name + "'" + didYouMean(name, names) + "; there are " + list;
}

} // namespace kgen
