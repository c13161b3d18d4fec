// The smallest template language that does: "@name@" is replaced.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace kgen {

using Replacement = std::pair<std::string_view, std::string>;

/// Replaces every "@name@" of `text`. A leading newline of `text` is dropped (raw strings begin on
/// their own line). A name that is not in the list is an error of ours: asserted, and left as it
/// is.
std::string fillTemplate(std::string_view text, std::initializer_list<Replacement> replacements);

} // namespace kgen
