/* A driver for tests: real accounting and look-ups, no device. Every form in forms.txt that is not written here is a
 * stub made by the test (fake_forms), which answers "not supported". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ptr_t;
struct form { const char *name, *base; int since, thread; void *function; };
extern const struct form fake_forms[];

enum { OK = 0, INVALID = 1, OOM = 2, NOT_FOUND = 500 };
enum { BLOCKS = 4096 };
static struct { ptr_t at; size_t bytes; } blocks[BLOCKS];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int real_allocations;

/* How many allocations came through to the driver, for tests that nothing is called twice. */
int fake_allocations(void) { return real_allocations; }

int cuInit(unsigned flags) { return flags ? INVALID : OK; }

static int take(size_t bytes, ptr_t *out) {
    const char *text = getenv("FAKE_LIMIT");
    size_t limit = text ? strtoull(text, 0, 10) : (size_t)1 << 30;
    int code = OOM;
    if (!bytes) return INVALID;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS && bytes <= limit - used; i++)
        if (!blocks[i].at) {
            /* The lowest free slot: an address is given again as soon as it is free. */
            blocks[i].at = 0x10000000ull * (i + 1);
            blocks[i].bytes = bytes;
            used += bytes;
            *out = blocks[i].at;
            code = OK;
            break;
        }
    pthread_mutex_unlock(&lock);
    return code;
}

int cuMemAlloc_v2(ptr_t *out, size_t bytes) {
    __atomic_fetch_add(&real_allocations, 1, __ATOMIC_RELAXED);
    return take(bytes, out);
}

/* By the name that all libraries see, as a driver may do: whoever stands in front must not count it twice. */
int cuMemAllocPitch_v2(ptr_t *out, size_t *pitch, size_t width, size_t height, unsigned element) {
    (void)element;
    *pitch = (width + 511) / 512 * 512;
    int (*allocate)(ptr_t *, size_t) = dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
    return allocate(out, *pitch * height);
}

int cuMemAllocManaged(ptr_t *out, size_t bytes, unsigned flags) { (void)flags; return take(bytes, out); }
int cuMemAllocAsync(ptr_t *out, size_t bytes, void *stream) { (void)stream; return take(bytes, out); }

int cuMemFree_v2(ptr_t at) {
    int code = at ? INVALID : OK;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS && at; i++)
        if (blocks[i].at == at) {
            used -= blocks[i].bytes;
            blocks[i].at = 0;
            code = OK;
            break;
        }
    pthread_mutex_unlock(&lock);
    return code;
}
int cuMemFreeAsync(ptr_t at, void *stream) { (void)stream; return cuMemFree_v2(at); }

struct volume { size_t width, height, depth; unsigned format, channels, flags; };
int cuArray3DCreate_v2(ptr_t *out, const struct volume *plan) { return take(plan->width * plan->height * plan->depth * 4, out); }
int cuArrayDestroy(ptr_t array) { return cuMemFree_v2(array); }

int cuMemCreate(ptr_t *out, size_t bytes, const void *properties, unsigned long long flags) { (void)properties; (void)flags; return take(bytes, out); }
int cuMemRelease(ptr_t handle) { (void)handle; return OK; }
int cuMemMap(ptr_t at, size_t bytes, size_t offset, ptr_t handle, unsigned long long flags) { (void)at; (void)bytes; (void)offset; (void)handle; (void)flags; return OK; }
int cuMemUnmap(ptr_t at, size_t bytes) { (void)at; (void)bytes; return OK; }

static int primary;
int cuCtxGetCurrent(void **out) { *out = &primary; return OK; }
int cuDevicePrimaryCtxRetain(void **out, int device) { (void)device; *out = &primary; return OK; }
int cuDevicePrimaryCtxReset_v2(int device) {
    (void)device;
    memset(blocks, 0, sizeof blocks);
    used = 0;
    return OK;
}

static char names[64][64];
static int functions;
int cuModuleGetFunction(void **out, void *module, const char *name) {
    (void)module;
    int next = __atomic_fetch_add(&functions, 1, __ATOMIC_RELAXED);
    if (next >= 64) return NOT_FOUND;
    *out = strncpy(names[next], name, 63);
    return OK;
}
/* A function that the program did not ask for by name. */
static char nameless;
void *fake_function(void) { return &nameless; }
int cuFuncGetName(const char **out, void *function) { *out = function == &nameless ? "_Z9by_driverv" : function; return OK; }

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **params, void **extra) {
    (void)function; (void)gx; (void)gy; (void)gz; (void)shared; (void)stream; (void)params; (void)extra;
    return bx * by * bz > 1024 ? INVALID : OK;
}
struct config { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; };
int cuLaunchKernelEx(const struct config *c, void *function, void **params, void **extra) {
    return cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared, c->stream, params, extra);
}
#ifdef VIRTUAL
int migfit_vgpu_executes_kernels(void) { return 0; }
#endif

static int find(const char *base, void **out, int version, unsigned long long flags) {
    const struct form *best = 0;
    for (int thread = (flags & 2) != 0; thread >= 0 && !best; thread--)
        for (const struct form *f = fake_forms; f->name; f++)
            if (f->thread == thread && f->since <= version && !strcmp(f->base, base) && (!best || f->since > best->since))
                best = f;
    *out = best ? best->function : 0;
    return best ? OK : NOT_FOUND;
}
int cuGetProcAddress(const char *base, void **out, int version, unsigned long long flags) { return find(base, out, version, flags); }
int cuGetProcAddress_v2(const char *base, void **out, int version, unsigned long long flags, int *status) {
    int code = find(base, out, version, flags);
    if (status) *status = code ? 1 : 0;
    return code;
}
