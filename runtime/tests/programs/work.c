/* A CUDA program for tests: allocates, fails, frees, launches, and ends as its argument says. */
#include "ways.h"
#include <signal.h>
#include <sys/wait.h>

static void launch(void *function, unsigned grid, unsigned block, int expected) {
    if (cuLaunchKernel(function, grid, 3, 1, block, 1, 1, 16, 0, 0, 0) != expected) exit(90);
}

static void memory(void) {
    ptr_t large, small, rows, more, array;
    size_t pitch;
    struct { size_t w, h, d; unsigned format, channels, flags; } plan = {8, 4, 2, 0x20, 1, 0};
    if (cuMemAlloc_v2(&large, 3 << 20) || cuMemAlloc_v2(&small, 1000)) exit(91);
    if (cuMemAllocPitch_v2(&rows, &pitch, 100, 10, 4) || pitch != 512) exit(92);
    if (cuMemAlloc_v2(&more, 1ull << 40) != 2) exit(93);
    if (cuMemAlloc_v2(&more, 0) != 1) exit(94); /* a failure, but none of memory */
    if (cuMemFree_v2(large) || cuMemFree_v2(12345) != 1) exit(95);
    if (cuMemAllocManaged(&large, 5000, 1) || cuMemAllocAsync(&more, 600, 0)) exit(96);
    if (cuMemFreeAsync(more, 0) || cuMemFree_v2(0)) exit(97);
    if (cuArray3DCreate_v2(&array, &plan) || cuArrayDestroy(array)) exit(98);
}

static void virtual_memory(void) {
    ptr_t device, host;
    unsigned on_device[8] = {1, 0, 1}, on_host[8] = {1, 0, 2};
    cuMemCreate(&device, 2 << 20, on_device, 0);
    cuMemCreate(&host, 2 << 20, on_host, 0);
    cuMemMap(0x7000000, 2 << 20, 0, device, 0);
    cuMemRelease(device);
    ptr_t small;
    cuMemAlloc_v2(&small, 100);
    cuMemUnmap(0x7000000, 2 << 20);
}

static void fork_child(void) {
    ptr_t p;
    cuMemAlloc_v2(&p, 1000);
    if (!fork()) { cuMemAlloc_v2(&p, 2000); exit(0); }
    if (!fork()) exit(0); /* no CUDA call: no record */
    while (wait(0) > 0) {}
}

int main(int count, char **arguments) {
    const char *end = count > 1 ? arguments[1] : "";
    void *function, *context;
    struct { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; } config = {{7, 1, 1}, {32, 2, 1}, 0, 0, 0, 0};
    find_driver();
    if (!strcmp(end, "idle")) return 0;
    if (cuInit(0)) return 89;
    if (!strcmp(end, "fork")) { fork_child(); return 0; }
    if (!strcmp(end, "virtual")) { virtual_memory(); return 0; }
    cuDevicePrimaryCtxRetain(&context, 0);
    memory();
    cuModuleGetFunction(&function, 0, "_Z4workPf");
    for (int i = 0; i < 3; i++) launch(function, 2, 64, 0);
    launch(function, 1, 64, 0);
    launch(function, 1, 2048, 1);
    if (cuLaunchKernelEx(&config, function, 0, 0)) return 88;
    launch(((void *(*)(void))dlsym(fake_driver(), "fake_function"))(), 1, 1, 0);
    printf("driver saw %d\n", ((int (*)(void))dlsym(fake_driver(), "fake_allocations"))());
    fflush(stdout);
    if (!strcmp(end, "abort")) abort();
    if (!strcmp(end, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(end, "_exit")) _exit(3);
    if (!strcmp(end, "reset")) cuDevicePrimaryCtxReset_v2(0);
    return 3;
}
