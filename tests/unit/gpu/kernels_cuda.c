// Like kernels.mlir, for CUDA: Clang makes LLVM IR of it, which becomes the PTX and, on the tests'
// driver, code for the CPU.
#define KERNEL __attribute__((nvptx_kernel)) void
#define THREAD ((int)__nvvm_read_ptx_sreg_tid_x())
#define BLOCK ((int)__nvvm_read_ptx_sreg_ctaid_x())

// A block makes a row, a thread a number of it.
KERNEL product(const float *a, const float *w, float *out) {
  float sum = 0;
  for (int k = 0; k < 7; ++k)
    sum += a[7 * BLOCK + k] * w[6 * k + THREAD];
  out[6 * BLOCK + THREAD] = sum;
}

// A bias and a limit, on blocks and threads of two dimensions.
KERNEL finish(const float *t, const float *b, float *y) {
  const int i = (int)__nvvm_read_ptx_sreg_ctaid_y();
  const int j = 3 * THREAD + (int)__nvvm_read_ptx_sreg_tid_y();
  const float sum = t[6 * i + j] + b[j];
  y[6 * i + j] = sum > 0 ? sum : 0;
}

// The last block has threads without work.
KERNEL add(const float *x, const float *z, float *out) {
  const int i = 64 * BLOCK + THREAD;
  if (i < 1000)
    out[i] = x[i] + z[i];
}

// Each block reverses its numbers through shared memory.
#ifdef CONFLICTS
#define SHARED(i) shared[32 * (i)]
#else
#define SHARED(i) shared[i]
#endif
static __attribute__((address_space(3))) float shared[1600];
KERNEL reverse(const float *x, float *out) {
  int to = 50 * BLOCK + THREAD;
#if defined(ASYNC)
  if (THREAD < 25) // 8 bytes each
    __nvvm_cp_async_ca_shared_global_8(
        (__attribute__((address_space(3))) void *)&shared[2 * THREAD],
        (const __attribute__((address_space(1))) void *)(x + 50 * BLOCK + 2 * THREAD));
  __nvvm_cp_async_commit_group();
#if !defined(NO_WAIT)
  __nvvm_cp_async_wait_group(0);
#endif
#elif defined(SHUFFLE)
  // There and back.
  const float there = __nvvm_shfl_sync_bfly_f32(-1, x[to], 1, 31);
  SHARED(THREAD) = __nvvm_shfl_sync_idx_f32(-1, there, (THREAD % 32) ^ 1, 31);
#else
  SHARED(THREAD) = x[to];
#endif
#if defined(DIVERGENT)
  if (THREAD == 3)
    return;
  __syncthreads();
#elif defined(TWO_BARRIERS)
  if (THREAD < 32) {
    __syncthreads();
    SHARED(THREAD) += 1;
  } else {
    __syncthreads();
  }
#elif defined(HALF_A_WARP)
  if (THREAD < 16)
    SHARED(THREAD) = __nvvm_shfl_sync_bfly_f32(-1, SHARED(THREAD), 1, 31);
  __syncthreads();
#elif !defined(RACE)
  __syncthreads();
#endif
#if defined(OUTSIDE)
  to += to == 999 ? 1 << 24 : 0;
#elif defined(MISALIGNED)
  typedef float four __attribute__((vector_size(16)));
  *(four *)(out + to) = (four){0, 0, 0, 0};
#endif
  out[to] = SHARED(49 - THREAD);
}

// Buffers of 16 bits, and arithmetic on f16.
KERNEL halve(const _Float16 *h, _Float16 *out) { out[THREAD] = h[THREAD] * (_Float16)0.5; }

// Buffers of 8 bits, and arithmetic on i8.
KERNEL next(const signed char *n, signed char *out) { out[THREAD] = (signed char)(n[THREAD] + 1); }

// A weight of five megabytes.
KERNEL sample(const float *big, float *out) {
  const int i = 10 * BLOCK + THREAD;
  out[i] = big[1000 * i + 7];
}
