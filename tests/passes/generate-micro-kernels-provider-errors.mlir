// RUN: kgen-opt "%s" --split-input-file --kgen-generate-micro-kernels=provider=xsm --verify-diagnostics

// expected-error@+1 {{there is no micro-kernel provider 'xsm'}}
module {}
