// Declarations of parameters of templates, and values for calls.
#pragma once

#include <map>
#include <string>
#include <vector>

using Names = std::vector<std::string>;

/// Constraints of parameters by the first letter of their names: T types, S shapes, N sizes, B
/// bools, E texts, R reals.
inline const std::map<char, Names> constraints = {
    {'T', {"any_type", "any_type_of<f32, bf16>", "any_type_of<f32, i8, u8>", "any_type = f32"}},
    {'S', {"any_shape", "any_shape_of<4x8, ?x8>", "any_shape_of<[], 2, 2x3x5>"}},
    {'N', {"index", "index_of<1, 8, 64>", "index_of<1 to 64 step 8, 4>", "any_dim", "index = 4"}},
    {'B', {"bool", "bool = true", "bool_of<false>"}},
    {'E', {"string_of<\"a\", \"b c\"> = \"a\"", "string = \"\\\"\""}},
    {'R', {"real = 1.0e-5", "real_of<0.5, 2.0> = 2.0"}},
};
inline const std::map<char, Names> values = {
    {'T', {"f32", "bf16", "i8", "f64", "vector<4xf32>", "index", "!none"}},
    {'S', {"4x8", "2x3x5", "4", "?x8", "1x1x1x1", "0x4"}},
    {'N', {"1", "4", "8", "64", "?", "9", "0"}},
    {'B', {"true", "false"}},
    {'E', {"\"a\"", "\"b c\"", "\"\""}},
    {'R', {"0.5", "2", "1.0e-5", "1.0e300"}},
};
