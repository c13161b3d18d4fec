/* Draws when somebody speaks in a recording: voice RECORDING.wav [PICTURE.svg] */
#include "vad.h"
#include "wav.h"

#include <stdio.h>
#include <stdlib.h>

/* The network gets 512 new samples, 32 ms, after the last 64 samples of the window before. */
enum { rate = WAV_RATE, window = 512, before = 64, max_windows = 1 << 15, columns = 80 };
/* Speech has a probability of one half; pauses below 0.26 s are part of it, and what is below 0.1 s
 * is none. */
static const float threshold = 0.5f;
enum { min_pause = 8, min_speech = 3 };

typedef struct span {
  size_t begin, end; /* windows */
} span;

static unsigned char bytes[2 * max_windows * window];
static float probabilities[max_windows];
static span spans[max_windows];

static double seconds(size_t windows) { return (double)(windows * window) / (double)rate; }

static int fail(const char *subject, const char *problem) {
  fprintf(stderr, "%s: %s\n", subject, problem);
  return 1;
}

/* What can be drawn: between 0 and 1, and NaN as 0. */
static float clamped(float p) { return p > 0 ? (p < 1 ? p : 1) : 0; }

static vad_status listen(const wav *sound, size_t windows) {
  static unsigned char workspace[VAD_RUN_WORKSPACE_SIZE + 1];
  /* What the network remembers of the windows before, in one block that its library keeps. */
  static _Alignas(VAD_STATE_ALIGNMENT) unsigned char state[VAD_STATE_SIZE];
  static float input[before + window];
  vad_context context;
  vad_status status = vad_init(&context, NULL);
  if (status == VAD_OK)
    status = vad_state_init(&context, state, sizeof state);
  for (size_t w = 0; w < windows && status == VAD_OK; w++) {
    memmove(input, input + window, before * sizeof *input);
    for (size_t i = 0; i < window; i++)
      input[before + i] = w * window + i < sound->count ? wav_sample(sound, w * window + i) : 0;
    status = vad_run(&context, input, state, sizeof state, &probabilities[w], workspace,
                     sizeof workspace);
  }
  return status;
}

static size_t find_spans(size_t windows) {
  size_t found = 0;
  for (size_t w = 0; w < windows; w++) {
    if (!(probabilities[w] >= threshold))
      continue;
    if (found && w - spans[found - 1].end < min_pause) {
      spans[found - 1].end = w + 1;
      continue;
    }
    if (found && spans[found - 1].end - spans[found - 1].begin < min_speech)
      found--;
    spans[found++] = (span){w, w + 1};
  }
  return found - (found && spans[found - 1].end - spans[found - 1].begin < min_speech);
}

static void print_text(size_t windows, size_t found) {
  static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  for (size_t w = 0; w < windows; w++) {
    if (w % columns == 0)
      printf("%s%7.2f s |", w ? "|\n" : "", seconds(w));
    printf("%s", blocks[(int)(clamped(probabilities[w]) * 8 + 0.5f)]);
  }
  printf("%s", windows ? "|\n" : "");
  for (size_t i = 0; i < found; i++)
    printf("speech %.3f s to %.3f s\n", seconds(spans[i].begin), seconds(spans[i].end));
  if (!found)
    puts("no speech");
}

/* Two units a window, 100 units from improbable to certain; what was found is shaded. */
static int write_svg(const char *path, size_t windows, size_t found) {
  FILE *file = fopen(path, "w");
  if (!file)
    return 0;
  size_t width = 2 * (windows ? windows : 1);
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-44 -6 %zu 138\" "
          "font-family=\"sans-serif\" font-size=\"8\">\n",
          width + 52);
  fputs("<style>@media (prefers-color-scheme: dark) { .page { fill: #16191d; } text { fill: "
        "#dfe3e8; } "
        ".speech { fill: #27405c; } .line { stroke: #6ea8e8; } }</style>\n",
        file);
  fprintf(file,
          "<title>Probability of speech</title>\n<rect class=\"page\" x=\"-44\" y=\"-6\" "
          "width=\"%zu\" height=\"138\" fill=\"white\"/>\n",
          width + 52);
  for (size_t i = 0; i < found; i++)
    fprintf(file,
            "<rect class=\"speech\" x=\"%zu\" y=\"0\" width=\"%zu\" height=\"100\" "
            "fill=\"#cfe3f7\"/>\n",
            2 * spans[i].begin, 2 * (spans[i].end - spans[i].begin));
  fprintf(file,
          "<path d=\"M0,0H%zuM0,50H%zuM0,100H%zu\" stroke=\"#999999\" stroke-width=\"0.5\"/>\n",
          width, width, width);
  for (int percent = 0; percent <= 100; percent += 50)
    fprintf(file, "<text class=\"percent\" x=\"-4\" y=\"%d\" text-anchor=\"end\">%d %%</text>\n",
            103 - percent, percent);
  fprintf(file,
          "<text class=\"word\" transform=\"translate(-34 50) rotate(-90)\" "
          "text-anchor=\"middle\">probability of speech</text>\n"
          "<text class=\"word\" x=\"%zu\" y=\"124\" text-anchor=\"middle\">time</text>\n",
          width / 2);
  for (size_t s = 0; s * rate <= windows * window; s++)
    fprintf(file,
            "<text class=\"second\" x=\"%.2f\" y=\"112\" text-anchor=\"middle\">%zu s</text>\n",
            2.0 * (double)(s * rate) / (double)window, s);
  fputs("<polyline class=\"line\" fill=\"none\" stroke=\"#1f5fa8\" points=\"", file);
  for (size_t w = 0; w < windows; w++)
    fprintf(file, "%s%zu,%.2f", w ? " " : "", 2 * w + 1,
            100 - 100 * (double)clamped(probabilities[w]));
  fputs("\"/>\n</svg>\n", file);
  int good = !ferror(file);
  return fclose(file) == 0 && good;
}

int main(int count, char **arguments) {
  if (count < 2 || count > 3)
    return fail("usage", "voice RECORDING.wav [PICTURE.svg]"), 2;
  FILE *file = fopen(arguments[1], "rb");
  if (!file)
    return fail(arguments[1], "cannot be opened");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  int unread = ferror(file) || !feof(file);
  fclose(file);
  if (unread)
    return fail(arguments[1], "cannot be read, or is longer than 17 minutes");
  wav sound;
  const char *problem = wav_parse(bytes, size, &sound);
  if (problem)
    return fail(arguments[1], problem);
  size_t windows = (sound.count + window - 1) / window;
  vad_status status = listen(&sound, windows);
  if (status != VAD_OK)
    return fail("vad", vad_status_string(status));
  size_t found = find_spans(windows);
  print_text(windows, found);
  if (count == 3 && !write_svg(arguments[2], windows, found))
    return fail(arguments[2], "cannot be written");
  return 0;
}
