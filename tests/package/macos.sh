# Libraries for macOS, linked and inspected, not run: objects of both architectures, a shared library of each, universal ones.
. "$(dirname -- "$0")/common.sh"
linker=$(command -v ld64.lld-22 || command -v ld64.lld-14) || { echo "skipped: no ld64.lld-22" && exit 77; }
for tool in clang-22 llvm-lipo-22; do
  command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
sed 's/^targets: .*/targets: [x86-64-v2, x86-64-v3, aarch64, armv8.6-i8mm-bf16]/; s/^systems: .*/systems: [macos]/' "$here/systems.yaml" >systems.yaml
"$KGEN" generate systems.yaml -o net --quiet
mkdir -p headers/sys
echo 'char *getenv(const char *name);' >headers/stdlib.h
printf '#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);\nvoid *memset(void *, int, size_t);\n' >headers/string.h
printf '#include <stddef.h>\nint sysctlbyname(const char *, void *, size_t *, void *, size_t);\n' >headers/sys/sysctl.h
for pair in x86_64:x86_64 aarch64:arm64; do
  folder=${pair%:*} architecture=${pair#*:}
  for object in net/$folder/objects/*.o; do
    llvm-objdump --macho --private-headers "$object" | grep -A4 LC_BUILD_VERSION | grep -q "minos 11.0" || fail "$object: no version of macOS"
    llvm-nm -m "$object" | grep " external" | grep -v "private external\|(undefined)" && fail "$object shows symbols to others"
  done
  clang-22 --target=$architecture-apple-macosx11.0.0 -std=c11 -O2 -ffreestanding -fno-stack-protector -Wall -Wextra -Werror -isystem headers -Inet -c net/net.c \
    -o net.$architecture.o
  "$linker" -arch $architecture -platform_version macos 11.0 11.0 -dylib -undefined dynamic_lookup -o libnet.$architecture.dylib \
    net.$architecture.o net/$folder/objects/*.o
  # It needs copies of memory, the environment, what the CPU has, and the function that the program defines.
  llvm-nm -u libnet.$architecture.dylib | sed 's/.* //' | grep -vx '_getenv\|_memcpy\|_memset\|_bzero\|___bzero\|_memset_pattern[0-9]*\|_sysctlbyname\|_my_halve\|dyld_stub_binder' &&
    fail "$architecture needs something else"
  llvm-nm -U -g libnet.$architecture.dylib | sed 's/.* //' | sort >exported.$architecture
  grep -v "^_net_" exported.$architecture && fail "$architecture shows other names"
  grep -q "kernel\|weights" exported.$architecture && fail "$architecture shows what is hidden: $(cat exported.$architecture)"
  llvm-ar-22 rcs libnet.$architecture.a net.$architecture.o net/$folder/objects/*.o
done
# Pages of 16 KiB.
llvm-objdump --macho --private-headers libnet.arm64.dylib | awk '$1 == "vmaddr" {print $2}' >addresses.txt
[ -s addresses.txt ] || fail "no segments"
grep -v '[048c]000$' addresses.txt && fail "segments that begin within a page"
for kind in a dylib; do
  llvm-lipo-22 -create libnet.x86_64.$kind libnet.arm64.$kind -output libnet.$kind
  llvm-lipo-22 libnet.$kind -verify_arch x86_64 arm64 || fail "libnet.$kind is not universal"
done
exit 0
