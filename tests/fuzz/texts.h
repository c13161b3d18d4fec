// Texts for fuzzers, the same for the same numbers.
#pragma once

#include <random>
#include <string>

/// A change as people and programs make them: a line less or twice, a number that is another, a
/// word of another place, a byte.
void changeText(std::string &text, std::mt19937 &random);

/// A file of templates and calls from a grammar of the language: most are right, some nearly.
std::string makeTemplates(std::mt19937 &random);
