#include "support/Json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class nlohmann::basic_json<>;

namespace kgen {

std::string formatJson(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string formatJsonLine(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SortedJson parsedJson(const std::string &text) {
  return SortedJson::parse(text, nullptr, /*allow_exceptions=*/false);
}

Json parsedInOrder(const std::string &text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

} // namespace kgen
