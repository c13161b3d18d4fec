#include "runtime.h"
/* Every required feature must be present. AMX needs the operating system's permission besides,
 * which is asked for only when everything else fits. */
static int kgenrt_supported(const struct kgenrt_machine *machine,
                            const struct kgenrt_feature *features, const struct kgenrt_cpu *cpu,
                            const struct kgenrt_variant *variant) {
  uint32_t state = 0;
  for (size_t i = 0; i < variant->required_count; ++i) {
    uint8_t f = variant->required[i];
    if (f >= kgenrt_max_features || !((cpu->present[f / 64] >> (f % 64)) & 1))
      return 0;
    state |= features[f].os_state;
  }
  return !(state & kgenrt_amx_state) || machine->request_amx(machine->user);
}

#if KGENRT_MODELS
static int kgenrt_has_model(const struct kgenrt_cpu *cpu, const struct kgenrt_variant *variant) {
  for (size_t i = 0; i < variant->model_count; ++i)
    if (variant->models[i] == cpu->model)
      return 1;
  return variant->model_count == 0;
}

#endif
static int kgenrt_preferred(const struct kgenrt_cpu *cpu, const struct kgenrt_variant *variant) {
  if (variant->vendor == NULL)
    return 1;
  if (!kgenrt_same(variant->vendor, cpu->vendor))
    return 0;
#if KGENRT_MODELS
  if (!kgenrt_has_model(cpu, variant))
    return 0;
#endif
  for (size_t i = 0; i < variant->family_count; ++i)
    if (variant->families[i] == cpu->family)
      return 1;
  return variant->family_count == 0;
}

/* `wanted` pins a variant; NULL or "" leaves the choice to the CPU. A variant made for other CPUs
 * is taken where nothing else fits: it is correct everywhere its features are. */
static enum kgenrt_choice kgenrt_select(const struct kgenrt_machine *machine,
                                        const struct kgenrt_feature *features,
                                        const struct kgenrt_cpu *cpu,
                                        const struct kgenrt_variant *variants, size_t count,
                                        const char *wanted, size_t *index) {
  if (wanted != NULL && *wanted != 0) {
    for (*index = 0; *index < count; ++*index)
      if (kgenrt_same(variants[*index].name, wanted))
        return kgenrt_supported(machine, features, cpu, &variants[*index])
                   ? kgenrt_chosen
                   : kgenrt_unsupported_name;
    return kgenrt_unknown_name;
  }
  for (int preferred = 1; preferred >= 0; --preferred)
    for (*index = 0; *index < count; ++*index)
      if (kgenrt_preferred(cpu, &variants[*index]) == preferred &&
          kgenrt_supported(machine, features, cpu, &variants[*index]))
        return kgenrt_chosen;
  return kgenrt_nothing_fits;
}
