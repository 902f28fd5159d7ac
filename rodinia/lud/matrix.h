// A square matrix on the host: made, read, and checked against a factorisation on the CPU.
// Knows nothing of CUDA.

#ifndef MATRIX_H
#define MATRIX_H

// Positions are ints in the kernels.
static const int MAX_DIM = 46336;

struct Matrix {
    int dim;
    float *values;
};

// Both exit with 1 and a message when there is no memory or the file is not as it should be.
void matrix_make(Matrix *matrix, int dim);
void matrix_read(Matrix *matrix, const char *path);

Matrix matrix_copy(const Matrix *matrix);
void matrix_free(Matrix *matrix);

// Prints the outcome. Returns the exit status: 0, or 3 when `factors` are not those of `original`.
int matrix_verify(const Matrix *original, const Matrix *factors);

#endif
