/* What the memory of a card would do for the accesses of warps: lanes that are at the same place of
 * the code for the same time are one access. */
#include "cuda_threads.h"

#include <stdlib.h>
#include <string.h>

enum { lanes = 32, banks = 32, sector = 32, most_accesses = 1 << 16 };

struct access {
  int place, time, bytes, is_written, is_shared, count; /* count 0: free */
  unsigned warp;
  uintptr_t addresses[lanes]; /* 0: not of this lane */
};
static struct access *accesses;
static int *times; /* of each thread at each place */
static unsigned thread_count;
static int place_count;

/* The number of different ones; those that are equal to an earlier one do not count. */
static int different(const uintptr_t *numbers, int count) {
  int result = 0;
  for (int i = 0; i < count; ++i) {
    int is_first = 1;
    for (int k = 0; k < i; ++k)
      is_first &= numbers[k] != numbers[i];
    result += is_first;
  }
  return result;
}

/* Cycles for the words of some lanes: those of one bank come one after the other, but for equal
 * ones. */
static int bank_cycles(const struct access *access, int first, int end, int *least) {
  uintptr_t words[lanes];
  int most = 0, any = 0;
  for (unsigned bank = 0; bank < banks; ++bank) {
    int count = 0;
    for (int lane = first; lane < end; ++lane)
      for (int byte = 0; access->addresses[lane] != 0 && byte < access->bytes; byte += 4) {
        const uintptr_t word = (access->addresses[lane] + (unsigned)byte) / 4;
        if (word % banks == bank)
          words[count++] = word;
      }
    const int cycles = different(words, count);
    any |= count != 0;
    most = cycles > most ? cycles : most;
  }
  *least += any;
  return most;
}

/* 32 banks of 4 bytes: wide accesses are made for fewer lanes at a time. */
static void end_shared(const struct access *access) {
  const int together = access->bytes > 8 ? lanes / 4 : access->bytes > 4 ? lanes / 2 : lanes;
  int least = 0;
  for (int lane = 0; lane < lanes; lane += together)
    cuda_counts.shared_cycles += bank_cycles(access, lane, lane + together, &least);
  cuda_counts.shared_least += least;
  ++cuda_counts.shared_accesses;
}

static void end_global(const struct access *access) {
  uintptr_t sectors[2 * lanes];
  int count = 0;
  for (int lane = 0; lane < lanes; ++lane)
    if (access->addresses[lane] != 0) {
      sectors[count++] = access->addresses[lane] / sector;
      sectors[count++] = (access->addresses[lane] + (unsigned)access->bytes - 1) / sector;
    }
  *(access->is_written ? &cuda_counts.sectors_written : &cuda_counts.sectors_read) +=
      different(sectors, count);
  cuda_counts.global_bytes += (long)access->count * access->bytes;
  ++cuda_counts.global_accesses;
}

static void end_access(struct access *access) {
  if (access->count == 0)
    return;
  if (access->is_shared)
    end_shared(access);
  else
    end_global(access);
  memset(access, 0, sizeof *access);
}

void cuda_begin_counts(unsigned threads, int places) {
  thread_count = threads;
  place_count = places + 1;
  times = calloc((size_t)threads * (size_t)place_count, sizeof *times);
  accesses = calloc(most_accesses, sizeof *accesses);
}

void cuda_end_counts(void) {
  for (int i = 0; i < most_accesses; ++i)
    end_access(&accesses[i]);
  free(accesses);
  free(times);
}

/* Accesses are found by a hash; where another one has the place, that one ends early. */
void cuda_count(uintptr_t address, int bytes, int is_written, int place, unsigned thread,
                int is_shared) {
  const int time = times[thread * (unsigned)place_count + (unsigned)place]++;
  const unsigned warp = thread / lanes;
  const unsigned hash =
      ((unsigned)place * 2654435761u + (unsigned)time) * 2246822519u + warp * 3266489917u;
  struct access *access = &accesses[(hash >> 7) % most_accesses];
  if (access->count != 0 &&
      (access->place != place || access->time != time || access->warp != warp))
    end_access(access);
  access->place = place;
  access->time = time;
  access->warp = warp;
  access->bytes = bytes;
  access->is_written = is_written;
  access->is_shared = is_shared;
  access->addresses[thread % lanes] = address;
  ++access->count;
  const unsigned size = thread_count - warp * lanes;
  if (access->count == (int)(size < lanes ? size : lanes))
    end_access(access);
}
