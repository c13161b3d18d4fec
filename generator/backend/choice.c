/* The choice of a variant for a CPU: the first of the list (the best rank) that the CPU supports,
 * or the one asked for. */

enum kgenrt_choice {
  kgenrt_chosen,
  kgenrt_unknown_name,
  kgenrt_unsupported_name,
  kgenrt_nothing_fits
};

static int kgenrt_same(const char *a, const char *b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}
