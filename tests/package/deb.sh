# cpack makes a .deb; unpacked into a prefix, its kgen generates a library, and a consumer finds it with find_package(kgen).
. "$(dirname -- "$0")/common.sh"
command -v dpkg-deb >/dev/null || exit 77
# DEB generation runs dpkg-shlibdeps, which needs the packages of the libraries to be installed.
(cd "$KGEN_BUILD" && cpack -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$WORK/packages" >"$WORK/cpack.txt" 2>&1) || { cat cpack.txt >&2 && fail "cpack"; }
package=$(find packages -maxdepth 1 -name 'kgen_*.deb')
[ -f "$package" ] || fail "no package: $(ls packages)"
dpkg-deb --field "$package" >fields.txt
grep -q "^Package: kgen$" fields.txt || fail "$(cat fields.txt)"
grep -q "^Depends: .*libmlir-22" fields.txt || fail "the package depends on nothing of MLIR's: $(cat fields.txt)"
if ldd "$KGEN" | grep -q libprotobuf && ! grep -q "^Depends: .*libprotobuf" fields.txt; then fail "no protobuf: $(cat fields.txt)"; fi
dpkg-deb --extract "$package" root
usr=$WORK/root/usr
if grep -rlI "$KGEN_SOURCE\|$KGEN_BUILD" root; then fail "the packaged files above name the source or the build folder"; fi
[ -f "$usr/share/doc/kgen/LICENSE" ] || fail "no license: $(find root -type f)"
"$usr/bin/kgen" --version | grep -q "^kgen " || fail "the packaged kgen does not run"
"$usr/bin/kgen" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o digits --quiet
cp -r "$here/consumer" consumer
configure -S consumer -B build -DCMAKE_PREFIX_PATH="$usr"
grep -q "^kgen_DIR:PATH=$usr/" build/CMakeCache.txt || fail "another kgen was found: $(grep kgen_DIR build/CMakeCache.txt)"
cmake --build build
expect_output "$consumer_answer" build/consumer
