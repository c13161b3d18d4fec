# README.md and demo/README.md are true: links lead somewhere, excerpts are in the files that they show, and the three steps, copied
# as they stand, make a program.
. "$(dirname -- "$0")/common.sh"
readme=$KGEN_SOURCE/README.md
readme_of_tree=$readme
for page in README.md demo/README.md docs/README.md; do
  folder=$(dirname -- "$KGEN_SOURCE/$page")
  grep -o '](\([^)]*\))' "$KGEN_SOURCE/$page" | tr -d '()]' | grep -v '^http' | while read -r link; do
    [ -e "$folder/${link%%#*}" ] || fail "$page: there is no $link" # house/links compares anchors
  done
done
for script in $(grep -o '^    sh cmake/[a-z]*.sh' "$readme" | sed 's/.* //'); do
  [ -f "$KGEN_SOURCE/$script" ] || fail "README.md: there is no $script"
done

# Lines of the fenced block of language $1 of $readme, without the indentation of the list that it may be in.
block() { awk -v start='^ *```'"$1"'$' '$0 ~ start {match($0, / */); n = RLENGTH; on = 1; next} /^ *```$/ {on = 0} on {print substr($0, n + 1)}' "$readme"; }
readme=$KGEN_SOURCE/demo/README.md
block yaml | sed '/^ *\.\.\.$/d' >excerpt.txt
[ -s excerpt.txt ] || fail "no YAML in demo/README.md"
while read -r line; do
  grep -qF -- "$line" "$KGEN_SOURCE/specs/graphs/digits.yaml" || fail "digits.yaml has no line '$line'"
done <excerpt.txt

# The image and the answers, but for the times.
sed -n 's/^    //; /^demo\/samples\//,/us a call/p' "$readme" | sed '/us a call/d' >shown.txt
sample=$(head -n 1 shown.txt)
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o digits --quiet
size=$(cat digits/objects/*.o | wc -c)
said=$(sed -n 's/.*reads digits have \([0-9]*\) kB.*/\1/p' "$readme_of_tree")
[ $((said * 95)) -le $((size / 10)) ] && [ $((size / 10)) -le $((said * 105)) ] || fail "README.md says $said kB, the objects of digits have $size bytes"
"$CC" -O1 -I digits -I "$KGEN_SOURCE/demo" digits/digits.c digits/objects/*.o "$KGEN_SOURCE/demo/digits.c" -o digits/demo
(cd "$KGEN_SOURCE" && "$WORK/digits/demo" "$sample") >real.txt
sed '1,2d; /us a call/d; s/ *$//' real.txt >expected.txt
sed 's/ *$//' shown.txt | diff - expected.txt || fail "demo/README.md shows another image than the demonstration"
answer=$(sed -n 's/^ *x86-64-v2 *\(.*)\).*/\1/p' real.txt)
[ "$(grep -cF "  $answer  " "$readme")" -ge 3 ] || fail "demo/README.md does not show the answer '$answer'"

readme=$KGEN_SOURCE/README.md
mkdir project
cat >project/mlp.yaml <<'END'
library: mlp
graphs:
  - name: forward
    inputs: {x: "f32[3, 5]"}
    weights: {w: {type: "f32[5, 2]", random: {seed: 1}}}
    nodes:
      - {name: m, op: MatMul, inputs: [x, w]}
      - {name: y, op: Softmax, inputs: [m]}
    outputs: [y]
END
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
find_package(kgen REQUIRED)
$(grep -o 'kgen_add_library(mlp .*)' "$readme")
add_executable(app app.c)
$(grep -o 'target_link_libraries(app .*mlp)' "$readme")
END
{
  block c
  cat <<'END'
#include <stdio.h>
int main(void) {
  float x[15] = {1, 2, 3}, y[6] = {0};
  int good = predict(x, y);
  printf("%d %.3f\n", good, (double)(y[0] + y[1]));
  return !good;
}
END
} >project/app.c
cmake --install "$KGEN_BUILD" --prefix "$WORK/prefix" >/dev/null
configure -S project -B build -DCMAKE_PREFIX_PATH="$WORK/prefix"
cmake --build build
expect_output "1 1.000" build/app
