# The header under every standard of C and C++ with strict warnings, the dispatcher as C11 and C++, and the archive's symbols.
. "$(dirname -- "$0")/common.sh"
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o digits --quiet
strict="-pedantic -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wundef -Werror -fsyntax-only"
printf '#include "digits/digits.h"\n#include "digits/digits.h"\nstatic digits_context context;\nint use(void);\nint use(void) { return digits_init(&context, NULL) == DIGITS_OK; }\n' >use.c
cp use.c use.cpp
for standard in c99 c11 c17 c2x; do
  # shellcheck disable=SC2086
  "$CC" -std=$standard $strict -Wstrict-prototypes -Wmissing-prototypes use.c || fail "$standard"
done
for standard in c++11 c++14 c++17 c++20; do
  # shellcheck disable=SC2086
  "$CXX" -std=$standard $strict -Wold-style-cast use.cpp || fail "$standard"
done
"$CC" -std=gnu11 -pedantic -Wall -Wextra -Werror -fsyntax-only digits/digits.c || fail "the dispatcher"
"$CXX" -std=gnu++11 -Wall -Wextra -Werror -fsyntax-only -x c++ digits/digits.c || fail "the dispatcher as C++"

configure -S digits -B build >/dev/null
cmake --build build >/dev/null
archive=$(find build -name '*.a')
nm --defined-only --extern-only "$archive" | awk 'NF == 3 {print $3}' >defined.txt
[ -s defined.txt ] || fail "no symbols in $archive"
if grep -v '^digits_' defined.txt; then fail "external symbols without the prefix"; fi
nm --undefined-only "$archive" | awk '$1 == "U" {print $2}' | grep -v '^digits_' | sort -u >undefined.txt || true
if grep -vx 'memcpy\|memset\|getenv' undefined.txt; then fail "undefined symbols that are not on the list"; fi
if nm "$archive" | grep ' [VvWwCu] '; then fail "weak, common or unique symbols"; fi
