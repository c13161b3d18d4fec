/* WAV files of 16-bit samples and one channel at 16 kHz: finds the samples in the bytes of a file.
 */
#ifndef WAV_H
#define WAV_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WAV_RATE = 16000 };

typedef struct wav {
  const unsigned char *samples; /* two bytes each, the low one first */
  size_t count;
} wav;

static inline uint32_t wav_number(const unsigned char *bytes, int size) {
  uint32_t number = 0;
  while (size-- > 0)
    number = number << 8 | bytes[size];
  return number;
}

static inline float wav_sample(const wav *sound, size_t i) {
  int value = (int)wav_number(sound->samples + 2 * i, 2);
  return (float)(value < 32768 ? value : value - 65536) / 32768.0f;
}

/* What is wrong with a "fmt " chunk, or NULL. */
static inline const char *wav_check_format(const unsigned char *chunk, size_t size) {
  if (size < 16)
    return "its fmt chunk is shorter than 16 bytes";
  if (wav_number(chunk, 2) != 1 || wav_number(chunk + 14, 2) != 16)
    return "expected PCM samples of 16 bits";
  if (wav_number(chunk + 2, 2) != 1)
    return "expected one channel";
  return wav_number(chunk + 4, 4) == WAV_RATE ? NULL : "expected 16000 samples a second";
}

/* What is wrong with the file, or NULL. A chunk is a name of four bytes, a size, and so many bytes,
 * an even number in the file. */
static inline const char *wav_parse(const unsigned char *bytes, size_t size, wav *sound) {
  if (size < 12 || memcmp(bytes, "RIFF", 4) || memcmp(bytes + 8, "WAVE", 4))
    return "not a WAV file";
  const char *problem = "it has no fmt chunk before its samples";
  for (size_t at = 12; size - at >= 8;) {
    const unsigned char *name = bytes + at, *chunk = name + 8;
    size_t length = wav_number(name + 4, 4), rest = size - at - 8;
    if (length > rest)
      return "it ends within a chunk";
    if (!memcmp(name, "fmt ", 4) && (problem = wav_check_format(chunk, length)))
      return problem;
    if (!memcmp(name, "data", 4)) {
      *sound = (wav){chunk, length / 2};
      return !problem && length % 2 ? "it ends within a sample" : problem;
    }
    at += 8 + length + (length % 2 && length < rest);
  }
  return problem ? problem : "it has no samples";
}

#endif
