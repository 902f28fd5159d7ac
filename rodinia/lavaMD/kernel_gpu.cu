// A block for each box: its particles stay in shared memory, those of the boxes beside it come there
// in turn.

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "kernel_gpu.h"

#define THREADS 128

#define CHECK(call) check((call), __LINE__)

static void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(error));
    exit(2);
}

__global__ void kernel_gpu_cuda(const box *boxes, const four_vector *places, const double *charges,
                                four_vector *forces)
{
    __shared__ four_vector home[PARTICLES_PER_BOX];
    __shared__ four_vector other[PARTICLES_PER_BOX];
    __shared__ double charge[PARTICLES_PER_BOX];

    const box &own = boxes[blockIdx.x];
    for (int i = threadIdx.x; i < PARTICLES_PER_BOX; i += THREADS)
        home[i] = places[own.offset + i];

    for (int n = -1; n < own.neighbor_count; ++n) {
        long from = n < 0 ? own.offset : own.neighbor[n].offset;
        __syncthreads();
        for (int j = threadIdx.x; j < PARTICLES_PER_BOX; j += THREADS) {
            other[j] = places[from + j];
            charge[j] = charges[from + j];
        }
        __syncthreads();

        for (int i = threadIdx.x; i < PARTICLES_PER_BOX; i += THREADS) {
            four_vector force = forces[own.offset + i];
            for (int j = 0; j < PARTICLES_PER_BOX; ++j) {
                double dx = home[i].x - other[j].x;
                double dy = home[i].y - other[j].y;
                double dz = home[i].z - other[j].z;
                double potential = charge[j] * exp(-ALPHA * (dx * dx + dy * dy + dz * dz));
                force.v += potential;
                force.x += 2.0 * ALPHA * potential * dx;
                force.y += 2.0 * ALPHA * potential * dy;
                force.z += 2.0 * ALPHA * potential * dz;
            }
            forces[own.offset + i] = force;
        }
    }
}

void kernel_gpu_cuda_wrapper(struct space *space)
{
    size_t box_mem = sizeof(box) * space->boxes;
    size_t space_mem = sizeof(four_vector) * space->particles;
    size_t charge_mem = sizeof(double) * space->particles;
    box *d_box_gpu;
    four_vector *d_rv_gpu, *d_fv_gpu;
    double *d_qv_gpu;
    CHECK(cudaMalloc((void **)&d_box_gpu, box_mem));
    CHECK(cudaMalloc((void **)&d_rv_gpu, space_mem));
    CHECK(cudaMalloc((void **)&d_qv_gpu, charge_mem));
    CHECK(cudaMalloc((void **)&d_fv_gpu, space_mem));
    CHECK(cudaMemcpy(d_box_gpu, space->box, box_mem, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_rv_gpu, space->place, space_mem, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_qv_gpu, space->charge, charge_mem, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_fv_gpu, space->force, space_mem, cudaMemcpyHostToDevice));

    kernel_gpu_cuda<<<space->boxes, THREADS>>>(d_box_gpu, d_rv_gpu, d_qv_gpu, d_fv_gpu);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(space->force, d_fv_gpu, space_mem, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_box_gpu));
    CHECK(cudaFree(d_rv_gpu));
    CHECK(cudaFree(d_qv_gpu));
    CHECK(cudaFree(d_fv_gpu));
}
