// The device side of lud: takes a matrix that lies on the device, factorises it in place.

#ifndef LUD_KERNEL_H
#define LUD_KERNEL_H

#define BLOCK_SIZE 16

// Prints the place and the error, exits with 2, unless the status is cudaSuccess (0).
void lud_check(int status, const char *file, int line);
#define LUD_CHECK(call) lud_check((int)(call), __FILE__, __LINE__)

// `dim` must be a multiple of BLOCK_SIZE. Does not wait for the last kernel.
void lud_factorize(float *device_matrix, int dim);

#endif
