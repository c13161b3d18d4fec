/* What silero.c does, with onnxruntime and one thread:
 *   silero-native MODEL FRAMES RESULTS FRAME CONTEXT RATE
 * The states' names and sizes are the model's: those of version 5 (state, stateN) or before (h, c,
 * hn, cn). */
#define _POSIX_C_SOURCE 200809L
#include "onnxruntime_c_api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the API, the oldest that has all that is called here. */
enum { api_version = 11, max_tensors = 3, max_values = 1024, max_frames = 1024 };
static const OrtApi *api;
static float inputs[max_tensors][max_values], outputs[max_tensors][max_values],
    samples[max_frames * max_values];
static double times[max_frames];

typedef struct model {
  OrtSession *session;
  OrtMemoryInfo *memory;
  size_t tensors;     /* results and states */
  int64_t state_size; /* of [2, 1, state_size] */
  OrtValue *in[max_tensors + 1], *out[max_tensors];
} model;

static void check(OrtStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "onnxruntime: %s\n", api->GetErrorMessage(status));
  exit(1);
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void open_model(model *m, const char *path) {
  OrtEnv *environment;
  OrtSessionOptions *options;
  check(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "silero", &environment));
  check(api->CreateSessionOptions(&options));
  check(api->SetIntraOpNumThreads(options, 1));
  check(api->SetInterOpNumThreads(options, 1));
  check(api->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
  check(api->CreateSession(environment, path, options, &m->session));
  check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &m->memory));
  size_t count;
  check(api->SessionGetInputCount(m->session, &count));
  m->tensors = count - 1;
  m->state_size = m->tensors == 2 ? 128 : 64;
}

static OrtValue *tensor(const model *m, void *data, int64_t *shape, size_t rank,
                        size_t element_size, ONNXTensorElementDataType type) {
  size_t bytes = element_size;
  for (size_t i = 0; i < rank; i++)
    bytes *= (size_t)shape[i];
  OrtValue *value;
  check(api->CreateTensorWithDataAsOrtValue(m->memory, data, bytes, shape, rank, type, &value));
  return value;
}

/* Tensors on the program's own memory, made once. */
static void bind(model *m, size_t window, int64_t *rate) {
  int64_t input[] = {1, (int64_t)window}, output[] = {1, 1}, state[] = {2, 1, m->state_size};
  for (size_t t = 0; t < m->tensors; t++) {
    m->in[t] = tensor(m, inputs[t], t ? state : input, t ? 3 : 2, sizeof(float),
                      ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    m->out[t] = tensor(m, outputs[t], t ? state : output, t ? 3 : 2, sizeof(float),
                       ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  }
  m->in[m->tensors] = tensor(m, rate, NULL, 0, sizeof *rate, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
}

/* All frames from a state of zeros; the median time of a call. */
static double run(model *m, size_t frames, size_t frame, size_t before, FILE *results) {
  static const char *const names[2][2][max_tensors + 1] = {
      {{"input", "state", "sr"}, {"output", "stateN"}},
      {{"input", "h", "c", "sr"}, {"output", "hn", "cn"}}};
  const char *const(*name)[max_tensors + 1] = names[m->tensors - 2];
  size_t state_bytes = 2 * (size_t)m->state_size * sizeof(float);
  memset(inputs, 0, sizeof inputs);
  for (size_t i = 0; i < frames; i++) {
    memmove(inputs[0], inputs[0] + frame, before * sizeof(float));
    memcpy(inputs[0] + before, samples + i * frame, frame * sizeof(float));
    double start = microseconds();
    check(api->Run(m->session, NULL, name[0], (const OrtValue *const *)m->in, m->tensors + 1,
                   name[1], m->tensors, m->out));
    times[i] = microseconds() - start;
    for (size_t t = 0; t < m->tensors; t++) {
      if (results)
        fwrite(outputs[t], 1, t ? state_bytes : sizeof(float), results);
      if (t)
        memcpy(inputs[t], outputs[t], state_bytes);
    }
  }
  qsort(times, frames, sizeof *times, ascending);
  return times[frames / 2];
}

int main(int count, char **arguments) {
  if (count != 7)
    return fputs("silero-native MODEL FRAMES RESULTS FRAME CONTEXT RATE\n", stderr), 2;
  size_t frame = strtoul(arguments[4], NULL, 10), before = strtoul(arguments[5], NULL, 10);
  int64_t rate = strtol(arguments[6], NULL, 10);
  api = OrtGetApiBase()->GetApi(api_version);
  FILE *file = fopen(arguments[2], "rb"), *results = fopen(arguments[3], "wb");
  if (!api || !file || !results || !frame || before > frame || frame + before > max_values)
    return fputs("silero-native: wrong sizes, no such API, or a file that cannot be opened\n",
                 stderr),
           1;
  size_t frames = fread(samples, sizeof(float), sizeof samples / sizeof *samples, file) / frame;
  frames = frames < max_frames ? frames : max_frames;
  fclose(file);
  model m = {0};
  open_model(&m, arguments[1]);
  if (!frames || m.tensors < 2 || m.tensors > max_tensors)
    return fputs("silero-native: no frames, or another model\n", stderr), 1;
  bind(&m, frame + before, &rate);
  run(&m, frames, frame, before, results);
  fclose(results);
  printf("onnxruntime %s in C\n", OrtGetApiBase()->GetVersionString());
  fflush(stdout);
  for (char line[16]; fgets(line, sizeof line, stdin); fflush(stdout))
    printf("%.3f\n", run(&m, frames, frame, before, NULL));
  return 0;
}
