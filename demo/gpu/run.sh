#!/bin/sh
# The digits on a graphics card: generates the library for CUDA, Vulkan and the CPU, builds digits_gpu.c with it, and runs that on the
# images of demo/samples. Without a card it runs on Mesa's Vulkan driver for CPUs.
#   KGEN=<file>     take this kgen instead of building one
#   OUTPUT=<folder> where the library and the program go, default build/gpu-demo
set -eu
kgen_source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$kgen_source/cmake/setup.sh"
here=$kgen_source/demo/gpu
work=${OUTPUT:-$kgen_build/gpu-demo}

kgen_for_demo libvulkan1 mesa-vulkan-drivers

mkdir -p "$work"
"$KGEN" generate "$kgen_source/specs/graphs/digits.yaml" --target x86-64-v2 --target x86-64-v3 --target nvidia-sm_80 --target vulkan \
  -o "$work/digits"
cc -std=c11 -O2 -I "$work/digits" -I "$kgen_source/demo" "$here/digits_gpu.c" "$work/digits/digits.c" "$work/digits/digits_gpu.c" \
  "$work"/digits/objects/*.o -ldl -lm -o "$work/digits-gpu"
cd "$kgen_source"
"$work/digits-gpu" demo/samples/*.txt
