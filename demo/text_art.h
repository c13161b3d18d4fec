/* Images of 16x16 grey pixels as text: ten characters from empty to full ink; lines may end early.
 */
#ifndef TEXT_ART_H
#define TEXT_ART_H

#include <stdio.h>
#include <string.h>

enum { TEXT_ART_SIDE = 16, TEXT_ART_PIXELS = TEXT_ART_SIDE * TEXT_ART_SIDE };
static const char text_art_levels[] = " .:-=+*#%@";

/* Reads 16 lines; 0 at an early end of the file or at a character that is not a level. */
static int text_art_read(FILE *file, float image[TEXT_ART_PIXELS]) {
  memset(image, 0, TEXT_ART_PIXELS * sizeof *image);
  for (int row = 0; row < TEXT_ART_SIDE; row++) {
    char line[TEXT_ART_SIDE + 2];
    if (!fgets(line, sizeof line, file))
      return 0;
    size_t length = strcspn(line, "\n");
    if (length > TEXT_ART_SIDE)
      return 0;
    for (size_t column = 0; column < length; column++) {
      const char *level = strchr(text_art_levels, line[column]);
      if (!level)
        return 0;
      image[row * TEXT_ART_SIDE + (int)column] = (float)(level - text_art_levels) / 9.0f;
    }
  }
  return 1;
}

/* The same from the file with this name. */
static inline int text_art_load(const char *path, float image[TEXT_ART_PIXELS]) {
  FILE *file = fopen(path, "r");
  int done = file && text_art_read(file, image);
  if (file)
    fclose(file);
  return done;
}

/* Two characters a pixel, because characters are twice as high as wide. */
static inline void text_art_print(const float image[TEXT_ART_PIXELS]) {
  for (int row = 0; row < TEXT_ART_SIDE; row++) {
    for (int column = 0; column < TEXT_ART_SIDE; column++) {
      char c = text_art_levels[(int)(image[row * TEXT_ART_SIDE + column] * 9.0f + 0.5f)];
      printf("%c%c", c, c);
    }
    putchar('\n');
  }
}

#endif
