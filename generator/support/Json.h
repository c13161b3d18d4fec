// JSON as kgen writes and reads it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

// Instantiated in Json.cpp: each would take every source that uses it a second to compile.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::basic_json<>;

namespace kgen {

/// JSON that is written: its keys stay in the order in which they are added.
using Json = nlohmann::ordered_json;

/// Returns `json` in lines, indented by 2, with a line break at the end. Bytes that are not UTF-8
/// become U+FFFD.
std::string formatJson(const Json &json);

/// Returns `json` in one line without a break at its end. Bytes that are not UTF-8 become U+FFFD.
std::string formatJsonLine(const Json &json);

/// JSON that is read: keys are found in logarithmic time, as files of strangers need it.
using SortedJson = nlohmann::json;

/// Returns what `text` says. It is_discarded() if `text` is not JSON.
SortedJson parsedJson(const std::string &text);

/// Like parsedJson, but keys stay in their order: for what kgen itself has written.
Json parsedInOrder(const std::string &text);

} // namespace kgen
