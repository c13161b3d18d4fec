# The set-up scripts name what is missing and install nothing when told so, and refuse unknown arguments. They leave the tests of
# a build folder as they are, and choose the compiler of a new one.
. "$(dirname -- "$0")/common.sh"
unset KGEN_NO_INSTALL
for script in setup.sh test.sh quickstart.sh develop.sh release.sh sanitize.sh assertions.sh components.sh coverage.sh fuzz.sh; do
  sh -n "$KGEN_SOURCE/cmake/$script"
done
sh -n "$KGEN_SOURCE/demo/voice/run.sh" && sh -n "$KGEN_SOURCE/demo/voice/model.sh" && sh -n "$KGEN_SOURCE/demo/sentences/run.sh"
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
for tool in apt-get sudo; do
  printf '#!/bin/sh\ntouch "%s/ran"\nexit 1\n' "$WORK" >bin/$tool
done
chmod +x bin/*
for script in test.sh quickstart.sh develop.sh release.sh; do
  expect_failure 1 env PATH="$WORK/bin:$PATH" KGEN_NO_INSTALL=1 KGEN_BUILD_DIR="$WORK/build" sh "$KGEN_SOURCE/cmake/$script"
  grep -q "apt-get install .*libmlir-22-dev" messages.txt || fail "$script does not say what is missing"
  grep -q "KGEN_NO_INSTALL=1" messages.txt || fail "$script does not say why it stops"
  [ ! -e ran ] || fail "$script runs apt-get in spite of KGEN_NO_INSTALL=1"
  [ ! -e build ] || fail "$script goes on without packages"
done
expect_failure 1 env -u KGEN PATH="$WORK/bin:$PATH" KGEN_NO_INSTALL=1 KGEN_BUILD_DIR="$WORK/build" sh "$KGEN_SOURCE/demo/voice/run.sh"
grep -q "apt-get install .*libmlir-22-dev.* espeak-ng" messages.txt || fail "demo/voice/run.sh does not say what is missing"
[ ! -e ran ] && [ ! -e build ] || fail "demo/voice/run.sh goes on without packages"
expect_failure 1 env PATH="$WORK/bin:$PATH" KGEN_BUILD_DIR="$WORK/build" sh "$KGEN_SOURCE/cmake/test.sh"
[ -e ran ] || fail "test.sh does not install what is missing"
expect_failure 2 sh "$KGEN_SOURCE/cmake/test.sh" --fulll
expect_failure 2 sh "$KGEN_SOURCE/cmake/develop.sh" --configur

# From here on everything is installed, and cmake only says how it is called.
for tool in dpkg-query apt-get; do
  printf '#!/bin/sh\nprintf "install ok installed"\n' >bin/$tool
done
cat >bin/cmake <<'END'
#!/bin/sh
echo "CXX=$CXX $*" >>"$CALLS"
END
cp bin/cmake bin/clang++-22
chmod +x bin/*
configures() {
  CALLS=$WORK/calls.txt PATH="$WORK/bin:$PATH" KGEN_BUILD_DIR="$WORK/$1" sh "$KGEN_SOURCE/cmake/$2" $3 >/dev/null 2>&1 || true
  head -n 1 calls.txt
  rm calls.txt
}
cxx=$CXX
unset CXX
mkdir old
touch old/CMakeCache.txt
configures new quickstart.sh "" | grep -q "^CXX=.*/clang++-22 .*-DKGEN_UNITY=ON -DKGEN_BUILD_TESTS=OFF" || fail "quickstart.sh in a new folder"
if configures old quickstart.sh "" | grep "KGEN_BUILD_TESTS\|KGEN_UNITY"; then fail "quickstart.sh changes an existing folder"; fi
configures new develop.sh --configure | grep -q "^CXX=.*/clang++-22 .*--preset default -B $WORK/new" || fail "develop.sh with clang++-22"
export CXX=my-c++
configures new develop.sh --configure | grep -q "^CXX=my-c++ " || fail "develop.sh with CXX"
python3 -B - "$KGEN_SOURCE/CMakePresets.json" <<'PYTHON' || fail 'the preset "default" builds no tests'
import json, sys
preset = json.load(open(sys.argv[1]))["configurePresets"][0]
assert preset["name"] == "default" and preset["cacheVariables"]["KGEN_BUILD_TESTS"] == "ON", preset
PYTHON

# What is missing is named with its Debian package, all of it at once.
unset CXX
expect_failure 1 env CC="$CC" CXX="$cxx" cmake -G Ninja -S "$KGEN_SOURCE" -B missing -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON
grep -q "Catch2 (Debian: catch2)" messages.txt && grep -q "fmt (Debian: libfmt-dev)" messages.txt || { cat messages.txt >&2 && fail "no names of Debian's packages"; }
grep -q "sh cmake/develop.sh" messages.txt || fail "no word of cmake/develop.sh"
