/* Looks for a driver that is not there, in the ways that programs do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    const char *names[] = {"cuInit", "cuMemAlloc_v2", "cuGetProcAddress", "cuCtxGetCurrent", "dlsym", "malloc"};
    for (int i = 0; i < 6; i++) {
        int all = dlsym(RTLD_DEFAULT, names[i]) != 0, error = dlerror() != 0;
        int self = dlsym(dlopen(0, RTLD_NOW), names[i]) != 0;
        printf("%s %d %d %d\n", names[i], all, error, self);
    }
    printf("libcuda %d\n", dlopen("libcuda.so.1", RTLD_NOW) != 0);
    return 0;
}
