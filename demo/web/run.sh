#!/bin/sh
# One HTML file that says which digit one draws: generates the digits library for WebAssembly, compiles it with module.c, and
# puts the module into page.html.
#   KGEN=<file>     take this kgen instead of building one
#   OUTPUT=<file>   where the page goes, default build/web/digits.html
set -eu
kgen_source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$kgen_source/cmake/setup.sh"
here=$kgen_source/demo/web
work=$kgen_build/web
page=${OUTPUT:-$work/digits.html}

kgen_for_demo clang-22 lld

mkdir -p "$work"
"$KGEN" generate "$kgen_source/specs/graphs/digits.yaml" --target wasm32-simd128 -o "$work/digits"
# Clang of one version does not look for the linker of another one.
clang-22 --target=wasm32 -ffreestanding -nostdlib -fuse-ld="$(command -v wasm-ld)" -O2 -mbulk-memory -I "$work/digits" \
  "$here/module.c" "$work/digits/digits.c" "$work"/digits/objects/*.o -Wl,--no-entry -Wl,--strip-all -o "$work/digits.wasm"
{
  sed '/@MODULE@/,$d' "$here/page.html"
  printf "const encoded = '%s';\n" "$(base64 -w 0 "$work/digits.wasm")"
  sed '1,/@MODULE@/d' "$here/page.html"
} >"$page"
say "The page, $(wc -c <"$page") bytes with a module of $(wc -c <"$work/digits.wasm"): $page"
