// Device memory and kernel of streamcluster. Each point adds to a row of its own in a table of
// points by centres; the host adds up the rows.

#include "gain.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define THREADS_PER_BLOCK 512
#define MAX_BLOCKS 65535

static Point *p_d;
static float *coord_d;          // dim * points
static int *center_table_d;
static bool *switch_membership_d;
static float *work_mem_d;       // points * (centres + 1)

#define CHECK(call) check((call), __LINE__)

static void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(error));
    exit(2);
}

__device__ static float square_distance(const float *coord, int num, int dim, int a, int b)
{
    float sum = 0.0f;
    for (int i = 0; i < dim; ++i) {
        float apart = coord[(size_t)i * num + a] - coord[(size_t)i * num + b];
        sum += apart * apart;
    }
    return sum;
}

__global__ void kernel_compute_cost(int num, int dim, int x, const Point *points, int centers,
                                    const float *coord, float *work, const int *center_table,
                                    bool *moves)
{
    int block = gridDim.x * blockIdx.y + blockIdx.x;
    int i = blockDim.x * block + threadIdx.x;
    if (i >= num)
        return;
    float *row = work + (size_t)i * (centers + 1);
    float cost = points[i].weight * square_distance(coord, num, dim, i, x);
    float saved = cost - points[i].cost;
    moves[i] = saved < 0.0f;
    if (saved < 0.0f)
        row[centers] = saved;
    else
        row[center_table[points[i].assign]] = -saved;
}

void gain_open(int most_points, int dim, int most_centers)
{
    size_t points = most_points;
    CHECK(cudaMalloc((void **)&work_mem_d, points * (most_centers + 1) * sizeof(float)));
    CHECK(cudaMalloc((void **)&center_table_d, points * sizeof(int)));
    CHECK(cudaMalloc((void **)&switch_membership_d, points * sizeof(bool)));
    CHECK(cudaMalloc((void **)&p_d, points * sizeof(Point)));
    CHECK(cudaMalloc((void **)&coord_d, points * dim * sizeof(float)));
}

void gain_close()
{
    CHECK(cudaFree(work_mem_d));
    CHECK(cudaFree(center_table_d));
    CHECK(cudaFree(switch_membership_d));
    CHECK(cudaFree(p_d));
    CHECK(cudaFree(coord_d));
}

void gain_load(const float *coord, int num, int dim)
{
    std::vector<float> turned((size_t)num * dim);
    for (int p = 0; p < num; ++p)
        for (int i = 0; i < dim; ++i)
            turned[(size_t)i * num + p] = coord[(size_t)p * dim + i];
    CHECK(cudaMemcpy(coord_d, turned.data(), turned.size() * sizeof(float),
                     cudaMemcpyHostToDevice));
}

// Blocks go into a second dimension where the first cannot hold them all.
static dim3 grid_for(int num)
{
    int blocks = (num + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK;
    int down = (blocks + MAX_BLOCKS - 1) / MAX_BLOCKS;
    return dim3((blocks + down - 1) / down, down);
}

void gain_compute(const Point *points, int num, int dim, int x, const int *center_table,
                  int centers, bool *moves, double *lower)
{
    size_t stride = centers + 1;
    size_t work_bytes = num * stride * sizeof(float);
    CHECK(cudaMemcpy(p_d, points, num * sizeof(Point), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(center_table_d, center_table, num * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(work_mem_d, 0, work_bytes));
    kernel_compute_cost<<<grid_for(num), THREADS_PER_BLOCK>>>(
        num, dim, x, p_d, centers, coord_d, work_mem_d, center_table_d, switch_membership_d);
    CHECK(cudaGetLastError());

    std::vector<float> work(num * stride);
    CHECK(cudaMemcpy(work.data(), work_mem_d, work_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(moves, switch_membership_d, num * sizeof(bool), cudaMemcpyDeviceToHost));
    for (size_t c = 0; c < stride; ++c)
        lower[c] = 0.0;
    for (int i = 0; i < num; ++i)
        for (size_t c = 0; c < stride; ++c)
            lower[c] += work[i * stride + c];
}
