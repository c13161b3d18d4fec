// Changes of a text.
#include "texts.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

namespace {

/// [begin, end) of each run of characters of a kind.
using Ranges = std::vector<std::pair<size_t, size_t>>;

template <typename IsPart> Ranges rangesOf(const std::string &text, IsPart isPart) {
  Ranges ranges;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!isPart(text[at]))
      continue;
    size_t end = at;
    while (end < text.size() && isPart(text[end]))
      ++end;
    ranges.push_back({at, end});
    at = end;
  }
  return ranges;
}

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
bool isInLine(char c) { return c != '\n'; }

const char *const numbers[] = {
    "0", "1", "-1", "7", "64", "4294967296", "9223372036854775807", "99999999999999999999",
    "?", "*"};

} // namespace

void changeText(std::string &text, std::mt19937 &random) {
  auto pick = [&](const Ranges &ranges) { return ranges[random() % ranges.size()]; };
  Ranges lines = rangesOf(text, isInLine), words = rangesOf(text, isWord),
         digits = rangesOf(text, isDigit);
  if (lines.empty() || words.empty())
    return;
  auto [lineBegin, lineEnd] = pick(lines);
  auto [wordBegin, wordEnd] = pick(words);
  auto [otherBegin, otherEnd] = pick(words);
  switch (random() % 6) {
  case 0:
    text.erase(lineBegin, lineEnd - lineBegin);
    break;
  case 1:
    text.insert(lineBegin, text.substr(lineBegin, lineEnd - lineBegin) + "\n");
    break;
  case 2:
    if (!digits.empty()) {
      auto [begin, end] = pick(digits);
      text.replace(begin, end - begin, numbers[random() % std::size(numbers)]);
    }
    break;
  case 3:
    text.replace(wordBegin, wordEnd - wordBegin, text.substr(otherBegin, otherEnd - otherBegin));
    break;
  case 4:
    text.erase(wordBegin, wordEnd - wordBegin);
    break;
  default:
    text[random() % text.size()] = static_cast<char>(random() % 128);
  }
}
