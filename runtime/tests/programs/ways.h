/* How the test programs find driver functions: WAY 1 by linked name, 2 by dlsym, 3 by cuGetProcAddress (CUDA 11.3),
 * 4 by cuGetProcAddress_v2 (CUDA 12), which is asked for through itself first, as the CUDA runtime does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long ptr_t;
typedef int (*proc_1)(const char *, void **, int, unsigned long long);
typedef int (*proc_2)(const char *, void **, int, unsigned long long, int *);

static void *must(void *found, const char *name) {
    if (!found) { fprintf(stderr, "%s not found\n", name); exit(99); }
    return found;
}

#if WAY == 1
#define DRIVER(result, name, base, arguments) result name arguments;
#else
#define DRIVER(result, name, base, arguments) static result (*name) arguments;
#endif
#define FUNCTIONS \
    DRIVER(int, cuInit, "cuInit", (unsigned)) \
    DRIVER(int, cuMemAlloc_v2, "cuMemAlloc", (ptr_t *, size_t)) \
    DRIVER(int, cuMemAllocPitch_v2, "cuMemAllocPitch", (ptr_t *, size_t *, size_t, size_t, unsigned)) \
    DRIVER(int, cuMemAllocManaged, "cuMemAllocManaged", (ptr_t *, size_t, unsigned)) \
    DRIVER(int, cuMemAllocAsync, "cuMemAllocAsync", (ptr_t *, size_t, void *)) \
    DRIVER(int, cuMemFree_v2, "cuMemFree", (ptr_t)) \
    DRIVER(int, cuMemFreeAsync, "cuMemFreeAsync", (ptr_t, void *)) \
    DRIVER(int, cuArray3DCreate_v2, "cuArray3DCreate", (ptr_t *, const void *)) \
    DRIVER(int, cuArrayDestroy, "cuArrayDestroy", (ptr_t)) \
    DRIVER(int, cuMemCreate, "cuMemCreate", (ptr_t *, size_t, const void *, unsigned long long)) \
    DRIVER(int, cuMemRelease, "cuMemRelease", (ptr_t)) \
    DRIVER(int, cuMemMap, "cuMemMap", (ptr_t, size_t, size_t, ptr_t, unsigned long long)) \
    DRIVER(int, cuMemUnmap, "cuMemUnmap", (ptr_t, size_t)) \
    DRIVER(int, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **, int)) \
    DRIVER(int, cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", (int)) \
    DRIVER(int, cuModuleGetFunction, "cuModuleGetFunction", (void **, void *, const char *)) \
    DRIVER(int, cuLaunchKernel, "cuLaunchKernel", (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **)) \
    DRIVER(int, cuLaunchKernelEx, "cuLaunchKernelEx", (const void *, void *, void **, void **))
FUNCTIONS
#undef DRIVER

static void *fake_driver(void) { return must(dlopen("libcuda.so.1", RTLD_NOW), "libcuda.so.1"); }

static void find_driver(void) {
#if WAY == 2
#define DRIVER(result, name, base, arguments) name = must(dlsym(fake_driver(), #name), #name);
    FUNCTIONS
#elif WAY == 3
    proc_1 ask = must(dlsym(fake_driver(), "cuGetProcAddress"), "cuGetProcAddress");
#define DRIVER(result, name, base, arguments) ask(base, (void **)&name, 11080, 0); must(name, base);
    FUNCTIONS
#elif WAY == 4
    proc_2 first = must(dlsym(fake_driver(), "cuGetProcAddress_v2"), "cuGetProcAddress_v2"), ask = 0;
    first("cuGetProcAddress", (void **)&ask, 13000, 0, 0);
    must(ask, "cuGetProcAddress through itself");
#define DRIVER(result, name, base, arguments) ask(base, (void **)&name, 13000, 0, 0); must(name, base);
    FUNCTIONS
#endif
}
