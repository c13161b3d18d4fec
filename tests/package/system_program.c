/* Calls all of systems.yaml's functions, once with tasks on the caller's thread and once with an
 * executor, and prints what they compute. On Windows it also looks at what the calling convention
 * promises: registers that are kept, and a stack that can be walked. */
#include "net.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef _WIN32
#include "kgen_windows.h"
#include <windows.h>
#endif

enum { MOST_ROWS = 600, WIDTH = 64 };
static float x[MOST_ROWS * WIDTH], y[MOST_ROWS * WIDTH], eight[8];
static unsigned char
    workspace[NET_SCALE_WORKSPACE_SIZE + NET_ADD_WORKSPACE_SIZE + NET_OUTSIDE_WORKSPACE_SIZE + 1];
static unsigned char state[NET_STATE_SIZE + NET_STATE_ALIGNMENT];
static int launches, reached_main = 1;

#ifdef _WIN32
__declspec(noinline) static void mark(void **begin, void **end);

/* Whether the frames from here on lead to main. */
static void walk(void) {
  void *frames[62], *begin, *end;
  int found = 0;
  mark(&begin, &end);
  for (int i = CaptureStackBackTrace(0, 62, frames, NULL); i > 0; --i)
    found |= (char *)frames[i - 1] >= (char *)begin && (char *)frames[i - 1] < (char *)end;
  reached_main &= found;
}

static void run_tasks(void *user, uint32_t tasks, void (*task)(void *, uint32_t), void *argument) {
  ++launches;
  walk();
  kgen_windows_run(user, tasks, task, argument);
}
#else
static void walk(void) {}

static void run_tasks(void *user, uint32_t tasks, void (*task)(void *, uint32_t), void *argument) {
  (void)user;
  ++launches;
  while (tasks > 0)
    task(argument, --tasks);
}
#endif

int my_halve(const float *in, float *out, void *memory, size_t size) {
  (void)memory, (void)size;
  walk();
  for (int i = 0; i < 8; ++i)
    out[i] = in[i] / 2;
  return in[0] < 0 ? 7 : 0;
}

static net_status scale(const net_context *context, size_t rows) {
  return net_scale(context, rows, x, y, workspace, sizeof workspace);
}

/* Whether a call keeps xmm6 to xmm15. */
static int keeps_registers(const net_context *context) {
#ifdef _WIN32
  static const double before[10][2] = {{1, 2},   {3, 4},   {5, 6},   {7, 8},   {9, 10},
                                       {11, 12}, {13, 14}, {15, 16}, {17, 18}, {19, 20}};
  double after[10][2];
  register net_status (*call)(const net_context *, size_t) __asm__("rax") = scale;
  __asm__ volatile("movups 0(%[b]), %%xmm6\n movups 16(%[b]), %%xmm7\n movups 32(%[b]), %%xmm8\n"
                   "movups 48(%[b]), %%xmm9\n movups 64(%[b]), %%xmm10\n movups 80(%[b]), %%xmm11\n"
                   "movups 96(%[b]), %%xmm12\n movups 112(%[b]), %%xmm13\n"
                   "movups 128(%[b]), %%xmm14\n movups 144(%[b]), %%xmm15\n"
                   "movq %%rsp, %%r12\n andq $-16, %%rsp\n subq $64, %%rsp\n"
                   "movq %[c], %%rcx\n movq $600, %%rdx\n callq *%%rax\n movq %%r12, %%rsp\n"
                   "movups %%xmm6, 0(%[a])\n movups %%xmm7, 16(%[a])\n movups %%xmm8, 32(%[a])\n"
                   "movups %%xmm9, 48(%[a])\n movups %%xmm10, 64(%[a])\n movups %%xmm11, 80(%[a])\n"
                   "movups %%xmm12, 96(%[a])\n movups %%xmm13, 112(%[a])\n"
                   "movups %%xmm14, 128(%[a])\n movups %%xmm15, 144(%[a])\n"
                   : "+r"(call)
                   : [b] "b"(before), [a] "S"(after), [c] "D"(context)
                   : "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "memory", "cc", "xmm0", "xmm1",
                     "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                     "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return memcmp(before, after, sizeof before) == 0;
#else
  return scale(context, MOST_ROWS) == NET_OK;
#endif
}

static int run(const net_executor *executor, const char *variant) {
  net_context context;
  net_options options = {sizeof options, variant, executor};
  void *block = state + (0 - (uintptr_t)state) % NET_STATE_ALIGNMENT;
  double sum = 0;
  if (net_init(&context, &options) != NET_OK ||
      net_state_init(&context, block, NET_STATE_SIZE) != NET_OK)
    return 1;
  for (int i = 0; i < MOST_ROWS * WIDTH; ++i)
    x[i] = (float)(i % 13) - 6;
  for (size_t rows = 1; rows <= MOST_ROWS; rows += 599)
    if (scale(&context, rows) != NET_OK)
      return 2;
  for (int i = 0; i < MOST_ROWS * WIDTH; ++i)
    sum += y[i] * (i % 7);
  for (int i = 0; i < 8; ++i)
    eight[i] = (float)i;
  if (net_add(&context, eight, block, NET_STATE_SIZE, y, workspace, sizeof workspace) != NET_OK ||
      net_add(&context, eight, block, NET_STATE_SIZE, y, workspace, sizeof workspace) != NET_OK)
    return 3;
  printf("%s: %.3f, %g", net_variant(&context), sum, (double)y[7]);
  if (net_outside(&context, eight, y, workspace, sizeof workspace) != NET_OK)
    return 4;
  printf(", %g", (double)y[7]);
  eight[0] = -1;
  if (net_outside(&context, eight, y, workspace, sizeof workspace) != NET_EXTERN_FAILED)
    return 5;
  printf(", %s\n", keeps_registers(&context) ? "kept" : "LOST");
  return 0;
}

int main(void) {
  const net_executor executor = {run_tasks, NULL, 2};
  for (size_t i = 0; i < net_variant_count(); ++i) {
    int failed = run(NULL, net_variant_name(i));
    if (!failed)
      failed = run(&executor, net_variant_name(i));
    if (failed) {
      printf("%s: failed at %d\n", net_variant_name(i), failed);
      return failed;
    }
  }
  printf("%s, %s\n", launches ? "tasks" : "NO TASKS", reached_main ? "walked" : "NOT WALKED");
  return 0;
}

#ifdef _WIN32
static void mark(void **begin, void **end) {
  DWORD64 base;
  PRUNTIME_FUNCTION function = RtlLookupFunctionEntry((DWORD64)(uintptr_t)main, &base, NULL);
  *begin = (void *)(uintptr_t)(base + function->BeginAddress);
  *end = (void *)(uintptr_t)(base + function->EndAddress);
}
#endif
