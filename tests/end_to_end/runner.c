/* Runs compiled operator cases and compares results with the oracle's: every tensor is against a
 * page that may not be touched, first with its end, then with its beginning; inputs must be
 * unchanged, the bytes beside outputs and workspace too. The first run is without an executor, the
 * second with one of two threads; both must have the same bits. Plain C, statically linked, so that
 * it also runs under qemu-user.
 *
 * Without an argument it runs everything and exits 0, 1 (a case failed) or 77 (the CPU is below the
 * target). Arguments:
 *
 * --corrupt: spoil each result after the call; exit 0 only if every comparison noticed.
 *
 * --readable: the pages may be touched after all (bytes beside outputs are still compared).
 * qemu 7.2 reads every lane of a masked load, also those that the mask excludes.
 *
 * --small: leave out cases of more than SMALL elements; they take too long in an emulator.
 *
 * --replace-conversions: on RISC-V, what an emulator ends itself at (riscv_conversions.h).
 *
 * --verbose: a line per case.
 */
#define _GNU_SOURCE
#include "runner.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include "kgen_windows.h"
#include <windows.h>
#else
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

enum {
  SLOTS = RUNNER_MAX_TENSORS + 1,
  ARGUMENTS = RUNNER_MAX_SIZES + SLOTS + 1,
  PAGE = 4096,
  FILLER = 0xA5,
  MARGIN = 256,
  SKIPPED = 77,
  SMALL = 1 << 15
};

typedef struct {
  unsigned char *begin, *end; /* between two untouchable pages */
} arena;

typedef enum { AGAINST_END, AGAINST_BEGIN } placement;

static arena arenas[SLOTS];
static unsigned char *data;
static const char *current = "(start)";
static int corrupt, readable, small, verbose, replaces;

static void die(const char *what) {
  perror(what);
  exit(1);
}

#ifdef __riscv
#include "riscv_conversions.h"
#endif

/* Results of the first run, to be compared with those of the second. */
static unsigned char *results;

/* What a library calls its executor. */
typedef struct {
  void (*run)(void *user, uint32_t tasks, void (*task)(void *, uint32_t), void *argument);
  void *user;
  uint32_t concurrency;
} executor;

static size_t launches;

#ifdef _WIN32
/* The threads of the system's pool. */
static void run_on_threads(void *count, uint32_t tasks, void (*task)(void *, uint32_t),
                           void *argument) {
  ++*(size_t *)count;
  kgen_windows_run(NULL, tasks, task, argument);
}

static const executor threads = {run_on_threads, &launches, 2};

static LONG WINAPI on_exception(EXCEPTION_POINTERS *unused) {
  (void)unused;
  fprintf(stderr,
          "%s: killed (an access outside of a tensor, or an instruction that this CPU "
          "lacks)\n",
          current);
  _exit(128);
}

static void catch_crashes(void) { SetUnhandledExceptionFilter(on_exception); }

/* Pages of which those from `begin` on may be touched. */
static unsigned char *make_pages(size_t size, size_t begin, size_t opened) {
  DWORD old;
  unsigned char *all = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);
  if (!all || !VirtualProtect(all + begin, opened, PAGE_READWRITE, &old))
    die("VirtualAlloc");
  return all;
}
#else
/* Every second task, the last one first. */
typedef struct {
  void (*task)(void *, uint32_t);
  void *argument;
  uint32_t count;
} share;

static void *run_share(void *data_of_share) {
  share *s = data_of_share;
  for (uint32_t n = s->count; n > 0; n -= n > 1 ? 2 : 1)
    s->task(s->argument, n - 1);
  return NULL;
}

static void run_on_two_threads(void *launches, uint32_t tasks, void (*task)(void *, uint32_t),
                               void *argument) {
  share mine = {task, argument, tasks}, theirs = {task, argument, tasks - 1};
  pthread_t other;
  ++*(size_t *)launches;
  if (pthread_create(&other, NULL, run_share, &theirs))
    die("pthread_create");
  run_share(&mine);
  if (pthread_join(other, NULL))
    die("pthread_join");
}

static const executor threads = {run_on_two_threads, &launches, 2};

/* A crash must say which case it was. */
static void on_signal(int number) {
  static const char text[] = ": killed by a signal (an access outside of a tensor, or an "
                             "instruction that this CPU lacks)\n";
  ssize_t written = write(2, current, strlen(current)) + write(2, text, sizeof text - 1);
  _exit(written < 0 ? 2 : 128 + number);
}

static void catch_crashes(void) {
  signal(SIGSEGV, on_signal);
  signal(SIGBUS, on_signal);
  signal(SIGILL, on_signal);
  signal(SIGFPE, on_signal);
}

/* Pages of which those from `begin` on may be touched. */
static unsigned char *make_pages(size_t size, size_t begin, size_t opened) {
  unsigned char *all = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all + begin, opened, PROT_READ | PROT_WRITE))
    die("mmap");
  return all;
}
#endif

static void load_data(void) {
  FILE *file = fopen(runner_data_file, "rb");
  if (!file || fseek(file, 0, SEEK_END))
    die(runner_data_file);
  long size = ftell(file);
  rewind(file);
  data = malloc((size_t)size + 1);
  if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
    die(runner_data_file);
  fclose(file);
}

static size_t bytes_of(const runner_tensor *t) { return t->count * t->width; }

static void make_arenas(void) {
  size_t largest = 0, most_results = 1;
  for (size_t c = 0; c < runner_case_count; ++c) {
    const runner_case *k = &runner_cases[c];
    if (k->workspace > largest)
      largest = k->workspace;
    for (size_t t = 0; t < k->inputs + k->outputs; ++t)
      if (bytes_of(&k->tensors[t]) > largest)
        largest = bytes_of(&k->tensors[t]);
    size_t sum = 0;
    for (size_t t = k->inputs; t < k->inputs + k->outputs; ++t)
      sum += bytes_of(&k->tensors[t]);
    if (sum > most_results)
      most_results = sum;
  }
  results = malloc(most_results);
  if (!results)
    die("malloc");
  size_t size = (largest + 2 * MARGIN + PAGE - 1) / PAGE * PAGE;
  for (int i = 0; i < SLOTS; ++i) {
    const size_t whole = size + 2 * PAGE;
    unsigned char *all = make_pages(whole, readable ? 0 : PAGE, readable ? whole : size);
    arenas[i].begin = all + PAGE;
    arenas[i].end = all + PAGE + size;
  }
}

/* The address of `bytes` in slot i, with filler on the side that has no untouchable page and in the
 * tensor itself. */
static unsigned char *slot_address(int slot, size_t bytes, placement where) {
  arena *a = &arenas[slot];
  if (where == AGAINST_BEGIN) {
    memset(a->begin, FILLER, bytes + MARGIN);
    return a->begin;
  }
  memset(a->end - bytes - MARGIN, FILLER, bytes + MARGIN);
  return a->end - bytes;
}

static int margin_intact(const unsigned char *tensor, size_t bytes, placement where) {
  const unsigned char *margin = where == AGAINST_BEGIN ? tensor + bytes : tensor - MARGIN;
  for (int i = 0; i < MARGIN; ++i)
    if (margin[i] != FILLER)
      return 0;
  return 1;
}

/* Position among all numbers of the type in ascending order; both zeros are 0. */
static int64_t order_of(const void *value, size_t width) {
  if (width == 2) { /* bf16 and f16 */
    int16_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits < 0 ? -(int64_t)(bits & INT16_MAX) : bits;
  }
  if (width == 4) {
    int32_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
  }
  int64_t bits;
  memcpy(&bits, value, sizeof bits);
  return bits < 0 ? -(bits & INT64_MAX) : bits;
}

static double real_of_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, digits = bits & 1023;
  double size = exponent == 31  ? (digits ? NAN : INFINITY)
                : exponent == 0 ? ldexp(digits, -24)
                                : ldexp(digits + 1024, exponent - 25);
  return bits >> 15 ? -size : size;
}

static double real(const void *value, runner_kind kind) {
  float f;
  double d;
  uint16_t half;
  if (kind == RUNNER_F64) {
    memcpy(&d, value, sizeof d);
    return d;
  }
  if (kind == RUNNER_BF16 || kind == RUNNER_F16) {
    memcpy(&half, value, sizeof half);
    if (kind == RUNNER_F16)
      return real_of_half(half);
    uint32_t bits = (uint32_t)half << 16; /* the upper half of a float */
    memcpy(&f, &bits, sizeof f);
    return f;
  }
  memcpy(&f, value, sizeof f);
  return f;
}

/* The distance in units in the last place; NaN is near NaN only, zeros of different sign are one
 * unit apart. */
static double distance(const void *got, const void *expected, const runner_tensor *t) {
  double g = real(got, t->kind), e = real(expected, t->kind);
  if (isnan(g) || isnan(e))
    return isnan(g) && isnan(e) ? 0 : INFINITY;
  if (g == 0 && e == 0)
    return signbit(g) != signbit(e);
  return (double)fabsl((long double)order_of(got, t->width) -
                       (long double)order_of(expected, t->width));
}

static int number_fits(const runner_case *k, const unsigned char *got,
                       const unsigned char *expected, const runner_tensor *t, const double *bound,
                       double *worst) {
  double ulps_off = distance(got, expected, t);
  if (!bound) {
    /* An exact zero is expected with its sign, whatever the allowed distance. */
    if (ulps_off > *worst)
      *worst = ulps_off;
    int zeros = real(expected, t->kind) == 0 && real(got, t->kind) == 0;
    return zeros ? ulps_off == 0 : ulps_off <= (double)k->ulps;
  }
  double g = real(got, t->kind), e = real(expected, t->kind);
  if (!isfinite(e))
    return ulps_off == 0;
  if (*bound > 0 && fabs(g - e) / *bound > *worst)
    *worst = fabs(g - e) / *bound;
  return fabs(g - e) <= *bound;
}

static size_t compare(const runner_case *k, size_t output, const unsigned char *got,
                      double *worst) {
  const runner_tensor *t = &k->tensors[k->inputs + output];
  const unsigned char *expected = data + t->offset;
  size_t wrong = 0;
  for (size_t i = 0; i < t->count; ++i, got += t->width, expected += t->width) {
    int fits;
    double bound = 0;
    if (k->ulps < 0)
      memcpy(&bound, data + k->bounds[output] + i * sizeof bound, sizeof bound);
    if (t->kind == RUNNER_INTEGER)
      fits = memcmp(got, expected, t->width) == 0;
    else
      fits = number_fits(k, got, expected, t, k->ulps < 0 ? &bound : NULL, worst);
    if (fits || ++wrong > 3 || corrupt)
      continue;
    if (t->kind == RUNNER_INTEGER)
      printf("%s: output %zu, element %zu differs\n", k->name, output, i);
    else
      printf(
          "%s: output %zu, element %zu is %.17g, expected %.17g: %g ulp apart (allowed: %s %g)\n",
          k->name, output, i, real(got, t->kind), real(expected, t->kind),
          distance(got, expected, t), k->ulps < 0 ? "absolute error" : "ulp",
          k->ulps < 0 ? bound : (double)k->ulps);
  }
  return wrong;
}

/* Spoils one element so that no tolerance covers it. */
static void spoil(const runner_tensor *t, unsigned char *tensor) {
  unsigned char *last = tensor + (t->count - 1) * t->width;
  if (t->kind == RUNNER_INTEGER)
    last[0] ^= 1;
  else if (isnan(real(last, t->kind)))
    memset(last, 0, t->width);
  else
    memset(last, 0xFF, t->width);
}

/* Keeps the outputs, or returns the number of those that differ from the kept ones in a bit. */
static size_t keep_or_compare(const runner_case *k, void *const *outputs, int is_first) {
  unsigned char *kept = results;
  size_t wrong = 0;
  for (size_t i = 0; i < k->outputs; ++i) {
    size_t bytes = bytes_of(&k->tensors[k->inputs + i]);
    if (is_first)
      memcpy(kept, outputs[i], bytes);
    else if (memcmp(kept, outputs[i], bytes))
      wrong += (size_t)printf("%s: output %zu depends on the executor\n", k->name, i);
    kept += bytes;
  }
  return wrong;
}

/* One run; returns the number of things that are wrong. */
static size_t run(const runner_case *k, placement where, const executor *e, double *worst) {
  void *arguments[ARGUMENTS] = {0}, **a = arguments, **p = arguments + k->size_count;
  for (size_t i = 0; i < k->size_count; ++i)
    arguments[i] = (void *)(uintptr_t)k->sizes[i];
  size_t count = k->inputs + k->outputs, wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    p[i] = slot_address((int)i, bytes_of(&k->tensors[i]), where);
    if (i < k->inputs)
      memcpy(p[i], data + k->tensors[i].offset, bytes_of(&k->tensors[i]));
  }
  /* The workspace is aligned to 64 bytes, as the dispatcher of a library aligns it. */
  size_t workspace = (k->workspace + 63) / 64 * 64;
  p[count] = slot_address(SLOTS - 1, workspace, where);
  p[count + 1] = (void *)(uintptr_t)e;
  k->function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
              a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24],
              a[25], a[26], a[27], a[28], a[29], a[30], a[31], a[32], a[33], a[34], a[35]);
  wrong += keep_or_compare(k, p + k->inputs, e == NULL);

  for (size_t i = 0; i < count; ++i) {
    const runner_tensor *t = &k->tensors[i];
    if (corrupt && i >= k->inputs && t->count)
      spoil(t, p[i]);
    if (!margin_intact(p[i], bytes_of(t), where))
      wrong += (size_t)printf("%s: wrote outside of tensor %zu\n", k->name, i);
    if (i < k->inputs && memcmp(p[i], data + t->offset, bytes_of(t)))
      wrong += (size_t)printf("%s: input %zu was changed\n", k->name, i);
    if (i >= k->inputs)
      wrong += compare(k, i - k->inputs, p[i], worst);
  }
  if (!margin_intact(p[count], workspace, where))
    wrong += (size_t)printf("%s: wrote outside of the workspace\n", k->name);
  return wrong;
}

static int has_elements(const runner_case *k) {
  for (size_t i = 0; i < k->outputs; ++i)
    if (k->tensors[k->inputs + i].count)
      return 1;
  return 0;
}

static size_t elements(const runner_case *k) {
  size_t sum = 0;
  for (size_t i = 0; i < k->inputs + k->outputs; ++i)
    sum += k->tensors[i].count;
  return sum;
}

static void read_arguments(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    int *flag = strcmp(argv[i], "--corrupt") == 0               ? &corrupt
                : strcmp(argv[i], "--readable") == 0            ? &readable
                : strcmp(argv[i], "--small") == 0               ? &small
                : strcmp(argv[i], "--verbose") == 0             ? &verbose
                : strcmp(argv[i], "--replace-conversions") == 0 ? &replaces
                                                                : NULL;
    if (!flag) {
      fprintf(stderr, "%s: unknown argument\n", argv[i]);
      exit(2);
    }
    *flag = 1;
  }
}

int main(int argc, char **argv) {
  if (!runner_cpu_supports_target()) {
    puts("skipped: this CPU is below the target");
    return SKIPPED;
  }
  read_arguments(argc, argv);
  load_data();
  make_arenas();
#ifdef __riscv
  if (replaces)
    replace_conversions((void *)main);
#endif
  catch_crashes();

  size_t failed = 0, empty = 0, ran = 0;
  for (size_t c = 0; c < runner_case_count; ++c) {
    const runner_case *k = &runner_cases[c];
    double worst = 0;
    if (small && elements(k) > SMALL)
      continue;
    current = k->name;
    ++ran;
    size_t wrong = run(k, AGAINST_END, NULL, &worst) + run(k, AGAINST_BEGIN, &threads, &worst);
    failed += wrong != 0;
    empty += !has_elements(k);
    if (verbose)
      printf("%s: %s, worst %g %s\n", k->name, wrong ? "FAILED" : "ok", worst,
             k->ulps < 0 ? "of the bound" : "ulp");
  }
  printf("%zu cases, %zu failed, %zu launches of tasks\n", ran, failed, launches);
  if (corrupt)
    return failed + empty == ran && ran > empty ? 0 : 1;
  return failed || ran == 0;
}
