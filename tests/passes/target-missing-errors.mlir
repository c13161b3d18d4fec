// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(kgen-vectorize))"
// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(kgen-assign-layouts))"
// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(kgen-s8s8-compensation))"
// Passes that choose sizes ask #kgen.target, and refuse to guess.

// expected-error@+1 {{needs a target: the module has no 'kgen.target'}}
func.func @no_target() {
  return
}
