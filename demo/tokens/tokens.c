/* Says words one after the other, and says them once more by reading all words before each of them
 * again: tokens [WORDS [PROMPT]] */
#include "gpt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { context = 1024, columns = 10, memorable = 16 };

typedef struct {
  gpt_context library;
  void *state; /* what is kept of the words so far */
  void *workspace;
  size_t workspace_size, vocabulary;
  float *logits; /* of each word of the vocabulary, to be the next one */
} speaker;

static void check(gpt_status status) {
  if (status == GPT_OK)
    return;
  fprintf(stderr, "gpt: %s\n", gpt_status_string(status));
  exit(1);
}

static void *memory(size_t bytes) {
  void *block = aligned_alloc(GPT_STATE_ALIGNMENT, (bytes + 127) / 64 * 64);
  if (!block)
    fputs("tokens: there is not enough memory\n", stderr), exit(1);
  return block;
}

static speaker open_speaker(void) {
  speaker s;
  size_t step;
  check(gpt_init(&s.library, NULL));
  s.state = memory(GPT_STATE_SIZE);
  s.workspace_size = gpt_prefill_workspace_size(&s.library, context);
  step = gpt_step_workspace_size(&s.library);
  s.workspace_size = step > s.workspace_size ? step : s.workspace_size;
  s.workspace = memory(s.workspace_size);
  s.vocabulary = gpt_function_info(1)->outputs[0].bytes / sizeof(float);
  s.logits = (float *)memory(s.vocabulary * sizeof(float));
  return s;
}

/* Forgets everything. */
static void begin(speaker *s) { check(gpt_state_init(&s->library, s->state, GPT_STATE_SIZE)); }

static int is_recent(const int64_t *text, size_t count, size_t word) {
  for (size_t i = count; i-- > 0 && count - i <= memorable;)
    if (text[i] == (int64_t)word)
      return 1;
  return 0;
}

/* The most probable word after the text that is none of the last ones. */
static int64_t next_word(const speaker *s, const int64_t *text, size_t count) {
  size_t best = s->vocabulary;
  for (size_t i = 0; i < s->vocabulary; i++)
    if ((best == s->vocabulary || s->logits[i] > s->logits[best]) && !is_recent(text, count, i))
      best = i;
  return (int64_t)best;
}

/* Reads all of the text after what is kept. */
static void prefill(speaker *s, const int64_t *text, size_t count) {
  check(gpt_prefill(&s->library, count, text, s->state, GPT_STATE_SIZE, s->logits, s->workspace,
                    s->workspace_size));
}

/* Reads one more word. */
static void step(speaker *s, int64_t word) {
  check(gpt_step(&s->library, &word, s->state, GPT_STATE_SIZE, s->logits, s->workspace,
                 s->workspace_size));
}

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* How far the logits are from others, of the largest of these. */
static double distance(const speaker *s, const float *others) {
  double most = 0, largest = 0;
  for (size_t i = 0; i < s->vocabulary; i++) {
    double d = fabs((double)s->logits[i] - (double)others[i]);
    most = d <= most ? most : d; /* NaN counts */
    largest = fmax(largest, fabs((double)others[i]));
  }
  return most / largest;
}

/* The words after the prompt, as they come; their logits are kept in `said`. Returns the tokens a
 * second, without the reading of the prompt. */
static double speak(speaker *s, int64_t *text, size_t prompt, size_t words, float *said) {
  begin(s);
  double start = seconds();
  prefill(s, text, prompt);
  printf("%zu words read in %.3f s\n", prompt, seconds() - start);
  start = seconds();
  for (size_t i = 0; i < words; i++) {
    if (i)
      step(s, text[prompt + i - 1]);
    memcpy(said + i * s->vocabulary, s->logits, s->vocabulary * sizeof *said);
    text[prompt + i] = next_word(s, text, prompt + i);
    printf("%7d", (int)text[prompt + i]);
    if ((i + 1) % columns == 0 || i + 1 == words)
      printf("   %.1f tokens a second\n", (double)i / (seconds() - start));
    fflush(stdout);
  }
  return (double)(words - 1) / (seconds() - start);
}

/* Reads the prompt and all words before each word again. Returns how many words are the same. */
static size_t recompute(speaker *s, const int64_t *text, size_t prompt, size_t words,
                        const float *said, double *farthest) {
  size_t same = 0;
  *farthest = 0;
  for (size_t i = 0; i < words; i++) {
    begin(s);
    prefill(s, text, prompt + i);
    same += next_word(s, text, prompt + i) == text[prompt + i];
    double d = distance(s, said + i * s->vocabulary);
    *farthest = d <= *farthest ? *farthest : d;
  }
  return same;
}

int main(int count, char **arguments) {
  size_t words = count > 1 ? (size_t)atoi(arguments[1]) : 32;
  size_t prompt = count > 2 ? (size_t)atoi(arguments[2]) : 8;
  static int64_t text[context];
  if (words < 1 || prompt < 1 || words > context || prompt > context - words)
    return fprintf(stderr, "tokens [WORDS [PROMPT]]: from 1 on, together at most %d\n", context), 2;
  speaker s = open_speaker();
  float *said = (float *)memory(words * s.vocabulary * sizeof *said);
  double farthest;
  for (size_t i = 0; i < prompt; i++)
    text[i] = (int64_t)((i + 1) * 2654435761u % s.vocabulary);
  double rate = speak(&s, text, prompt, words, said), start = seconds();
  size_t same = recompute(&s, text, prompt, words, said, &farthest);
  printf("%.1f tokens a second with state, %.1f by reading all words again\n", rate,
         (double)words / (seconds() - start));
  printf("%zu of %zu tokens are the same; logits differ by %.1e of the largest at most\n", same,
         words, farthest);
  return same == words && farthest <= 1e-5 ? 0 : 1;
}
