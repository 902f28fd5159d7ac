// Host matrices of lud. The made matrix has a heavy diagonal, because nothing here pivots.

#include "matrix.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// An entry is right when it is off by no more than RELATIVE of its size, plus ABSOLUTE.
static const double RELATIVE = 1e-4;
static const double ABSOLUTE = 1e-5;

static size_t count(int dim)
{
    return (size_t)dim * dim;
}

static void allocate(Matrix *matrix, int dim)
{
    matrix->dim = dim;
    matrix->values = (float *)malloc(count(dim) * sizeof(float));
    if (!matrix->values) {
        fprintf(stderr, "lud: no host memory for %zu bytes\n", count(dim) * sizeof(float));
        exit(1);
    }
}

void matrix_make(Matrix *matrix, int dim)
{
    allocate(matrix, dim);
    uint32_t state = 20011;
    for (size_t i = 0; i < count(dim); ++i) {
        state = state * 1664525u + 1013904223u;
        matrix->values[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
    }
    for (int i = 0; i < dim; ++i)
        matrix->values[(size_t)i * dim + i] += dim / 2 + 1;
}

void matrix_read(Matrix *matrix, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "lud: cannot open %s\n", path);
        exit(1);
    }
    int dim;
    if (fscanf(file, "%d", &dim) != 1 || dim < 1 || dim > MAX_DIM) {
        fprintf(stderr, "lud: %s: wanted a dimension from 1 to %d\n", path, MAX_DIM);
        exit(1);
    }
    allocate(matrix, dim);
    for (size_t i = 0; i < count(dim); ++i) {
        if (fscanf(file, "%f", matrix->values + i) != 1) {
            fprintf(stderr, "lud: %s: wanted %d x %d values\n", path, dim, dim);
            exit(1);
        }
    }
    fclose(file);
}

Matrix matrix_copy(const Matrix *matrix)
{
    Matrix copy;
    allocate(&copy, matrix->dim);
    memcpy(copy.values, matrix->values, count(copy.dim) * sizeof(float));
    return copy;
}

void matrix_free(Matrix *matrix)
{
    free(matrix->values);
    matrix->values = NULL;
    matrix->dim = 0;
}

static void factorize(std::vector<double> &a, int dim)
{
    for (int k = 0; k < dim; ++k) {
        const double *pivot = &a[(size_t)k * dim];
        for (int i = k + 1; i < dim; ++i) {
            double *row = &a[(size_t)i * dim];
            row[k] /= pivot[k];
            for (int j = k + 1; j < dim; ++j)
                row[j] -= row[k] * pivot[j];
        }
    }
}

int matrix_verify(const Matrix *original, const Matrix *factors)
{
    int dim = original->dim;
    std::vector<double> expected(original->values, original->values + count(dim));
    factorize(expected, dim);

    double worst = 0.0;
    size_t where = 0;
    bool good = true;
    for (size_t i = 0; i < count(dim); ++i) {
        double error = fabs(factors->values[i] - expected[i]);
        if (!(error <= RELATIVE * fabs(expected[i]) + ABSOLUTE))
            good = false;
        if (!(error <= worst)) {
            worst = error;
            where = i;
            if (std::isnan(error))
                break;
        }
    }
    if (good) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %zu)\n", worst, where);
    return 3;
}
