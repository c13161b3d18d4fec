/* Says which digit each text-art image shows, on a graphics card and on the CPU. */
#include "digits_gpu.h"
#include "digits.h"
#include "text_art.h"

#include <math.h>

static int largest(const float *probabilities) {
  int best = 0;
  for (int digit = 1; digit < 10; digit++)
    best = probabilities[digit] > probabilities[best] ? digit : best;
  return best;
}

int main(int count, char **files) {
  static digits_gpu gpu;
  static unsigned char workspace[DIGITS_CLASSIFY_WORKSPACE_SIZE + 1]; /* the size may be 0 */
  digits_context context;
  if (digits_gpu_init(NULL, &gpu) != DIGITS_GPU_OK)
    return fprintf(stderr, "%s\n", digits_gpu_error(&gpu)), 1;
  if (digits_init(&context, NULL) != DIGITS_OK)
    return 1;
  printf("%s: %s; CPU: %s\n", digits_gpu_target(&gpu), digits_gpu_device_name(&gpu),
         digits_variant(&context));
  int failed = 0;
  for (int i = 1; i < count; i++) {
    float image[TEXT_ART_PIXELS], on_gpu[10], on_cpu[10], apart = 0;
    if (!text_art_load(files[i], image))
      return fprintf(stderr, "%s: cannot be read\n", files[i]), 1;
    digits_gpu_status status = digits_classify_gpu_run(&gpu, image, on_gpu);
    if (status != DIGITS_GPU_OK)
      return fprintf(stderr, "%s: %s\n", digits_gpu_status_text(status), digits_gpu_error(&gpu)), 1;
    if (digits_classify(&context, image, on_cpu, workspace, sizeof workspace) != DIGITS_OK)
      return 1;
    for (int digit = 0; digit < 10; digit++)
      apart = fmaxf(apart, fabsf(on_gpu[digit] - on_cpu[digit]));
    int digit = largest(on_gpu);
    printf("%s: %d (%.1f %%), at most %.1e from the CPU's\n", files[i], digit,
           100 * (double)on_gpu[digit], (double)apart);
    failed |= !(apart < 1e-5f);
  }
  digits_gpu_finish(&gpu);
  return failed;
}
