#include "emit/Template.h"

#include <cassert>
#include <cctype>

namespace kgen {

std::string fillTemplate(std::string_view text, std::initializer_list<Replacement> replacements) {
  if (!text.empty() && text.front() == '\n')
    text.remove_prefix(1);
  std::string result;
  while (!text.empty()) {
    size_t begin = std::min(text.find('@'), text.size());
    result += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty())
      break;
    size_t end = 1;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    const std::string *value = nullptr;
    if (end > 1 && end < text.size() && text[end] == '@')
      for (const Replacement &r : replacements)
        if (r.first == text.substr(1, end - 1))
          value = &r.second;
    assert((value || end == 1 || end == text.size() || text[end] != '@') &&
           "unknown name in a template");
    result += value ? *value : std::string(text.substr(0, end));
    text.remove_prefix(value ? end + 1 : end);
  }
  return result;
}

} // namespace kgen
