// RUN: kgen-opt "%s" --kgen-lower-runtime-calls --split-input-file --verify-diagnostics

func.func private @task(%index: index) {
  return
}
func.func @graph(%executor: !llvm.ptr) {
  // expected-error@+1 {{functions must be of the LLVM dialect before launches become calls}}
  kgen.launch @task[6] on %executor()
  return
}
