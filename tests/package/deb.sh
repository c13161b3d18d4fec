# cmake/release.sh makes a .deb, an archive of the sources and their SHA-256. Unpacked into an empty root, with nothing of the build folder on the path,
# the first example of README runs from it, its documentation is there, and a consumer finds it with find_package(kgen).
. "$(dirname -- "$0")/common.sh"
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || exit 77
# DEB generation runs dpkg-shlibdeps, which needs the packages of the libraries to be installed.
KGEN_NO_INSTALL=1 KGEN_BUILD_DIR="$KGEN_BUILD" sh "$KGEN_SOURCE/cmake/release.sh" release >release.txt 2>&1 || { cat release.txt >&2 && fail "release.sh"; }
expect_failure 1 env KGEN_NO_INSTALL=1 KGEN_BUILD_DIR="$KGEN_BUILD" sh "$KGEN_SOURCE/cmake/release.sh" release
grep -q "release' is not empty: expected a folder for this release alone" messages.txt || { cat messages.txt >&2 && fail "a release replaces another one"; }
(cd release && sha256sum --check --quiet SHA256SUMS) || fail "SHA256SUMS"
package=$(find release -maxdepth 1 -name 'kgen_*.deb')
[ -f "$package" ] || fail "no package: $(ls release)"
if git -C "$KGEN_SOURCE" rev-parse HEAD >/dev/null 2>&1; then
  tar tzf release/kgen-*.tar.gz | grep -q "^kgen-[0-9.]*/generator/tools/kgen.cpp$" || fail "no sources in the archive"
fi
dpkg-deb --field "$package" >fields.txt
grep -q "^Package: kgen$" fields.txt || fail "$(cat fields.txt)"
version=$(sed -n 's/^project(kgen VERSION \([0-9.]*\) .*/\1/p' "$KGEN_SOURCE/CMakeLists.txt")
grep -q "^Version: $version" fields.txt || fail "another version than $version: $(cat fields.txt)"
if ldd "$KGEN" | grep -q libMLIR && ! grep -q "^Depends: .*libmlir-22" fields.txt; then fail "the package depends on nothing of MLIR's: $(cat fields.txt)"; fi
if ldd "$KGEN" | grep -q libprotobuf && ! grep -q "^Depends: .*libprotobuf" fields.txt; then fail "no protobuf: $(cat fields.txt)"; fi
if command -v lintian >/dev/null; then lintian --fail-on error "$package" >lintian.txt 2>&1 || { cat lintian.txt >&2 && fail "lintian finds errors"; }; fi
dpkg-deb --extract "$package" root
usr=$WORK/root/usr doc=$WORK/root/usr/share/doc/kgen
if grep -rlI "$KGEN_SOURCE\|$KGEN_BUILD" root; then fail "the packaged files above name the source or the build folder"; fi
for file in bin/kgen bin/kgen-opt share/kgen/targets/x86-64-v3.yaml share/doc/kgen/copyright share/doc/kgen/changelog.gz share/doc/kgen/LICENSE \
  share/doc/kgen/README.md share/doc/kgen/docs/ONNX.md share/doc/kgen/specs/README.md share/doc/kgen/examples/digits.yaml; do
  [ -f "$usr/$file" ] || fail "no $file: $(find root -type f)"
done
gzip -dc "$usr/share/man/man1/kgen.1.gz" >kgen.1
grep -q "^kgen .*- compile model graphs" kgen.1 && grep -q 'generate' kgen.1 && grep -q '.\\-print\\-graph' kgen.1 || fail "the man page lacks commands or options"
if command -v man >/dev/null; then man --warnings -E UTF-8 -l -Tutf8 kgen.1 >man.txt 2>warnings.txt || true; [ ! -s warnings.txt ] || { cat warnings.txt >&2 && fail "man warns"; }; fi

# README's first example, with a C compiler and the package, in a minute.
mkdir example
start=$(date +%s)
(cd example && env -i PATH="$usr/bin:/usr/bin:/bin" HOME="$WORK" sh -eu -c "
  kgen --version
  kgen generate '$doc/examples/digits.yaml' -o digits --quiet
  $CC -I digits '$doc/examples/digits.c' digits/digits.c digits/objects/*.o -lm -o app
  ./app '$doc/examples/samples/3.txt'" >../example.txt) || fail "README's first example"
seconds=$(($(date +%s) - start))
echo "README's first example: $seconds s"
[ "$seconds" -lt 60 ] || fail "README's first example takes $seconds s"
grep -q "^kgen [0-9.]" example.txt && grep -q "  3  (" example.txt || { cat example.txt >&2 && fail "the example does not see a 3"; }

cp -r "$here/consumer" consumer
configure -S consumer -B build -DCMAKE_PREFIX_PATH="$usr"
grep -q "^kgen_DIR:PATH=$usr/" build/CMakeCache.txt || fail "another kgen was found: $(grep kgen_DIR build/CMakeCache.txt)"
cmake --build build
expect_output "$consumer_answer" build/consumer
