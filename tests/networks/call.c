/* Functions of a generated library with tensors of their own, for Python's ctypes: compiled with
 * -include <library>.h, -DLIBRARY=<library> and, where it is given sizes, -DSIZED; where it keeps
 * state, -DSTATEFUL. Inputs depend on their type and place only. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define L(name) JOIN(LIBRARY, name)

enum { limit = 64, page = 4096 };
static L(context) context;
static void *inputs[limit], *outputs[limit], *output_memory[limit], *workspace_memory, *workspace,
    *state;
static size_t number, input_bytes[limit], output_bytes[limit], workspace_size, state_size, sizes[8],
    inputs_count, outputs_count;

/* Numbers from -1 to 1 with seven bits, so that each type of floats has them; integers from 0 to 7.
 */
static void fill(unsigned char *to, size_t bytes, const char *type, uint64_t seed) {
  size_t width = strtoul(type + strcspn(type, "0123456789"), NULL, 10) / 8;
  if (width == 0) /* bool */
    width = 1;
  for (size_t i = 0; i < bytes / width; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    int number = (int)(seed >> 57) - 64;
    float f = (float)number / 64;
    double d = f;
    int64_t integer = type[0] == 'b' && type[1] == 'o' ? number & 1 : number & 7;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    /* A number of seven bits has an exponent that f16 has, too. */
    uint16_t half =
        (uint16_t)(number == 0 ? 0
                               : ((word >> 16) & 0x8000) | ((word - 0x38000000) >> 13 & 0x7fff));
    uint16_t brain = (uint16_t)(word >> 16);
    const void *from = &integer;
    if (!strcmp(type, "f32"))
      from = &f;
    else if (!strcmp(type, "f64"))
      from = &d;
    else if (!strcmp(type, "f16"))
      from = &half;
    else if (!strcmp(type, "bf16"))
      from = &brain;
    memcpy(to + i * width, from, width);
  }
}

static void forget(void) {
  for (size_t i = 0; i < limit; i++) {
    free(inputs[i]), free(output_memory[i]);
    inputs[i] = outputs[i] = output_memory[i] = NULL;
  }
  free(workspace_memory), free(state);
  workspace = workspace_memory = state = NULL;
}

/* Makes tensors of function number `index`. `types` are those of its inputs, each with a space
 * after it; sizes that it is given are `size`, or their greatest. Returns the status, or -1 without
 * memory. */
int prepare(size_t index, const char *variant, const char *types, size_t size) {
  forget();
  number = index;
  L(options) options = {sizeof options, variant, NULL};
  int status = (int)L(init)(&context, &options);
  if (status != 0)
    return status;
  const L(function) *function = L(function_info)(index);
  inputs_count = function->input_count, outputs_count = function->output_count;
  if (inputs_count > limit || outputs_count > limit)
    return -1;
#ifdef SIZED
  for (size_t i = 0; i < function->dim_count; i++)
    sizes[i] = size < function->dims[i].max ? size : function->dims[i].max;
  workspace_size = L(function_workspace_size)(&context, index, sizes);
#else
  workspace_size = function->workspace_size;
#endif
  for (size_t i = 0; i < inputs_count + outputs_count; i++) {
    const L(tensor) *tensor =
        i < inputs_count ? &function->inputs[i] : &function->outputs[i - inputs_count];
    size_t slack = i < inputs_count ? 64 : page;
    void *memory = aligned_alloc(64, (tensor->bytes + slack) / 64 * 64);
    if (!memory)
      return -1;
    memset(memory, 0, tensor->bytes);
    if (i < inputs_count) {
      char type[16];
      size_t length = strcspn(types, " ");
      memcpy(type, types, length), type[length] = 0;
      types += length + 1;
      fill(memory, tensor->bytes, type, i + 1);
      inputs[i] = memory;
      input_bytes[i] = tensor->bytes;
    } else {
      outputs[i - inputs_count] = output_memory[i - inputs_count] = memory;
      output_bytes[i - inputs_count] = tensor->bytes;
    }
  }
  workspace = workspace_memory = aligned_alloc(64, (workspace_size + page) / 64 * 64);
  if (!workspace)
    return -1;
#ifdef STATEFUL
  state_size = L(state_size)(&context);
  state = aligned_alloc(64, (state_size + 64) / 64 * 64);
  return state ? (int)L(state_init)(&context, state, state_size) : -1;
#else
  return 0;
#endif
}

#ifdef SIZED
#define SIZES sizes,
#else
#define SIZES
#endif
#ifdef STATEFUL
#define STATE state, state_size,
#else
#define STATE
#endif

/* Moves outputs by `bytes`, a multiple of 64 below 4096, from where prepare() put them, and the
 * workspace by half as many: how long loads wait for stores before them depends on the distance of
 * their addresses modulo a page. */
void move_memory(size_t bytes) {
  for (size_t i = 0; i < outputs_count; i++)
    outputs[i] = (char *)output_memory[i] + bytes;
  workspace = (char *)workspace_memory + bytes / 128 * 64;
}

static int call_once(void) {
  return (int)L(call)(&context, number, SIZES(const void *const *) inputs, STATE outputs, workspace,
                      workspace_size);
}

/* A sequence that is full begins anew. */
int call(void) {
  int status = call_once();
#ifdef STATEFUL
  if (status != 0 && L(state_init)(&context, state, state_size) == 0)
    status = call_once();
#endif
  return status;
}

/* Nanoseconds that `calls` calls take. */
double time_calls(size_t calls) {
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (size_t i = 0; i < calls; i++)
    call();
  clock_gettime(CLOCK_MONOTONIC, &to);
  return (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
}

/* Memory of an input, for numbers other than those that prepare() leaves there. */
size_t bytes_of_input(size_t i) { return i < inputs_count ? input_bytes[i] : 0; }
void *input(size_t i) { return inputs[i]; }

size_t count_outputs(void) { return outputs_count; }
size_t bytes_of_output(size_t i) { return output_bytes[i]; }
const void *output(size_t i) { return outputs[i]; }
