// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v3 --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-target --mlir-print-local-scope | FileCheck "%s" --check-prefix=NAMED
// RUN: not kgen-opt "%s" --kgen-target=x86-64-v5 2>&1 | FileCheck "%s" --check-prefix=UNKNOWN

// A module without a target gets the flag's, one with a name that one; a target that is written out stays. Files are found from
// where the test stands.
// CHECK:     module @without attributes {kgen.target = #kgen.target<name = "x86-64-v3", triple
// NAMED:     module @without {
// UNKNOWN:   error: unknown target 'x86-64-v5'
module @without {}

// -----

// CHECK:     module @named attributes {kgen.target = #kgen.target<name = "x86-64-v4", triple
// NAMED:     module @named attributes {kgen.target = #kgen.target<name = "x86-64-v4", triple
module @named attributes {kgen.target = "x86-64-v4"} {}

// -----

// CHECK:     module @file attributes {kgen.target = #kgen.target<name = "small-tiles", triple
// NAMED:     module @file attributes {kgen.target = #kgen.target<name = "small-tiles", triple
module @file attributes {kgen.target = "../passes/targets/small-tiles.yaml"} {}

// -----

// A made-up target.
// CHECK:     module @literal attributes {kgen.target = #kgen.target<name = "t", triple
// NAMED:     module @literal attributes {kgen.target = #kgen.target<name = "t", triple
module @literal attributes {kgen.target = #kgen.target<name = "t", triple = "", features = "", tune = "", vector_bits = 128,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {}>} {}
