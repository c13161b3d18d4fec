/* What silero.c does, with onnxruntime and one thread:
 *   silero-native MODEL FRAMES RESULTS FRAME CONTEXT RATE
 * The states' names and sizes are the model's: those of version 5 (state, stateN) or before (h, c,
 * hn, cn). */
#define _POSIX_C_SOURCE 200809L
#include "onnxruntime_c_api.h"
#include "silero_frames.h"

/* Of the API, the oldest that has all that is called here. */
enum { api_version = 11 };
static const OrtApi *api;

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

static int call(void *opened) {
  static const char *const names[2][2][max_tensors + 1] = {
      {{"input", "state", "sr"}, {"output", "stateN"}},
      {{"input", "h", "c", "sr"}, {"output", "hn", "cn"}}};
  model *m = opened;
  const char *const(*name)[max_tensors + 1] = names[m->tensors - 2];
  check(api->Run(m->session, NULL, name[0], (const OrtValue *const *)m->in, m->tensors + 1, name[1],
                 m->tensors, m->out));
  return 0;
}

int main(int count, char **arguments) {
  if (count != 7)
    return fputs("silero-native MODEL FRAMES RESULTS FRAME CONTEXT RATE\n", stderr), 2;
  int64_t rate = strtol(arguments[6], NULL, 10);
  api = OrtGetApiBase()->GetApi(api_version);
  recording r;
  if (!api || !open_recording(&r, arguments + 2))
    return fputs("silero-native: no frames, no such API, or a file that cannot be opened\n",
                 stderr),
           1;
  model m = {0};
  open_model(&m, arguments[1]);
  if (m.tensors < 2 || m.tensors > max_tensors)
    return fputs("silero-native: another model\n", stderr), 1;
  bind(&m, r.frame + r.before, &rate);
  caller c = {call, &m, m.tensors, {sizeof(float)}};
  for (size_t t = 1; t < m.tensors; t++)
    c.bytes[t] = 2 * (size_t)m.state_size * sizeof(float);
  char name[64];
  snprintf(name, sizeof name, "onnxruntime %s in C", OrtGetApiBase()->GetVersionString());
  return answer(&r, &c, name);
}
