# Windows' other compiler: Clang in its manner compiles the C file without a warning, against headers that only declare what the
# file calls, and the objects are linked into a DLL without any library.
. "$(dirname -- "$0")/common.sh"
for tool in clang-cl-22 lld-link-22; do # an older linker refuses directives that it does not know
  command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
"$KGEN" generate "$here/systems.yaml" -o net --quiet
mkdir headers
cat >headers/stdlib.h <<'END'
#ifndef _CRT_SECURE_NO_WARNINGS
__declspec(deprecated)
#endif
char *getenv(const char *name);
END
cat >headers/string.h <<'END'
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
END
cat >headers/intrin.h <<'END'
void __cpuidex(int registers[4], int leaf, int subleaf);
unsigned long long _xgetbv(unsigned index);
END
cat >stubs.c <<'END'
#include <stddef.h>
char *getenv(const char *name) { return (void)name, NULL; }
void *memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memset(void *to, int value, size_t size) {
  for (size_t i = 0; i < size; ++i)
    ((volatile char *)to)[i] = (char)value;
  return to;
}
int my_halve(const float *in, float *out, void *memory, size_t size) { return (void)memory, out[0] = in[0], (int)size; }
int _fltused; /* of the C library: some code has floats */
int main_of_dll(void) { return 1; }
END
compile() { clang-cl-22 --target=x86_64-pc-windows-msvc /W4 /WX /O2 /GS- /c "$@"; }
compile /Iheaders /Inet net/net.c /Fonet.obj
compile stubs.c /Fostubs.obj
# As the compiler itself, which has no inline assembly.
compile /Iheaders /Inet -U__clang__ -U__x86_64__ -Wno-builtin-requires-header net/net.c /Foother.obj
for object in net other; do
  lld-link-22 /dll /nodefaultlib /entry:main_of_dll /def:net/x86_64-windows/net.def /out:$object.dll $object.obj stubs.obj \
    net/x86_64-windows/objects/*.o
  llvm-readobj --coff-exports $object.dll | sed -n 's/^ *Name: \(net_.*\)/\1/p' | sort >exports.txt
  sed -n 's/^  //p' net/x86_64-windows/net.def | sort | cmp - exports.txt || fail "$object.dll exports something else"
done
