/* Says which digit each text-art image shows, in every variant that this CPU supports. */
#include "digits.h"
#include "text_art.h"

#include <stdlib.h>
#include <time.h>

enum { calls = 2000 };

static void check(digits_status status) {
  if (status == DIGITS_OK)
    return;
  fprintf(stderr, "digits: %s\n", digits_status_string(status));
  exit(1);
}

static void classify(const char *variant, const float *image) {
  static unsigned char workspace[DIGITS_CLASSIFY_WORKSPACE_SIZE + 1]; /* the size may be 0 */
  float probabilities[10];
  digits_context context;
  digits_options options = {sizeof options, variant, NULL};
  check(digits_init(&context, &options));
  clock_t start = clock();
  for (int call = 0; call < calls; call++)
    check(digits_classify(&context, image, probabilities, workspace, sizeof workspace));
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  int best = 0;
  for (int digit = 1; digit < 10; digit++)
    best = probabilities[digit] > probabilities[best] ? digit : best;
  printf("  %-10s  %d  (%.1f %%)  %.2f us a call\n", digits_variant(&context), best,
         100 * (double)probabilities[best], 1e6 * seconds / calls);
}

int main(int count, char **files) {
  digits_context context;
  check(digits_init(&context, NULL));
  printf("The variant for this CPU: %s\n", digits_variant(&context));
  for (int i = 1; i < count; i++) {
    float image[TEXT_ART_PIXELS];
    if (!text_art_load(files[i], image))
      return fprintf(stderr, "%s: cannot be read\n", files[i]), 1;
    printf("\n%s\n", files[i]);
    text_art_print(image);
    for (size_t v = 0; v < digits_variant_count(); v++)
      if (digits_variant_supported(v))
        classify(digits_variant_name(v), image);
  }
  return 0;
}
