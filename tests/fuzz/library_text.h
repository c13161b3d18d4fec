// A library's text as far as its schedules are applied.
#pragma once

#include <string>

/// Reads the text, builds its graphs and applies their schedules for x86-64-v3. Aborts where an
/// error has no text or no file.
void tryLibrary(const std::string &text);
