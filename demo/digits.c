/* Says which digit each text-art image shows, with every variant of the library that this CPU
 * supports. */
#include "digits.h"
#include "text_art.h"

#include <stdlib.h>
#include <time.h>

enum { rounds = 201, calls_per_round = 10 };

static double now_us(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Classifies the image, prints the answer and the median time of a call. */
static digits_status answer(const char *variant, const float *image) {
  digits_options options = {sizeof options, variant};
  digits_context context;
  digits_status status = digits_init(&context, &options);
  static unsigned char workspace[DIGITS_CLASSIFY_WORKSPACE_SIZE + 1];
  float probabilities[10];
  double times[rounds];
  for (int round = 0; round < rounds && status == DIGITS_OK; round++) {
    double start = now_us();
    for (int call = 0; call < calls_per_round && status == DIGITS_OK; call++)
      status = digits_classify(&context, image, probabilities, workspace, sizeof workspace);
    times[round] = (now_us() - start) / calls_per_round;
  }
  if (status != DIGITS_OK)
    return status;
  qsort(times, rounds, sizeof *times, by_value);
  int best = 0;
  for (int digit = 1; digit < 10; digit++)
    best = probabilities[digit] > probabilities[best] ? digit : best;
  printf("  %-10s  %d  (%.1f %%)  %.2f us a call\n", digits_variant(&context), best,
         100 * (double)probabilities[best], times[rounds / 2]);
  return DIGITS_OK;
}

int main(int count, char **files) {
  digits_context context;
  digits_status status = digits_init(&context, NULL);
  if (status == DIGITS_OK)
    printf("The variant for this CPU: %s\n", digits_variant(&context));
  for (int i = 1; i < count && status == DIGITS_OK; i++) {
    float image[TEXT_ART_PIXELS];
    FILE *file = fopen(files[i], "r");
    if (!file || !text_art_read(file, image))
      return fprintf(stderr, "%s: cannot be read\n", files[i]), 1;
    fclose(file);
    printf("\n%s\n", files[i]);
    text_art_print(image);
    for (size_t v = 0; v < digits_variant_count() && status == DIGITS_OK; v++)
      if (digits_variant_supported(v))
        status = answer(digits_variant_name(v), image);
  }
  if (status != DIGITS_OK)
    fprintf(stderr, "digits: %s\n", digits_status_string(status));
  return status != DIGITS_OK;
}
