/* The static functions of RISC-V's runtime for tests in C++; the feature table is the whole of its
 * cpu_features.def. In the namespace of its own, because x86-64's has the same names. */
#ifndef RISCV_ACCESS_H
#define RISCV_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a made-up system answers. */
struct riscv_system {
  uint64_t hwcap;
  int probes; /* 0: an old kernel, without the call */
  uint64_t extensions, vector_bytes;
  int asked; /* how often for the length of registers */
};

size_t riscv_feature_count(void);
const char *riscv_feature_name(size_t index);
/* One bit for each row of the table. */
uint64_t riscv_detect(struct riscv_system *system);
/* Of three variants, which require zvl256b, v and neither: the chosen one's name, or "none". */
const char *riscv_select(struct riscv_system *system, const char *wanted);

#ifdef __cplusplus
}
#endif

#endif
