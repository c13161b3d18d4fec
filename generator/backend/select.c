/* Every required feature must be present. */
static int kgenrt_supported(const struct kgenrt_machine *machine,
                            const struct kgenrt_feature *features, const struct kgenrt_cpu *cpu,
                            const struct kgenrt_variant *variant) {
  (void)machine;
  (void)features;
  for (size_t i = 0; i < variant->required_count; ++i) {
    uint8_t f = variant->required[i];
    if (f >= kgenrt_max_features || !((cpu->present >> f) & 1))
      return 0;
  }
  return 1;
}

/* `wanted` pins a variant; NULL or "" leaves the choice to the CPU. */
static enum kgenrt_choice kgenrt_select(const struct kgenrt_machine *machine,
                                        const struct kgenrt_feature *features,
                                        const struct kgenrt_cpu *cpu,
                                        const struct kgenrt_variant *variants, size_t count,
                                        const char *wanted, size_t *index) {
  int any = wanted == NULL || *wanted == 0;
  for (*index = 0; *index < count; ++*index)
    if (any || kgenrt_same(variants[*index].name, wanted)) {
      if (kgenrt_supported(machine, features, cpu, &variants[*index]))
        return kgenrt_chosen;
      if (!any)
        return kgenrt_unsupported_name;
    }
  return any ? kgenrt_nothing_fits : kgenrt_unknown_name;
}
