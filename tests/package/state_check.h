/* CHECK(x), in main: leaves it with 1, and says the line and `x`, where `x` is 0. */
#include <stdio.h>

#define CHECK(x)                                                                                   \
  do                                                                                               \
    if (!(x)) {                                                                                    \
      printf("line %d: %s\n", __LINE__, #x);                                                       \
      return 1;                                                                                    \
    }                                                                                              \
  while (0)
