/* What silero.c and silero_onnxruntime.c have in common: frames of samples, one after the other,
 * through a model that takes (samples, state...) and gives (result, state...). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { max_tensors = 3, max_values = 1024, max_frames = 1024 };
static float inputs[max_tensors][max_values], outputs[max_tensors][max_values],
    samples[max_frames * max_values];
static double times[max_frames];

typedef struct recording {
  size_t frames, frame, before; /* new samples of a call, and those before them */
  FILE *results;                /* gets results and states after each call */
} recording;

/* A model with its number of tensors and their bytes; `call` goes from inputs to outputs, and gives
 * another number than 0 where it fails. */
typedef struct caller {
  int (*call)(void *model);
  void *model;
  size_t tensors, bytes[max_tensors];
} caller;

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* FRAMES RESULTS FRAME CONTEXT; true if there is at least one frame. */
static int open_recording(recording *r, char **arguments) {
  FILE *file = fopen(arguments[0], "rb");
  r->results = fopen(arguments[1], "wb");
  r->frame = strtoul(arguments[2], NULL, 10);
  r->before = strtoul(arguments[3], NULL, 10);
  if (!file || !r->results || !r->frame || r->before > r->frame ||
      r->frame + r->before > max_values)
    return 0;
  size_t frames = fread(samples, sizeof(float), sizeof samples / sizeof *samples, file) / r->frame;
  r->frames = frames < max_frames ? frames : max_frames;
  fclose(file);
  return r->frames > 0;
}

/* All frames from a state of zeros; the median time of a call in microseconds, or -1 where one
 * fails. */
static double run(const recording *r, const caller *c) {
  memset(inputs, 0, sizeof inputs);
  for (size_t i = 0; i < r->frames; i++) {
    memmove(inputs[0], inputs[0] + r->frame, r->before * sizeof(float));
    memcpy(inputs[0] + r->before, samples + i * r->frame, r->frame * sizeof(float));
    double start = microseconds();
    if (c->call(c->model))
      return -1;
    times[i] = microseconds() - start;
    for (size_t t = 0; r->results && t < c->tensors; t++)
      fwrite(outputs[t], 1, c->bytes[t], r->results);
    for (size_t t = 1; t < c->tensors; t++)
      memcpy(inputs[t], outputs[t], c->bytes[t]);
  }
  qsort(times, r->frames, sizeof *times, ascending);
  return times[r->frames / 2];
}

/* Writes the results and says who made them; then, for each line on standard input, all frames once
 * more, and the median time. The program's exit code. */
static int answer(recording *r, const caller *c, const char *name) {
  int failed = run(r, c) < 0;
  failed |= fclose(r->results) != 0;
  r->results = NULL;
  printf("%s\n", name);
  fflush(stdout);
  for (char line[16]; !failed && fgets(line, sizeof line, stdin); fflush(stdout))
    printf("%.3f\n", run(r, c));
  return failed;
}
