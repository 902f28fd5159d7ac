// The device side of srad: two kernels a step, and the arrays that they share.

#ifndef SRAD_KERNEL_H
#define SRAD_KERNEL_H

#include <cuda_runtime.h>

#define BLOCK_SIZE 16

// All of rows * cols values, on the device.
struct DeviceImage {
    int rows, cols;
    float *pixels;
    float *coefficients;
    float *north, *south, *west, *east;  // differences to the neighbours
};

// Starts both kernels of one step, and does not wait for them.
cudaError_t srad_step(const DeviceImage &image, float noise, float lambda);

#endif
