/* What the page calls: an image in, ten probabilities out, at addresses that it asks for. */
#include "digits.h"

#define EXPORT(name) __attribute__((export_name(#name)))

static digits_context context;
static float pixels[16 * 16], results[10];
static unsigned char workspace[DIGITS_CLASSIFY_WORKSPACE_SIZE + 1]; /* the size may be 0 */

EXPORT(image) float *image(void) { return pixels; }
EXPORT(probabilities) float *probabilities(void) { return results; }

/* Both return 0, or a digits_status. */
EXPORT(init) int init(void) { return (int)digits_init(&context, NULL); }
EXPORT(classify) int classify(void) {
  return (int)digits_classify(&context, pixels, results, workspace, sizeof workspace);
}
