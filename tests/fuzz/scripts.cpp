// The script of a schedule from hostile bytes: a transform program that is run on a product.
#include "library_text.h"
#include "temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  tryLibrary("library: fuzz\n"
             "targets: [x86-64-v3]\n"
             "schedules: {s: {script: '" +
             temporaryFile(".mlir", data, size) +
             "'}}\n"
             "graphs:\n"
             "  - name: f\n"
             "    inputs: {x: 'f32[8, 16]', w: 'f32[16, 8]'}\n"
             "    nodes: [{name: y, op: MatMul, inputs: [x, w], schedule: s}]\n"
             "    outputs: [y]\n");
  return 0;
}
