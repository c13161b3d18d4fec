/* Counts how many of the labelled images in a file every supported variant gets right; fails below
 * 95 %. */
#include "digits.h"
#include "text_art.h"

static int classify(const digits_context *context, const float *image) {
  static unsigned char workspace[DIGITS_CLASSIFY_WORKSPACE_SIZE + 1];
  float probabilities[10];
  if (digits_classify(context, image, probabilities, workspace, sizeof workspace) != DIGITS_OK)
    return -1;
  int best = 0;
  for (int digit = 1; digit < 10; digit++)
    best = probabilities[digit] > probabilities[best] ? digit : best;
  return best;
}

static int enough_right(const char *variant, const char *path) {
  digits_options options = {sizeof options, variant, NULL};
  digits_context context;
  if (digits_init(&context, &options) != DIGITS_OK)
    return 0;
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  int images = 0, right = 0, digit;
  float image[TEXT_ART_PIXELS];
  while (fscanf(file, "digit %d", &digit) == 1 && fgetc(file) == '\n' &&
         text_art_read(file, image)) {
    images++;
    right += classify(&context, image) == digit;
  }
  int complete = feof(file);
  fclose(file);
  printf("%s: %d of %d images are right\n", variant, right, images);
  return complete && images >= 200 && right * 100 >= images * 95;
}

int main(int count, char **arguments) {
  int tested = 0, failed = count != 2;
  for (size_t v = 0; v < digits_variant_count() && !failed; v++)
    if (digits_variant_supported(v)) {
      tested++;
      failed |= !enough_right(digits_variant_name(v), arguments[1]);
    }
  return failed || !tested;
}
