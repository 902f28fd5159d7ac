// Device memory and kernels of kmeans. Points are turned on the device, so that neighbour threads
// read neighbour values.

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "kmeans_cuda.h"

#define THREADS_PER_BLOCK 256

static int blocks_across;
static float *feature_d;          // points * features, as the host has them
static float *feature_flipped_d;  // features * points
static float *clusters_d;
static int *membership_d;

#define CHECK(call) check((call), __FILE__, __LINE__)

static void check(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
    exit(2);
}

__global__ void invert_mapping(const float *input, float *output, int points, int features)
{
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points)
        return;
    for (int i = 0; i < features; ++i)
        output[(size_t)points * i + point] = input[(size_t)point * features + i];
}

__global__ void kmeans_point(const float *features, int feature_count, int points, int clusters,
                             const float *centres, int *membership)
{
    int block = gridDim.x * blockIdx.y + blockIdx.x;
    int point = block * blockDim.x + threadIdx.x;
    if (point >= points)
        return;

    int nearest = 0;
    float smallest = FLT_MAX;
    for (int c = 0; c < clusters; ++c) {
        float distance = 0.0f;
        for (int i = 0; i < feature_count; ++i) {
            float apart = features[(size_t)points * i + point] - centres[c * feature_count + i];
            distance += apart * apart;
        }
        if (distance < smallest) {
            smallest = distance;
            nearest = c;
        }
    }
    membership[point] = nearest;
}

void allocate_memory(int points, int features, int clusters, float **feature)
{
    int blocks = points / THREADS_PER_BLOCK;
    if (points % THREADS_PER_BLOCK > 0)
        ++blocks;
    blocks_across = (int)sqrt((double)blocks);
    while (blocks_across * blocks_across < blocks)
        ++blocks_across;
    blocks = blocks_across * blocks_across;

    size_t bytes = sizeof(float) * points * features;
    CHECK(cudaMalloc((void **)&feature_flipped_d, bytes));
    CHECK(cudaMalloc((void **)&feature_d, bytes));
    CHECK(cudaMemcpy(feature_d, feature[0], bytes, cudaMemcpyHostToDevice));
    invert_mapping<<<blocks, THREADS_PER_BLOCK>>>(feature_d, feature_flipped_d, points, features);
    CHECK(cudaGetLastError());

    CHECK(cudaMalloc((void **)&membership_d, sizeof(int) * points));
    CHECK(cudaMemset(membership_d, 0, sizeof(int) * points));
    CHECK(cudaMalloc((void **)&clusters_d, sizeof(float) * clusters * features));
}

void deallocate_memory(void)
{
    CHECK(cudaFree(feature_d));
    CHECK(cudaFree(feature_flipped_d));
    CHECK(cudaFree(membership_d));
    CHECK(cudaFree(clusters_d));
}

void kmeans_cuda(int points, int features, int clusters, float **clusters_of, int *membership)
{
    CHECK(cudaMemcpy(clusters_d, clusters_of[0], sizeof(float) * clusters * features,
                     cudaMemcpyHostToDevice));
    dim3 grid(blocks_across, blocks_across);
    kmeans_point<<<grid, THREADS_PER_BLOCK>>>(feature_flipped_d, features, points, clusters,
                                              clusters_d, membership_d);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(membership, membership_d, sizeof(int) * points, cudaMemcpyDeviceToHost));
}
