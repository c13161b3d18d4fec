/* A library with state and the same with inputs and outputs in its place, called with the same
 * frames. Names of both are STATE and EXPLICIT; C11 and C++.
 *
 * frames COUNT: the same bits in each frame; two sessions in turns, and alone; a block that one
 * variant has written and another one reads.
 *
 * frames COUNT time: microseconds of processor time of a call of both, in turns: medians, and the
 * least. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include HEADER_OF_STATE
#include HEADER_OF_EXPLICIT

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOIN(a, b) a##_##b
#define NAME(a, b) JOIN(a, b)
#define S(name) NAME(STATE, name)
#define E(name) NAME(EXPLICIT, name)

#define CHECK(x)                                                                                   \
  do                                                                                               \
    if (!(x)) {                                                                                    \
      printf("line %d: %s\n", __LINE__, #x);                                                       \
      exit(1);                                                                                     \
    }                                                                                              \
  while (0)

enum { max_tensors = 32, sessions = 2, rounds = 21 };

static void *memory(size_t bytes) {
  void *block = aligned_alloc(64, (bytes + 127) / 64 * 64);
  CHECK(block != NULL);
  memset(block, 0, bytes);
  return block;
}

/* A session of the explicit library: what it carries on are its last inputs. */
typedef struct explicit_session {
  void *in[max_tensors], *out[max_tensors];
} explicit_session;
typedef struct state_session {
  void *in[max_tensors], *out[max_tensors], *state;
} state_session;

static void *workspace;
static size_t workspace_size, own_inputs, own_outputs, states;

static explicit_session open_explicit(void) {
  explicit_session s;
  const E(function) *info = E(function_info)(0);
  for (size_t i = 0; i < info->input_count; ++i)
    s.in[i] = memory(info->inputs[i].bytes);
  for (size_t i = 0; i < info->output_count; ++i)
    s.out[i] = memory(info->outputs[i].bytes);
  return s;
}

static state_session open_state(const S(context) * context) {
  state_session s;
  const S(function) *info = S(function_info)(0);
  for (size_t i = 0; i < info->input_count; ++i)
    s.in[i] = memory(info->inputs[i].bytes);
  for (size_t i = 0; i < info->output_count; ++i)
    s.out[i] = memory(info->outputs[i].bytes);
  s.state = memory(S(state_size)(context));
  CHECK(S(state_init)(context, s.state, S(state_size)(context)) == 0);
  return s;
}

/* What a session hears in a frame: floats in [-1, 1), or words from 0 to 96. */
static void hear(void *const *in, size_t session, size_t frame) {
  const S(function) *info = S(function_info)(0);
  uint32_t seed = (uint32_t)(frame * sessions + session) * 2654435761u + 1;
  for (size_t i = 0; i < own_inputs; ++i) {
    int is_word = info->inputs[i].type == I64;
    for (size_t k = 0; k < info->inputs[i].bytes; k += is_word ? 8 : 4) {
      seed = seed * 1664525u + 1013904223u;
      float value = (float)(int32_t)seed * 0x1p-31f;
      int64_t word = (seed >> 8) % 97;
      memcpy((char *)in[i] + k, is_word ? (void *)&word : (void *)&value, is_word ? 8 : 4);
    }
  }
}

static void explicit_call(const E(context) * context, explicit_session *s) {
  const E(function) *info = E(function_info)(0);
  CHECK(E(call)(context, 0, (const void *const *)s->in, s->out, workspace, workspace_size) == 0);
  for (size_t i = 0; i < states; ++i)
    memcpy(s->in[own_inputs + i], s->out[own_outputs + i], info->outputs[own_outputs + i].bytes);
}

static void state_call(const S(context) * context, state_session *s) {
  CHECK(S(call)(context, 0, (const void *const *)s->in, s->state, S(state_size)(context), s->out,
                workspace, workspace_size) == 0);
}

static void compare(const S(context) * context, const explicit_session *e, const state_session *s) {
  const S(function) *info = S(function_info)(0);
  for (size_t i = 0; i < own_outputs; ++i)
    CHECK(memcmp(e->out[i], s->out[i], info->outputs[i].bytes) == 0);
  for (size_t i = 0; i < states; ++i) {
    size_t bytes = S(state_info)(i)->bytes;
    void *tensor = memory(bytes);
    CHECK(S(state_get)(context, s->state, S(state_size)(context), i, tensor) == 0);
    CHECK(memcmp(tensor, e->in[own_inputs + i], bytes) == 0);
    free(tensor);
  }
}

/* In turns with the explicit form, each session's bits in each frame; and the sessions alone. */
static void compare_frames(const S(context) * c, const E(context) * plain, size_t frames) {
  explicit_session e[sessions];
  state_session s[sessions];
  for (size_t i = 0; i < sessions; ++i)
    e[i] = open_explicit(), s[i] = open_state(c);
  for (size_t f = 0; f < frames; ++f)
    for (size_t i = 0; i < sessions; ++i) {
      hear(e[i].in, i, f);
      hear(s[i].in, i, f);
      explicit_call(plain, &e[i]);
      state_call(c, &s[i]);
      compare(c, &e[i], &s[i]);
    }
  for (size_t i = 0; i < sessions; ++i) {
    state_session alone = open_state(c);
    for (size_t f = 0; f < frames; ++f) {
      hear(alone.in, i, f);
      state_call(c, &alone);
    }
    CHECK(memcmp(alone.state, s[i].state, S(state_size)(c)) == 0);
  }
}

/* Half of the frames in one variant; its block is a file that another variant goes on from. */
static void change_variants(const char *from, const char *to, size_t frames) {
  S(options) of_state = {sizeof of_state, from, NULL};
  E(options) of_plain = {sizeof of_plain, from, NULL};
  S(context) c;
  E(context) plain;
  size_t size;
  if (S(init)(&c, &of_state) != 0) /* this CPU lacks it */
    return;
  CHECK(E(init)(&plain, &of_plain) == 0);
  size = S(state_size)(&c);
  explicit_session e = open_explicit();
  state_session s = open_state(&c);
  for (size_t f = 0; f < frames; ++f) {
    if (f == frames / 2) {
      FILE *file = fopen("block", "wb");
      CHECK(file && fwrite(s.state, 1, size, file) == size && fclose(file) == 0);
      of_state.variant = of_plain.variant = to;
      if (S(init)(&c, &of_state) != 0)
        return;
      CHECK(E(init)(&plain, &of_plain) == 0 && S(state_size)(&c) == size);
      file = fopen("block", "rb");
      memset(s.state, 0, size);
      CHECK(file && fread(s.state, 1, size, file) == size && fclose(file) == 0);
    }
    hear(e.in, 0, f);
    hear(s.in, 0, f);
    explicit_call(&plain, &e);
    state_call(&c, &s);
    compare(&c, &e, &s);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const S(context) * c, const E(context) * plain, size_t frames) {
  explicit_session e = open_explicit();
  state_session s = open_state(c);
  double times[2][rounds];
  for (size_t r = 0; r < 2 * rounds; ++r) {
    double begin = now();
    for (size_t f = 0; f < frames; ++f)
      r % 2 ? state_call(c, &s) : explicit_call(plain, &e);
    times[r % 2][r / 2] = (now() - begin) / (double)frames;
  }
  for (size_t i = 0; i < 2; ++i)
    qsort(times[i], rounds, sizeof times[i][0], by_value);
  printf("explicit %.2f (%.2f), state %.2f (%.2f) us a call\n", times[0][rounds / 2], times[0][0],
         times[1][rounds / 2], times[1][0]);
}

int main(int count, char **arguments) {
  S(context) c;
  E(context) plain;
  size_t frames = (size_t)atoi(arguments[1]);
  CHECK(S(init)(&c, NULL) == 0 && E(init)(&plain, NULL) == 0);
  states = S(state_count)();
  own_inputs = S(function_info)(0)->input_count;
  own_outputs = S(function_info)(0)->output_count;
  CHECK(E(function_info)(0)->input_count == own_inputs + states);
  workspace_size = S(function_info)(0)->workspace_size + E(function_info)(0)->workspace_size;
  workspace = memory(workspace_size);
  if (count > 2) {
    measure(&c, &plain, frames);
    return 0;
  }
  compare_frames(&c, &plain, frames);
  change_variants("x86-64-v4", "x86-64-v3", frames);
  change_variants("x86-64-v2", "x86-64-v3", frames);
  puts("right");
  return 0;
}
