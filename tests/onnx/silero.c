/* Runs frames of samples through a generated library: silero FRAMES RESULTS FRAME CONTEXT
 * FRAMES: f32 samples; FRAME new ones for a call, after the CONTEXT samples before them. */
#define _POSIX_C_SOURCE 200809L
#include LIBRARY_HEADER
#include "silero_frames.h"

#define JOIN(a, b) a##_##b
#define NAME(a, b) JOIN(a, b)
#define F(name) NAME(LIBRARY, name)

enum { max_bytes = 1 << 20 };
static unsigned char workspace[max_bytes];

static int call(void *context) {
  const void *in[max_tensors] = {inputs[0], inputs[1], inputs[2]};
  void *out[max_tensors] = {outputs[0], outputs[1], outputs[2]};
  return F(call)(context, 0, in, out, workspace, sizeof workspace) != 0;
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
  recording r;
  if (!open_recording(&r, arguments + 1))
    return fputs("silero: no frames, or a file that cannot be opened\n", stderr), 1;
  const F(function) *info = F(function_info)(0);
  F(context) context;
  if (F(init)(&context, NULL) || !fits(info, r.frame + r.before))
    return fputs("another signature, or no variant for this CPU\n", stderr), 1;
  caller c = {call, &context, info->output_count, {0}};
  for (size_t t = 0; t < info->output_count; t++)
    c.bytes[t] = info->outputs[t].bytes;
  return answer(&r, &c, F(variant)(&context));
}
