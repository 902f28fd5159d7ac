/* Eight threads begin at once and allocate and free as fast as they can, so that addresses go from hand to hand. */
#undef WAY
#define WAY 4
#include "ways.h"
#include <pthread.h>

static pthread_barrier_t start;

static void *work(void *unused) {
    void *function;
    pthread_barrier_wait(&start);
    for (int i = 0; i < 2000; i++) {
        ptr_t p;
        if (cuMemAlloc_v2(&p, 1 << 20) || cuMemFree_v2(p)) exit(90);
    }
    cuModuleGetFunction(&function, 0, "_Z4workPf");
    for (int i = 0; i < 2000; i++) cuLaunchKernel(function, 1 + i % 5, 1, 1, 32, 1, 1, 0, 0, 0, 0);
    return unused;
}

int main(void) {
    pthread_t threads[8];
    find_driver();
    pthread_barrier_init(&start, 0, 8);
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
    return 0;
}
