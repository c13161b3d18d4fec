/* Encodes batches of sentences of 1 to 512 tokens: with as many rows as the longest of them has
   tokens, and, as a library of numbers would, filled up to 16 sentences of 512. Prints the time of
   a token, and draws it. */
#include "sentences.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { width = 128, max_batch = 16, max_length = 512, batches = 24 };

typedef struct {
  size_t batch, longest, tokens, lengths[max_batch];
  double exact, padded; /* seconds */
} measured;

static float x[max_batch * max_length * width], mask[max_batch * max_length];
static float y[max_batch * max_length * width], expected[max_batch * max_length * width];
static uint32_t state = 1; /* of random numbers */

/* A number below `limit`. */
static size_t below(size_t limit) {
  state = state * 1664525u + 1013904223u;
  return (size_t)(((uint64_t)(state >> 8) * limit) >> 24);
}

static void check(sentences_status status) {
  if (status == SENTENCES_OK)
    return;
  fprintf(stderr, "sentences: %s\n", sentences_status_string(status));
  exit(1);
}

/* Tokens are functions of their sentence and place: the same ones whatever fills the sentence up.
 */
static void fill(const measured *m, size_t batch, size_t length) {
  for (size_t s = 0; s < batch; s++)
    for (size_t t = 0; t < length; t++) {
      int is_token = s < m->batch && t < m->lengths[s];
      /* A sentence that is none has a token, too: a softmax needs a key. */
      mask[s * length + t] = is_token || (s >= m->batch && t == 0) ? 0.0f : -INFINITY;
      for (size_t i = 0; i < width; i++)
        x[(s * length + t) * width + i] =
            is_token ? sinf((float)((s + 1) * (i + 3) + t * (i % 7 + 1))) : 0.0f;
    }
}

/* The least time of `calls` calls. */
static double encode(const sentences_context *context, size_t batch, size_t length, int calls,
                     float *result) {
  size_t bytes = sentences_encode_workspace_size(context, batch, length);
  void *workspace = malloc(bytes ? bytes : 1);
  double best = 1e9;
  for (int call = 0; workspace && call < calls; call++) {
    clock_t start = clock();
    check(sentences_encode(context, batch, length, x, mask, result, workspace, bytes));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    best = seconds < best ? seconds : best;
  }
  if (!workspace)
    fputs("sentences: no memory for the workspace\n", stderr), exit(1);
  free(workspace);
  return best;
}

/* The greatest difference between the results of tokens with and without what fills them up. */
static float difference(const measured *m) {
  float most = 0;
  for (size_t s = 0; s < m->batch; s++)
    for (size_t t = 0; t < m->lengths[s]; t++)
      for (size_t i = 0; i < width; i++) {
        float d =
            fabsf(y[(s * m->longest + t) * width + i] - expected[(s * max_length + t) * width + i]);
        most = d <= most ? most : d; /* NaN counts */
      }
  return most;
}

static measured measure(const sentences_context *context, size_t batch, size_t limit) {
  measured m = {batch, 0, 0, {0}, 0, 0};
  for (size_t s = 0; s < batch; s++) {
    m.lengths[s] = 1 + below(limit);
    m.longest = m.lengths[s] > m.longest ? m.lengths[s] : m.longest;
    m.tokens += m.lengths[s];
  }
  fill(&m, batch, m.longest);
  m.exact = encode(context, batch, m.longest, 3, y);
  fill(&m, max_batch, max_length);
  m.padded = encode(context, max_batch, max_length, 1, expected);
  float d = difference(&m);
  if (!(d < 1e-3f))
    fprintf(stderr, "sentences: results of tokens differ by %g\n", (double)d), exit(1);
  return m;
}

static double per_token(double seconds, const measured *m) {
  return 1e6 * seconds / (double)m->tokens;
}

/* Where a number of tokens is from left to right: all of max_batch * max_length are 512 units. */
static double place(double tokens) { return 512 * log2(tokens) / log2(max_batch * max_length); }

/* Tokens of a batch from left to right, time of a token upwards, 100 units for each power of ten of
   microseconds; both axes are logarithmic. */
static void draw_points(FILE *file, const measured *m, const char *name, const char *color) {
  for (size_t i = 0; i < batches; i++) {
    double seconds = *name == 'p' ? m[i].padded : m[i].exact;
    double height = 100 * log10(fmax(per_token(seconds, &m[i]), 1));
    fprintf(file, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", name,
            place((double)m[i].tokens), 500 - height, color);
  }
}

static int write_svg(const char *path, const measured *m) {
  FILE *file = fopen(path, "w");
  if (!file)
    return 0;
  static const char *const times[] = {"1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms"};
  fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"600\" "
        "viewBox=\"-110 -40 660 600\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<style>@media (prefers-color-scheme: dark) { .page { fill: #16191d; } .axis { fill: "
        "#dfe3e8; "
        "} .exact { fill: #6ea8e8; } .padded { fill: #e58b76; } }</style>\n"
        "<title>Time of a token</title>\n<rect class=\"page\" x=\"-110\" y=\"-40\" width=\"660\" "
        "height=\"600\" fill=\"white\"/>\n",
        file);
  for (int power = 0; power <= 5; power++)
    fprintf(file,
            "<path d=\"M0,%dH520\" stroke=\"#999999\" stroke-width=\"0.5\"/>\n<text class=\"axis\" "
            "x=\"-8\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
            500 - 100 * power, 504 - 100 * power, times[power]);
  for (int tokens = 1; tokens <= max_batch * max_length; tokens *= 8)
    fprintf(file, "<text class=\"axis\" x=\"%.1f\" y=\"520\" text-anchor=\"middle\">%d</text>\n",
            place(tokens), tokens);
  fputs(
      "<text class=\"axis\" x=\"256\" y=\"545\" text-anchor=\"middle\">tokens of a batch</text>\n"
      "<text class=\"axis\" transform=\"translate(-85 250) rotate(-90)\" "
      "text-anchor=\"middle\">time of a token</text>\n"
      "<text class=\"exact\" x=\"256\" y=\"-18\" fill=\"#1f5fa8\">sizes of the call</text>\n"
      "<text class=\"padded\" x=\"376\" y=\"-18\" fill=\"#b3402a\">filled up to 16 x 512</text>\n",
      file);
  draw_points(file, m, "padded", "#b3402a");
  draw_points(file, m, "exact", "#1f5fa8");
  fputs("</svg>\n", file);
  int good = !ferror(file);
  return fclose(file) == 0 && good;
}

int main(int count, char **arguments) {
  static measured m[batches];
  if (count > 2)
    return fputs("usage: sentences [PICTURE.svg]\n", stderr), 2;
  sentences_context context;
  check(sentences_init(&context, NULL));
  printf("%s\n\n  sentences  longest  tokens  us a token  filled up to %d x %d\n",
         sentences_variant(&context), max_batch, max_length);
  double exact = 0, padded = 0;
  size_t tokens = 0;
  for (size_t i = 0; i < batches; i++) {
    size_t limit = (size_t)1 << (i % 10); /* up to 1, 2, 4, ... 512 tokens */
    m[i] = measure(&context, i == 0 ? 1 : 1 + below(max_batch), limit);
    printf("  %9zu  %7zu  %6zu  %10.2f  %10.2f\n", m[i].batch, m[i].longest, m[i].tokens,
           per_token(m[i].exact, &m[i]), per_token(m[i].padded, &m[i]));
    exact += m[i].exact, padded += m[i].padded, tokens += m[i].tokens;
  }
  printf("\nAll %zu tokens: %.2f us a token, filled up %.2f us: %.1f times as long.\n", tokens,
         1e6 * exact / (double)tokens, 1e6 * padded / (double)tokens, padded / exact);
  if (count == 2 && !write_svg(arguments[1], m))
    return fprintf(stderr, "%s: cannot be written\n", arguments[1]), 1;
  return 0;
}
