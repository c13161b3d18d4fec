# The set-up scripts name what is missing and install nothing when told so, and refuse unknown arguments.
. "$(dirname -- "$0")/common.sh"
for script in setup.sh test.sh quickstart.sh; do
  sh -n "$KGEN_SOURCE/cmake/$script"
done
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
for tool in apt-get sudo; do
  printf '#!/bin/sh\ntouch "%s/ran"\nexit 1\n' "$WORK" >bin/$tool
done
chmod +x bin/*
for script in test.sh quickstart.sh; do
  expect_failure 1 env PATH="$WORK/bin:$PATH" KGEN_NO_INSTALL=1 KGEN_BUILD_DIR="$WORK/build" sh "$KGEN_SOURCE/cmake/$script"
  grep -q "apt-get install .*libmlir-22-dev" messages.txt || fail "$script does not say what is missing"
  grep -q "KGEN_NO_INSTALL=1" messages.txt || fail "$script does not say why it stops"
  [ ! -e ran ] || fail "$script runs apt-get in spite of KGEN_NO_INSTALL=1"
  [ ! -e build ] || fail "$script goes on without packages"
done
expect_failure 1 env PATH="$WORK/bin:$PATH" KGEN_BUILD_DIR="$WORK/build" sh "$KGEN_SOURCE/cmake/test.sh"
[ -e ran ] || fail "test.sh does not install what is missing"
expect_failure 2 sh "$KGEN_SOURCE/cmake/test.sh" --fulll
