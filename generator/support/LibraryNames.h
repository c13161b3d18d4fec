// The names that every generated library defines: a spec must not use them. A test compares them
// with the header.
#pragma once

namespace kgen {

/// Words that follow "<library>_".
inline constexpr const char *libraryWords[] = {
    "call", "context", "executor", "function", "function_count", "function_info", "init", "options",
    "status", "status_string", "tensor", "type", "variant", "variant_count", "variant_name",
    "variant_supported",
    // reserved by the design of the C library; not defined yet
    "abi", "weights"};

/// Words that follow "<LIBRARY>_"; besides them "TYPE_" and an element type's name.
inline constexpr const char *libraryMacroWords[] = {"H",
                                                    "VARIANT",
                                                    "VARIANT_COUNT",
                                                    "STACK_SIZE",
                                                    "NO_ENVIRONMENT",
                                                    "OK",
                                                    "NOT_INITIALIZED",
                                                    "NULL_POINTER",
                                                    "WORKSPACE_TOO_SMALL",
                                                    "UNSUPPORTED_CPU",
                                                    "UNKNOWN_VARIANT",
                                                    "UNSUPPORTED_VARIANT",
                                                    "BAD_OPTIONS",
                                                    "BAD_INDEX"};

/// Words that follow "<library>_" where functions take sizes, and "<LIBRARY>_".
inline constexpr const char *sizedLibraryWords[] = {"dim", "function_shape",
                                                    "function_workspace_size"};
inline constexpr const char *sizedLibraryMacroWords[] = {"BAD_SIZE"};

/// Words that follow "<library>_" where there is state, and "<LIBRARY>_".
inline constexpr const char *stateLibraryWords[] = {"state_size",   "state_init",  "state_count",
                                                    "state_info",   "state_get",   "state_set",
                                                    "state_get_at", "state_set_at"};
inline constexpr const char *stateLibraryMacroWords[] = {"STATE_SIZE", "STATE_ALIGNMENT",
                                                         "STATE_COUNT", "BAD_STATE", "STATE_FULL"};

/// Words that follow "<library>_" where there is code for graphics cards, and "<LIBRARY>_"; besides
/// them "GPU_" and a status.
inline constexpr const char *gpuLibraryWords[] = {
    "gpu",        "gpu_call",        "gpu_device_name", "gpu_error",   "gpu_finish",
    "gpu_init",   "gpu_memory_size", "gpu_options",     "gpu_pointer", "gpu_status",
    "gpu_target", "gpu_status_text", "gpu_wait"};
inline constexpr const char *gpuLibraryMacroWords[] = {"CUDA",     "GPU",           "GPU_H",
                                                       "GPU_SIZE", "GPU_ALIGNMENT", "VULKAN"};

} // namespace kgen
