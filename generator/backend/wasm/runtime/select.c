#include "runtime.h"
/* What features the variant needs: the engine has checked that it has them. */
static void kgenrt_detect_host(struct kgenrt_cpu *cpu) { cpu->unused = 0; }

static int kgenrt_supported(const struct kgenrt_machine *machine,
                            const struct kgenrt_feature *features, const struct kgenrt_cpu *cpu,
                            const struct kgenrt_variant *variant) {
  (void)machine;
  (void)features;
  (void)cpu;
  (void)variant;
  return 1;
}

/* `wanted` names a variant; NULL or "" stands for the only one. */
static enum kgenrt_choice kgenrt_select(const struct kgenrt_machine *machine,
                                        const struct kgenrt_feature *features,
                                        const struct kgenrt_cpu *cpu,
                                        const struct kgenrt_variant *variants, size_t count,
                                        const char *wanted, size_t *index) {
  (void)machine;
  (void)features;
  (void)cpu;
  for (*index = 0; *index < count; ++*index)
    if (wanted == NULL || *wanted == 0 || kgenrt_same(variants[*index].name, wanted))
      return kgenrt_chosen;
  return kgenrt_unknown_name;
}
