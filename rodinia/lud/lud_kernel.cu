// Blocked LU factorisation without pivoting, in place: the tile on the diagonal, then the tiles to
// its right and below it, then everything else. L has ones on its diagonal, which are not stored.

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "lud_kernel.h"

void lud_check(int status, const char *file, int line)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString((cudaError_t)status));
    exit(2);
}

// One block of 16 threads; thread t owns row t of the tile.
__global__ void lud_diagonal(float *matrix, int dim, int offset)
{
    __shared__ float tile[BLOCK_SIZE][BLOCK_SIZE];
    int t = threadIdx.x;
    float *corner = matrix + offset * dim + offset;

    for (int row = 0; row < BLOCK_SIZE; ++row)
        tile[row][t] = corner[row * dim + t];
    __syncthreads();

    for (int k = 0; k < BLOCK_SIZE - 1; ++k) {
        if (t > k) {
            float factor = tile[t][k] / tile[k][k];
            tile[t][k] = factor;
            for (int col = k + 1; col < BLOCK_SIZE; ++col)
                tile[t][col] -= factor * tile[k][col];
        }
        __syncthreads();
    }

    for (int row = 0; row < BLOCK_SIZE; ++row)
        corner[row * dim + t] = tile[row][t];
}

// One block of 32 threads per pair of tiles: the lower 16 threads solve for the tile of the row of
// tiles (one column each), the upper 16 for the tile of the column of tiles (one row each).
__global__ void lud_perimeter(float *matrix, int dim, int offset)
{
    __shared__ float diagonal[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float right[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float below[BLOCK_SIZE][BLOCK_SIZE];

    bool upper_half = threadIdx.x >= BLOCK_SIZE;
    int t = upper_half ? threadIdx.x - BLOCK_SIZE : threadIdx.x;
    int away = (blockIdx.x + 1) * BLOCK_SIZE;
    float *corner = matrix + offset * dim + offset;
    float *right_corner = corner + away;
    float *below_corner = corner + away * dim;

    for (int row = 0; row < BLOCK_SIZE; ++row) {
        if (upper_half) {
            below[row][t] = below_corner[row * dim + t];
        } else {
            diagonal[row][t] = corner[row * dim + t];
            right[row][t] = right_corner[row * dim + t];
        }
    }
    __syncthreads();

    if (upper_half) {
        for (int col = 0; col < BLOCK_SIZE; ++col) {
            for (int k = 0; k < col; ++k)
                below[t][col] -= below[t][k] * diagonal[k][col];
            below[t][col] /= diagonal[col][col];
        }
    } else {
        for (int row = 1; row < BLOCK_SIZE; ++row)
            for (int k = 0; k < row; ++k)
                right[row][t] -= diagonal[row][k] * right[k][t];
    }
    __syncthreads();

    for (int row = 0; row < BLOCK_SIZE; ++row) {
        if (upper_half)
            below_corner[row * dim + t] = below[row][t];
        else
            right_corner[row * dim + t] = right[row][t];
    }
}

// One block of 16 by 16 threads per tile that is left: subtract L times U.
__global__ void lud_internal(float *matrix, int dim, int offset)
{
    __shared__ float lower[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float upper[BLOCK_SIZE][BLOCK_SIZE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = offset + (blockIdx.y + 1) * BLOCK_SIZE + ty;
    int col = offset + (blockIdx.x + 1) * BLOCK_SIZE + tx;
    lower[ty][tx] = matrix[row * dim + offset + tx];
    upper[ty][tx] = matrix[(offset + ty) * dim + col];
    __syncthreads();

    float sum = 0.0f;
    for (int k = 0; k < BLOCK_SIZE; ++k)
        sum += lower[ty][k] * upper[k][tx];
    matrix[row * dim + col] -= sum;
}

void lud_factorize(float *device_matrix, int dim)
{
    dim3 tile(BLOCK_SIZE, BLOCK_SIZE);
    int offset = 0;
    for (; offset < dim - BLOCK_SIZE; offset += BLOCK_SIZE) {
        int left = (dim - offset) / BLOCK_SIZE - 1;
        lud_diagonal<<<1, BLOCK_SIZE>>>(device_matrix, dim, offset);
        LUD_CHECK(cudaGetLastError());
        lud_perimeter<<<left, BLOCK_SIZE * 2>>>(device_matrix, dim, offset);
        LUD_CHECK(cudaGetLastError());
        dim3 grid(left, left);
        lud_internal<<<grid, tile>>>(device_matrix, dim, offset);
        LUD_CHECK(cudaGetLastError());
    }
    lud_diagonal<<<1, BLOCK_SIZE>>>(device_matrix, dim, offset);
    LUD_CHECK(cudaGetLastError());
}
