// The host side of srad: how noisy an image is, and the same filter on the CPU.

#ifndef REFERENCE_H
#define REFERENCE_H

// Rows and columns, the last ones included.
struct Region {
    int top, bottom, left, right;
};

// Squared coefficient of variation of the pixels in the region: variance over squared mean.
float measured_noise(const float *pixels, int cols, Region region);

// Filters `original` in place. Prints the outcome; returns the exit status: 0, or 3 when `result`
// is not the same.
int verify(float *original, const float *result, int rows, int cols, Region even, float lambda,
           int steps);

#endif
