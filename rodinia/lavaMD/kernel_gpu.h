/* The device side of lavaMD: forces between the particles of a box and those in and beside it. */

#ifndef KERNEL_GPU_H
#define KERNEL_GPU_H

#include "boxes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `space->force`. Prints and exits with 2 when a CUDA call fails. */
void kernel_gpu_cuda_wrapper(struct space *space);

#ifdef __cplusplus
}
#endif

#endif
