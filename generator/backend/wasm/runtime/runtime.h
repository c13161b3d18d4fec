/* What the runtime's parts share. An engine checks a module as a whole before any of its code runs,
 * so there is nothing to detect, and a library has one variant. These files are C11 without
 * dependencies; the generator copies their text into the dispatcher of every generated library, so
 * all names are static and begin with kgenrt_. */
#ifndef KGENRT_RUNTIME_H
#define KGENRT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__wasm32__)
#error "the objects of this library are for WebAssembly with addresses of 32 bits (wasm32)"
#endif

struct kgenrt_feature {
  const char *name;
};

struct kgenrt_machine {
  int unused;
};

struct kgenrt_cpu {
  int unused;
};

struct kgenrt_variant {
  const char *name;
};

static const struct kgenrt_machine kgenrt_host = {0};

#endif
