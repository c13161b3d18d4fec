/* Threads of a block are fibres, which run until they wait; warps wait for their lanes at
 * collective operations. Each access of memory is looked at: whether it is aligned as the code
 * promises, within device memory, and ordered by a barrier where it is shared. */
#define _GNU_SOURCE /* dladdr */
#include "cuda_threads.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
  most_copies = 64,
  stack_bytes = 1 << 16,
  warp_size = 32,
  most_threads = 1024,
  most_shared = 1 << 24
};
enum { illegal_address = 700, misaligned_address = 716, launch_failed = 719 };

struct lane {
  uint32_t in, parameter, out;
  int is_valid; /* its partner is there */
};
/* An asynchronous copy, which is made when it is waited for, and not before. */
struct copy {
  char *to;
  const char *from;
  int bytes, group;
};
struct warp {
  struct lane lanes[warp_size];
  const void *operation; /* that its lanes are at */
  int arrived, phase, size;
};
struct fibre {
  ucontext_t context;
  unsigned x, y, z, number;
  int is_done, copy_count, group;
  char *stack;
  struct copy copies[most_copies];
};

/* The last accesses of a byte of shared memory; phases of blocks begin with 1. */
struct touch {
  uint32_t phase, warp_phase;
  uint16_t thread, is_of_many;
};
static struct touch writes[most_shared], reads[most_shared];
static uint8_t pending[most_shared]; /* asynchronous copies that have not been made */
/* The bytes of shared memory that have been written since they were last reset: a module's kernels
 * have megabytes together, a block writes a few thousand. */
static size_t dirty_begin, dirty_end;
static const char *filled; /* the shared memory that has been reset as a whole */

static const struct cuda_launch *running;
static struct fibre *fibres, *current;
static struct warp warps[most_threads / warp_size];
static ucontext_t scheduler;
static unsigned block[3], thread_count, living, arrived;
static uint32_t phase; /* of the block: barriers that it has passed; never the same in two blocks */
static const void *barrier_place;
static long progress;
static int error, is_counted;

void cuda_report(const char *format, ...) {
  if (cuda_report_text[0] != 0)
    return;
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(cuda_report_text, sizeof cuda_report_text, format, arguments);
  va_end(arguments);
  if (length >= 0 && (size_t)length < sizeof cuda_report_text)
    snprintf(cuda_report_text + length, sizeof cuda_report_text - (size_t)length,
             " (kernel %s, block %u %u %u, thread %u %u %u)", running->kernel, block[0], block[1],
             block[2], current != NULL ? current->x : 0, current != NULL ? current->y : 0,
             current != NULL ? current->z : 0);
  if (getenv("KGEN_TEST_CUDA_PRINT") != NULL)
    fprintf(stderr, "%s\n", cuda_report_text);
}

static void leave(void) { swapcontext(&current->context, &scheduler); }

/* Ends the launch: the thread does not go on. */
static void stop(int with) {
  if (error == 0)
    error = with;
  for (;;)
    leave();
}

static struct warp *own_warp(void) { return &warps[current->number / warp_size]; }
static unsigned own_lane(void) { return current->number % warp_size; }

/* ---- What the code calls: intrinsics of NVPTX, without "llvm.nvvm." */

#define SHOWN __attribute__((visibility("default")))
#define INTRINSIC(result, function, name, parameters)                                              \
  SHOWN result function parameters __asm__("kgi." name);                                           \
  result function parameters
#define REGISTER(function, name, value)                                                            \
  INTRINSIC(int, function, "read.ptx.sreg." name, (void)) { return (int)(value); }
REGISTER(tid_x, "tid.x", current->x)
REGISTER(tid_y, "tid.y", current->y)
REGISTER(tid_z, "tid.z", current->z)
REGISTER(ctaid_x, "ctaid.x", block[0])
REGISTER(ctaid_y, "ctaid.y", block[1])
REGISTER(ctaid_z, "ctaid.z", block[2])
REGISTER(ntid_x, "ntid.x", running->threads[0])
REGISTER(ntid_y, "ntid.y", running->threads[1])
REGISTER(ntid_z, "ntid.z", running->threads[2])
REGISTER(nctaid_x, "nctaid.x", running->blocks[0])
REGISTER(nctaid_y, "nctaid.y", running->blocks[1])
REGISTER(nctaid_z, "nctaid.z", running->blocks[2])
REGISTER(laneid, "laneid", own_lane())
REGISTER(warpsize, "warpsize", warp_size)

/* All threads of the block come here, and to the same place of the code. */
static void block_barrier(const void *place) {
  const uint32_t before = phase;
  ++progress;
  if (arrived != 0 && barrier_place != place) {
    cuda_report("threads of a block are at different barriers");
    stop(launch_failed);
  }
  barrier_place = place;
  if (++arrived == thread_count) {
    arrived = 0;
    ++phase;
    return;
  }
  while (phase == before)
    leave();
}
INTRINSIC(void, barrier_all, "barrier.cta.sync.aligned.all", (int id)) {
  (void)id;
  block_barrier(__builtin_return_address(0));
}
INTRINSIC(void, barrier0, "barrier0", (void)) { block_barrier(__builtin_return_address(0)); }

/* Waits for all lanes of the warp, and lets `combine` make their results. */
static void collect(const void *place, void (*combine)(struct warp *)) {
  struct warp *warp = own_warp();
  const int before = warp->phase;
  ++progress;
  if (warp->arrived != 0 && warp->operation != place) {
    cuda_report("lanes of a warp are at different collective operations");
    stop(launch_failed);
  }
  warp->operation = place;
  if (++warp->arrived == warp->size) {
    if (combine != NULL)
      combine(warp);
    warp->arrived = 0;
    ++warp->phase;
    return;
  }
  while (warp->phase == before)
    leave();
}
INTRINSIC(void, warp_sync, "bar.warp.sync", (int mask)) {
  (void)mask;
  collect(__builtin_return_address(0), NULL);
}

/* A lane whose partner is not there keeps its own number. */
#define SHUFFLE(kind, partner)                                                                     \
  static void combine_##kind(struct warp *warp) {                                                  \
    for (int lane = 0; lane < warp->size; ++lane) {                                                \
      const int with = (int)warp->lanes[lane].parameter;                                           \
      const int from = partner;                                                                    \
      const int is_there = from >= 0 && from < warp->size;                                         \
      warp->lanes[lane].out = warp->lanes[is_there ? from : lane].in;                              \
      warp->lanes[lane].is_valid = is_there;                                                       \
    }                                                                                              \
  }                                                                                                \
  static uint32_t shuffle_##kind(const void *place, uint32_t value, int parameter) {               \
    struct lane *lane = &own_warp()->lanes[own_lane()];                                            \
    lane->in = value;                                                                              \
    lane->parameter = (uint32_t)parameter;                                                         \
    collect(place, combine_##kind);                                                                \
    return lane->out;                                                                              \
  }                                                                                                \
  INTRINSIC(int, shuffle_##kind##_i32, "shfl.sync." #kind ".i32",                                  \
            (int mask, int value, int parameter, int clamp)) {                                     \
    (void)mask, (void)clamp;                                                                       \
    return (int)shuffle_##kind(__builtin_return_address(0), (uint32_t)value, parameter);           \
  }                                                                                                \
  INTRINSIC(float, shuffle_##kind##_f32, "shfl.sync." #kind ".f32",                                \
            (int mask, float value, int parameter, int clamp)) {                                   \
    uint32_t bits;                                                                                 \
    (void)mask, (void)clamp;                                                                       \
    memcpy(&bits, &value, sizeof bits);                                                            \
    bits = shuffle_##kind(__builtin_return_address(0), bits, parameter);                           \
    memcpy(&value, &bits, sizeof value);                                                           \
    return value;                                                                                  \
  }
SHUFFLE(bfly, lane ^ with)
SHUFFLE(down, lane + with)
SHUFFLE(up, lane - with)
SHUFFLE(idx, with)
/* Of the thread's last shuffle; cuda_code.py makes pairs of it. */
INTRINSIC(int, shuffle_valid, "shfl.valid", (void)) {
  return own_warp()->lanes[own_lane()].is_valid;
}

/* ---- Accesses of memory */

/* True if a barrier orders this access after the other one. */
static int is_ordered(const struct touch *other) {
  if (other->phase != phase || (other->thread == current->number && !other->is_of_many))
    return 1;
  return !other->is_of_many && other->thread / warp_size == current->number / warp_size &&
         other->warp_phase != (uint32_t)own_warp()->phase;
}

static void touch(struct touch *last, int is_read) {
  const int is_of_many =
      is_read && last->phase == phase && (last->is_of_many || last->thread != current->number);
  last->phase = phase;
  last->warp_phase = (uint32_t)own_warp()->phase;
  last->thread = (uint16_t)current->number;
  last->is_of_many = (uint16_t)is_of_many;
}

static void check_shared(size_t offset, size_t bytes, int is_written) {
  if (offset + bytes > most_shared) {
    cuda_report("more shared memory than the tests' driver has");
    stop(launch_failed);
  }
  if (is_written) {
    dirty_begin = offset < dirty_begin ? offset : dirty_begin;
    dirty_end = offset + bytes > dirty_end ? offset + bytes : dirty_end;
  }
  for (size_t i = offset; i < offset + bytes; ++i) {
    if (pending[i] != 0) {
      cuda_report("byte %zu of shared memory is %s before a copy to it is waited for", i,
                  is_written ? "written" : "read");
      stop(launch_failed);
    }
    if (!is_ordered(&writes[i]) || (is_written && !is_ordered(&reads[i]))) {
      cuda_report("a race: byte %zu of shared memory is %s without a barrier after thread %u %s it",
                  i, is_written ? "written" : "read",
                  (unsigned)(is_ordered(&writes[i]) ? reads : writes)[i].thread,
                  is_ordered(&writes[i]) ? "has read" : "has written");
      stop(launch_failed);
    }
    touch(is_written ? &writes[i] : &reads[i], !is_written);
  }
}

SHOWN void kgen_cuda_access(void *at, int bytes, int alignment, int is_written, int place);
void kgen_cuda_access(void *at, int bytes, int alignment, int is_written, int place) {
  const uintptr_t address = (uintptr_t)at, stack = (uintptr_t)current->stack;
  if (address % (uintptr_t)alignment != 0) {
    cuda_report("%d bytes at an address that is no multiple of %d", bytes, alignment);
    stop(misaligned_address);
  }
  const int is_shared =
      address >= (uintptr_t)running->shared_begin && address < (uintptr_t)running->shared_end;
  if (is_counted && !(address >= stack && address < stack + stack_bytes))
    cuda_count(address, bytes, is_written, place, current->number, is_shared);
  if (is_shared) {
    check_shared(address - (uintptr_t)running->shared_begin, (size_t)bytes, is_written);
    return;
  }
  if (address >= stack && address < stack + stack_bytes)
    return;
  if (!cuda_is_device_memory(address, (size_t)bytes)) {
    Dl_info at_code, code;
    if (!is_written && dladdr(at, &at_code) != 0 &&
        dladdr((void *)(uintptr_t)running->code, &code) != 0 && at_code.dli_fbase == code.dli_fbase)
      return; /* a constant of the module */
    cuda_report("%d bytes out of bounds are %s", bytes, is_written ? "written" : "read");
    stop(illegal_address);
  }
}

/* ---- Asynchronous copies, in groups, which are waited for */

/* Notes that the range of shared memory has one copy more, or one less, to come. */
static void expect(const struct copy *copy, int change) {
  if (copy->to < running->shared_begin || copy->to + copy->bytes > running->shared_end) {
    cuda_report("an asynchronous copy to %d bytes that are not shared memory", copy->bytes);
    stop(illegal_address);
  }
  const size_t offset = (size_t)(copy->to - running->shared_begin);
  for (int i = 0; i < copy->bytes; ++i)
    pending[offset + (size_t)i] = (uint8_t)(pending[offset + (size_t)i] + change);
  dirty_begin = offset < dirty_begin ? offset : dirty_begin;
  dirty_end = offset + (size_t)copy->bytes > dirty_end ? offset + (size_t)copy->bytes : dirty_end;
}

static void copy_later(void *to, const void *from, int bytes) {
  const struct copy copy = {to, from, bytes, current->group};
  if (current->copy_count == most_copies) {
    cuda_report("more asynchronous copies than the tests' driver has room for");
    stop(launch_failed);
  }
  if ((uintptr_t)to % (uintptr_t)bytes != 0) {
    cuda_report("%d bytes are copied to an address that is no multiple of it", bytes);
    stop(misaligned_address);
  }
  kgen_cuda_access((void *)(uintptr_t)from, bytes, bytes, 0, 0);
  expect(&copy, 1);
  current->copies[current->copy_count++] = copy;
}

/* Makes the copies of all groups but the last ones. */
static void wait_for_copies(int but) {
  int left = 0;
  for (int i = 0; i < current->copy_count; ++i) {
    struct copy *copy = &current->copies[i];
    if (copy->group >= current->group - but) {
      current->copies[left++] = *copy;
      continue;
    }
    expect(copy, -1);
    kgen_cuda_access(copy->to, copy->bytes, 1, 1, 0);
    memcpy(copy->to, copy->from, (size_t)copy->bytes);
  }
  current->copy_count = left;
}

#define COPY(kind, number)                                                                         \
  INTRINSIC(void, copy_##kind##_##number, "cp.async." #kind ".shared.global." #number,             \
            (void *to, const void *from)) {                                                        \
    copy_later(to, from, number);                                                                  \
  }
COPY(ca, 4)
COPY(ca, 8)
COPY(ca, 16)
COPY(cg, 16)
INTRINSIC(void, commit_copies, "cp.async.commit.group", (void)) { ++current->group; }
INTRINSIC(void, wait_copies, "cp.async.wait.group", (int but)) { wait_for_copies(but); }
INTRINSIC(void, wait_all_copies, "cp.async.wait.all", (void)) {
  ++current->group;
  wait_for_copies(0);
}

/* ---- Blocks */

static void begin(void) {
  const uint64_t *a = running->arguments;
  running->code(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24],
                a[25], a[26], a[27], a[28], a[29], a[30], a[31]);
  current->is_done = 1;
  --living;
  ++progress;
  leave();
}

/* What a block leaves in shared memory is no other block's. */
static void reset_shared(void) {
  const size_t bytes = (size_t)(running->shared_end - running->shared_begin);
  if (bytes != 0 && (filled != running->shared_begin || running->places == 0)) {
    filled = running->shared_begin;
    dirty_begin = 0;
    dirty_end = bytes < most_shared ? bytes : most_shared;
  }
  if (dirty_begin < dirty_end) {
    memset(running->shared_begin + dirty_begin, 0xcd, dirty_end - dirty_begin);
    memset(pending + dirty_begin, 0, dirty_end - dirty_begin);
  }
  dirty_begin = most_shared;
  dirty_end = 0;
}

static void prepare_block(char *stacks) {
  memset(warps, 0, sizeof warps);
  reset_shared();
  arrived = 0;
  living = thread_count;
  ++phase;
  for (unsigned i = 0; i < thread_count; ++i) {
    struct fibre *fibre = &fibres[i];
    memset(fibre, 0, sizeof *fibre);
    fibre->number = i;
    fibre->x = i % running->threads[0];
    fibre->y = i / running->threads[0] % running->threads[1];
    fibre->z = i / running->threads[0] / running->threads[1];
    fibre->stack = stacks + (size_t)i * stack_bytes;
    ++warps[i / warp_size].size;
    getcontext(&fibre->context);
    fibre->context.uc_stack.ss_sp = fibre->stack;
    fibre->context.uc_stack.ss_size = stack_bytes;
    makecontext(&fibre->context, begin, 0);
  }
}

/* Threads run in turns, until all have ended, or none can go on. */
static void run_block(void) {
  while (living != 0 && error == 0) {
    const long before = progress;
    for (unsigned i = 0; i < thread_count && error == 0; ++i)
      if (!fibres[i].is_done) {
        current = &fibres[i];
        swapcontext(&scheduler, &current->context);
      }
    if (error == 0 && progress == before) {
      cuda_report("%u threads wait for ever at a barrier or a collective operation", living);
      error = launch_failed;
    }
  }
}

int cuda_launch(const struct cuda_launch *launch) {
  thread_count = launch->threads[0] * launch->threads[1] * launch->threads[2];
  if (thread_count == 0 || thread_count > most_threads)
    return 1;
  static char *stacks; /* kept from launch to launch */
  if (stacks == NULL) {
    fibres = malloc(most_threads * sizeof *fibres);
    stacks = malloc((size_t)most_threads * stack_bytes);
  }
  running = launch;
  error = 0;
  for (block[2] = 0; block[2] < launch->blocks[2]; ++block[2])
    for (block[1] = 0; block[1] < launch->blocks[1]; ++block[1])
      for (block[0] = 0; block[0] < launch->blocks[0] && error == 0; ++block[0]) {
        prepare_block(stacks);
        is_counted = launch->counted_block ==
                     (long)block[0] +
                         (long)launch->blocks[0] * (block[1] + (long)launch->blocks[1] * block[2]);
        if (is_counted)
          cuda_begin_counts(thread_count, launch->places);
        run_block();
        if (is_counted)
          cuda_end_counts();
      }
  return error;
}
