/* The training step whose work on the input layer is the GPU's. */

#ifndef BACKPROP_CUDA_H
#define BACKPROP_CUDA_H

#include "backprop.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BLOCK_SIZE 16

struct errors {
    float output, hidden;
};

/* The input layer must be a multiple of BLOCK_SIZE, the hidden one must be BLOCK_SIZE. */
struct errors train_on_device(struct network *network);

#ifdef __cplusplus
}
#endif

#endif
