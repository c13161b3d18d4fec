// Rows of C in one vector each: for tiles of as many columns as a vector has.
template.func {M : index, N : index_of<4, 8, 16>, K : index, ARow : index, ACol : index, BRow : index, CRow : index, Accumulate : bool, Cost : real = 0}
@rows(%a : !llvm.ptr, %b : !llvm.ptr, %c : !llvm.ptr)
kernel ukernel.gemm {element = f32, m = M, n = N, k = K, a_row = ARow, a_col = ACol, b_row = BRow, c_row = CRow, accumulate = Accumulate}
requires M <= 8 cost M * K / 100.0 + Cost {
  %zero = arith.constant dense<0.0> : vector<Nxf32>
  %from = arith.constant 0 : i64
  %to = arith.constant K : i64
  %one = arith.constant 1 : i64
  template.const_for I = 0 to M {
    %row = llvm.getelementptr %c[$(I * CRow)] : (!llvm.ptr) -> !llvm.ptr, f32
    %start = template.const_if Accumulate -> vector<Nxf32> {
      %old = llvm.load %row {alignment = 4 : i64} : !llvm.ptr -> vector<Nxf32>
      template.yield %old : vector<Nxf32>
    } else {
      template.yield %zero : vector<Nxf32>
    }
    %sum = scf.for %k = %from to %to step %one iter_args(%s = %start) -> (vector<Nxf32>) : i64 {
      %ak = arith.constant ACol : i64
      %bk = arith.constant BRow : i64
      %ai = arith.muli %k, %ak : i64
      %bi = arith.muli %k, %bk : i64
      %arow = llvm.getelementptr %a[$(I * ARow)] : (!llvm.ptr) -> !llvm.ptr, f32
      %aat = llvm.getelementptr %arow[%ai] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %bat = llvm.getelementptr %b[%bi] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %aat : !llvm.ptr -> f32
      %v = vector.broadcast %x : f32 to vector<Nxf32>
      %w = llvm.load %bat {alignment = 4 : i64} : !llvm.ptr -> vector<Nxf32>
      %t = template.const_if target("fma") -> vector<Nxf32> {
        %f = math.fma %v, %w, %s : vector<Nxf32>
        template.yield %f : vector<Nxf32>
      } else {
        %p = arith.mulf %v, %w : vector<Nxf32>
        %f = arith.addf %p, %s : vector<Nxf32>
        template.yield %f : vector<Nxf32>
      }
      scf.yield %t : vector<Nxf32>
    }
    llvm.store %sum, %row {alignment = 4 : i64} : vector<Nxf32>, !llvm.ptr
  }
  return
}
