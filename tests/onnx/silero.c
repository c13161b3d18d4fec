/* Runs frames of samples through a generated library whose function takes (samples, state...) and
 * gives (result, state...). silero FRAMES RESULTS FRAME CONTEXT     FRAMES: f32 samples; FRAME new
 * ones for a call, after the CONTEXT samples before them The results and the states after each call
 * go to RESULTS. Then, for each line on standard input, all frames once more, and the median time
 * of a call in microseconds. */
#define _POSIX_C_SOURCE 200809L
#include LIBRARY_HEADER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOIN(a, b) a##_##b
#define NAME(a, b) JOIN(a, b)
#define F(name) NAME(LIBRARY, name)

enum { max_tensors = 3, max_values = 1024, max_frames = 1024, max_bytes = 1 << 20 };
static float inputs[max_tensors][max_values], outputs[max_tensors][max_values],
    samples[max_frames * max_values];
static double times[max_frames];
static unsigned char workspace[max_bytes];

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All frames from a state of zeros; the median time of a call, or -1 where one fails. */
static double run(const F(context) * context, size_t frames, size_t frame, size_t before,
                  FILE *results) {
  const F(function) *info = F(function_info)(0);
  const void *in[max_tensors] = {inputs[0], inputs[1], inputs[2]};
  void *out[max_tensors] = {outputs[0], outputs[1], outputs[2]};
  memset(inputs, 0, sizeof inputs);
  for (size_t i = 0; i < frames; i++) {
    memmove(inputs[0], inputs[0] + frame, before * sizeof(float));
    memcpy(inputs[0] + before, samples + i * frame, frame * sizeof(float));
    double start = microseconds();
    if (F(call)(context, 0, in, out, workspace, sizeof workspace))
      return -1;
    times[i] = microseconds() - start;
    for (size_t t = 0; results && t < info->output_count; t++)
      fwrite(outputs[t], 1, info->outputs[t].bytes, results);
    for (size_t t = 1; t < info->output_count; t++)
      memcpy(inputs[t], outputs[t], info->outputs[t].bytes);
  }
  qsort(times, frames, sizeof *times, ascending);
  return times[frames / 2];
}

static int fits(const F(function) * info, size_t window) {
  int good = info->input_count == info->output_count && info->input_count <= max_tensors &&
             info->workspace_size <= sizeof workspace;
  for (size_t t = 0; good && t < info->input_count; t++)
    good = info->inputs[t].bytes <= sizeof inputs[0] && info->outputs[t].bytes <= sizeof outputs[0];
  return good && info->inputs[0].bytes == window * sizeof(float);
}

int main(int count, char **arguments) {
  if (count != 5)
    return fputs("silero FRAMES RESULTS FRAME CONTEXT\n", stderr), 2;
  size_t frame = strtoul(arguments[3], NULL, 10), before = strtoul(arguments[4], NULL, 10);
  F(context) context;
  if (F(init)(&context, NULL) || !frame || before > frame ||
      !fits(F(function_info)(0), frame + before))
    return fputs("another signature, or no variant for this CPU\n", stderr), 1;
  FILE *file = fopen(arguments[1], "rb"), *results = fopen(arguments[2], "wb");
  if (!file || !results)
    return perror("silero"), 1;
  size_t frames = fread(samples, sizeof(float), sizeof samples / sizeof *samples, file) / frame;
  frames = frames < max_frames ? frames : max_frames;
  int failed = !frames || run(&context, frames, frame, before, results) < 0;
  fclose(file);
  failed |= fclose(results) != 0;
  printf("%s\n", F(variant)(&context));
  fflush(stdout);
  for (char line[16]; !failed && fgets(line, sizeof line, stdin); fflush(stdout))
    printf("%.3f\n", run(&context, frames, frame, before, NULL));
  return failed;
}
