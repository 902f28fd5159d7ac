// Random numbers from a seed that the caller keeps, the same on host and device.

#ifndef RANDOM_H
#define RANDOM_H

#ifdef __CUDACC__
#define BOTH_SIDES __host__ __device__
#else
#define BOTH_SIDES
#endif

// From 0 up to 1.
BOTH_SIDES double randu(int *seed);

// Normally distributed, mean 0, deviation 1.
BOTH_SIDES double randn(int *seed);

#endif
