/* The static functions of AArch64's runtime for tests in C++; the feature table is the whole of
 * its cpu_features.def. In the namespace of its own, because x86-64's has the same names. */
#ifndef AARCH64_ACCESS_H
#define AARCH64_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a made-up system answers; null: it has no answers of this kind. */
struct aarch64_system {
  const uint64_t *words; /* AT_HWCAP and AT_HWCAP2 */
  const char *const *names;
  size_t name_count;
};

size_t aarch64_feature_count(void);
const char *aarch64_feature_name(size_t index);
/* One bit for each row of the table. */
uint64_t aarch64_detect(const struct aarch64_system *system);

/* kgenrt_choice's values, by which selection answers for a list of two variants: `best`, which
 * requires neon and the features of `mask`, and `least`, which requires neon. */
enum { aarch64_chosen, aarch64_unknown_name, aarch64_unsupported_name, aarch64_nothing_fits };
int aarch64_select(const struct aarch64_system *system, uint64_t mask, const char *wanted,
                   size_t *index);

#ifdef __cplusplus
}
#endif

#endif
