/* Runs the library of the tests on Vulkan: vulkan_user run | faults | statuses DRIVER. */
#include "gpu_user.h"
#include "vulkan_faults.h"

#include <dlfcn.h>
#include <stdlib.h>

static const struct vulkan_faults *faults;
static void run(void) {
  float first[30];
  CHECK(mygpu_gpu_target(&gpu) == NULL && mygpu_gpu_device_name(&gpu) == NULL);
  CHECK(mygpu_gpu_init(NULL, &gpu) == MYGPU_GPU_OK);
  CHECK(strcmp(mygpu_gpu_error(&gpu), "") == 0);
  printf("%s: %s\n", mygpu_gpu_target(&gpu), mygpu_gpu_device_name(&gpu));
  run_all();
  memcpy(first, y, sizeof y);
  const long created = faults->created();
  run_all();
  CHECK(memcmp(first, y, sizeof y) == 0);
  CHECK(faults->created() == created);
  refuse_calls();
  mygpu_gpu_finish(&gpu);
  mygpu_gpu_finish(&gpu);
  CHECK(faults->living() == 0);
  CHECK(mygpu_forward_gpu_run(&gpu, a, y) == MYGPU_GPU_NOT_INITIALIZED);
  CHECK(mygpu_gpu_target(&gpu) == NULL);
  CHECK(mygpu_gpu_memory_size("vulkan") == mygpu_gpu_memory_size(NULL));
  CHECK(mygpu_gpu_memory_size("vulkan") > 5242880 && mygpu_gpu_memory_size("other") == 0);
  faults->pretend("api_version", 1 << 22 | 1 << 12); /* what 1.2 has is an extension then */
  CHECK(mygpu_gpu_init(NULL, &gpu) == MYGPU_GPU_OK);
  run_all();
  mygpu_gpu_finish(&gpu);
  faults->reset();
  share_weights(faults->living, faults->fail_call, -2);
  faults->reset();
  static mygpu_gpu both[2]; /* two objects, one after the other */
  CHECK(mygpu_gpu_init(NULL, &both[0]) == MYGPU_GPU_OK);
  CHECK(mygpu_gpu_init(NULL, &both[1]) == MYGPU_GPU_OK);
  CHECK(mygpu_sampled_gpu_run(&both[1], sampled) == MYGPU_GPU_OK);
  mygpu_gpu_finish(&both[1]);
  CHECK(mygpu_sampled_gpu_run(&both[0], sampled) == MYGPU_GPU_OK);
  mygpu_gpu_finish(&both[0]);
  CHECK(faults->living() == 0);
}

static mygpu_gpu_status run_sampled(void) { return mygpu_sampled_gpu_run(&gpu, sampled); }

/* Each call of a run fails in its turn. */
static void fail_each_of(mygpu_gpu_status (*run)(void), int32_t result, mygpu_gpu_status wanted,
                         long calls) {
  long runs = 0;
  for (; runs < 50; ++runs) {
    faults->reset();
    CHECK(mygpu_gpu_init(NULL, &gpu) == MYGPU_GPU_OK);
    faults->fail_call(runs + 1, result);
    const mygpu_gpu_status status = run();
    if (status != MYGPU_GPU_OK) {
      CHECK(is(status, wanted, faults->failed()));
      faults->reset();
      if (wanted == MYGPU_GPU_LOST_DEVICE) {
        CHECK(is(run(), wanted, "VK_ERROR_DEVICE_LOST"));
        CHECK(faults->calls() == 0);
      } else {
        check_sampled();
        check_mixed();
      }
    }
    mygpu_gpu_finish(&gpu);
    CHECK(faults->living() == 0);
    if (status == MYGPU_GPU_OK)
      break;
  }
  CHECK(runs == calls);
}

/* Each call of init fails in its turn; then each call of two graphs' runs. */
static void fail_each(int32_t result, mygpu_gpu_status wanted) {
  long inits = 0;
  for (; inits < 200; ++inits) {
    faults->reset();
    faults->fail_call(inits + 1, result);
    const mygpu_gpu_status status = mygpu_gpu_init(NULL, &gpu);
    if (status == MYGPU_GPU_OK)
      break;
    CHECK(is(status, wanted, faults->failed()));
    CHECK(faults->living() == 0);
    CHECK(mygpu_gpu_target(&gpu) == NULL);
  }
  CHECK(inits > 40);
  mygpu_gpu_finish(&gpu);
  fail_each_of(run_sampled, result, wanted, 2);
  z[0] = 2;
  fail_each_of(run_mixed, result, wanted, 4);
  z[0] = -50;
  printf("%ld calls of init\n", inits);
}

static void refuse(const char *what, uint64_t value, mygpu_gpu_status wanted, const char *words) {
  faults->reset();
  faults->pretend(what, value);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), wanted, words));
  CHECK(faults->living() == 0);
}

static void refuse_features(void) {
  const mygpu_gpu_status lacks = MYGPU_GPU_LACKS_FEATURE;
  refuse("float16", 0, lacks, "no shaderFloat16");
  refuse("int8", 0, lacks, "no shaderInt8");
  refuse("storage8", 0, lacks, "no storageBuffer8BitAccess");
  refuse("storage16", 0, lacks, "no storageBuffer16BitAccess");
  refuse("specials32", 0, lacks, "no shaderSignedZeroInfNanPreserveFloat32");
  refuse("storage_buffer_range", 5242879, lacks,
         "maxStorageBufferRange is 5242879, needed are 5242880");
  refuse("stage_storage_buffers", 2, lacks, "maxPerStageDescriptorStorageBuffers is 2");
  refuse("stage_resources", 2, lacks, "maxPerStageResources is 2");
  refuse("set_storage_buffers", 2, lacks, "maxDescriptorSetStorageBuffers is 2");
  refuse("shared_bytes", 199, lacks, "maxComputeSharedMemorySize is 199, needed are 200");
  refuse("threads_of_block", 63, lacks, "maxComputeWorkGroupInvocations is 63, needed are 64");
  refuse("threads", 63, lacks, "maxComputeWorkGroupSize is 63, needed are 64");
  refuse("blocks", 130, lacks, "maxComputeWorkGroupCount is 130, needed are 131");
  refuse("storage_alignment", 512, lacks, "minStorageBufferOffsetAlignment is 512");
  refuse("allocation_size", 5242880, lacks, "maxMemoryAllocationSize is 5242880");
  refuse("queue_flags", 4, lacks, "no queue that computes");
  refuse("memory_types", 0, lacks, "no memory for buffers");
}

static void refuse_drivers(const char *driver) {
  faults->reset();
  setenv("MYGPU_VULKAN", "/no/such/driver.so", 1);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_NO_DRIVER, "/no/such/driver.so"));
  setenv("MYGPU_VULKAN", "libm.so.6", 1); /* a library, but no driver */
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_NO_DRIVER, "vkGetInstanceProcAddr"));
  setenv("MYGPU_VULKAN", driver, 1);
  faults->fail_function("vkCreateInstance", -9);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_NO_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER"));
  faults->fail_function("vkCreateDevice", -7);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_LACKS_FEATURE, "VK_ERROR_EXTENSION_NOT_PRESENT"));
  faults->fail_function("vkCreateDevice", -3);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_DRIVER_FAILED, "INITIALIZATION_FAILED (-3)"));
  faults->fail_function("vkCreateComputePipelines", -1000012000);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_DRIVER_FAILED, "product: vkCreateComputePipel"));
  CHECK(strstr(mygpu_gpu_error(&gpu), "(-1000012000)") != NULL);
  static const char *const hidden[] = {"vkEnumerateInstanceVersion",
                                       "vkCreateInstance",
                                       "vkGetPhysicalDeviceProperties2",
                                       "vkDestroyDevice",
                                       "vkCmdDispatch",
                                       "vkQueueWaitIdle"};
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; ++i) {
    faults->reset();
    faults->hide(hidden[i]);
    CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_OLD_DRIVER, hidden[i]));
    CHECK(faults->living() == 0);
  }
  refuse("instance_version", 1 << 22, MYGPU_GPU_OLD_DRIVER, "of Vulkan 1.0, needed is 1.1");
  refuse("api_version", 1 << 22, MYGPU_GPU_OLD_DRIVER, "Vulkan 1.0, needed is 1.1");
  refuse("devices", 0, MYGPU_GPU_NO_DEVICE, "0 devices");
}

static void refuse_arguments(void) {
  mygpu_gpu_options options = {sizeof options, NULL, 0, NULL, 0, 0, NULL};
  faults->reset();
  CHECK(mygpu_gpu_init(NULL, NULL) == MYGPU_GPU_NULL_POINTER);
  options.target = "tpu";
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_UNKNOWN_TARGET, "no target 'tpu'"));
  options.target = NULL;
  options.device = 2;
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_NO_DEVICE, "the driver has 1 devices"));
  options.device = 0;
  options.memory = 256;
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_BAD_OPTIONS, "for CUDA"));
  options.memory = 0;
  options.size = sizeof options + 8;
  struct {
    mygpu_gpu_options known;
    size_t more;
  } newer = {options, 1};
  CHECK(is(mygpu_gpu_init(&newer.known, &gpu), MYGPU_GPU_BAD_OPTIONS, "options"));
  options.size = 1;
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_BAD_OPTIONS, "options.size"));
  options.size = sizeof options;
  options.device = 1;
  options.target = "vulkan";
  setenv("MYGPU_GPU", "tpu", 1); /* options come first */
  CHECK(mygpu_gpu_init(&options, &gpu) == MYGPU_GPU_OK);
  check_forward();
  CHECK(mygpu_forward_gpu_run(&gpu, NULL, y) == MYGPU_GPU_NULL_POINTER);
  CHECK(mygpu_forward_gpu_run(&gpu, a, NULL) == MYGPU_GPU_NULL_POINTER);
  CHECK(mygpu_forward_gpu_run(NULL, a, y) == MYGPU_GPU_NOT_INITIALIZED);
  mygpu_gpu_finish(&gpu);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_UNKNOWN_TARGET, "no target 'tpu'"));
  unsetenv("MYGPU_GPU");
  mygpu_gpu_finish(NULL);
  for (int i = 0; i <= MYGPU_GPU_EXTERN_FAILED; ++i)
    CHECK(strcmp(mygpu_gpu_status_text((mygpu_gpu_status)i), "unknown status") != 0);
  CHECK(strcmp(mygpu_gpu_status_text((mygpu_gpu_status)99), "unknown status") == 0);
}

int main(int count, char **arguments) {
  if (count != 3)
    return 2;
  setenv("MYGPU_VULKAN", arguments[2], 1);
  void *driver = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
  faults = driver != NULL ? dlsym(driver, "kgen_vulkan_faults") : NULL;
  if (faults == NULL) {
    printf("%s\n", dlerror());
    return 2;
  }
  faults->reset();
  fill();
  if (strcmp(arguments[1], "run") == 0)
    run();
  if (strcmp(arguments[1], "faults") == 0) {
    fail_each(-2, MYGPU_GPU_OUT_OF_MEMORY);
    fail_each(-4, MYGPU_GPU_LOST_DEVICE);
  }
  if (strcmp(arguments[1], "statuses") == 0) {
    refuse_features();
    refuse_drivers(arguments[2]);
    refuse_arguments();
  }
  return problems != 0;
}
