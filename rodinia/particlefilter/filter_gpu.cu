// The filter on the GPU: four kernels and a step of one thread for each frame.

#include "filter.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "random.h"

#define THREADS 512

#define CHECK(call) check((call), __LINE__)

static void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(error));
    exit(2);
}

// All that lies on the device.
struct Device {
    int particles, blocks, points;
    int x, y, frames;
    double *arrayX, *arrayY;  // guesses of this frame
    double *xj, *yj;          // those that were drawn in the last
    double *likelihood, *weights;
    double *CDF, *u;
    double *partial_sums;
    int *ind;     // pixels of the disk, a row for each guess
    int *objxy;   // the disk's offsets
    int *seed;
    unsigned char *I;
};

// Pixels beyond the rim count as the first, which is dark.
__device__ static int pixel_number(const Device &d, double x, double y, int point, int frame)
{
    int row = (int)floor(x + 0.5) + d.objxy[2 * point];
    int col = (int)floor(y + 0.5) + d.objxy[2 * point + 1];
    if (row < 0 || row >= d.x || col < 0 || col >= d.y)
        return 0;
    return (row * d.y + col) * d.frames + frame;
}

__device__ static double disk_likelihood(const Device &d, int i, int frame)
{
    int *pixels = d.ind + (size_t)i * d.points;
    for (int p = 0; p < d.points; ++p)
        pixels[p] = pixel_number(d, d.arrayX[i], d.arrayY[i], p, frame);
    double sum = 0.0;
    for (int p = 0; p < d.points; ++p) {
        double dark = d.I[pixels[p]] - DARK, bright = d.I[pixels[p]] - BRIGHT;
        sum += (dark * dark - bright * bright) / 50.0;
    }
    return sum / d.points;
}

__global__ void likelihood_kernel(Device d, int frame)
{
    __shared__ double sums[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    double weight = 0.0;
    if (i < d.particles) {
        d.arrayX[i] = d.xj[i] + STEP_X + SPREAD_X * randn(&d.seed[i]);
        d.arrayY[i] = d.yj[i] + STEP_Y + SPREAD_Y * randn(&d.seed[i]);
        d.likelihood[i] = disk_likelihood(d, i, frame);
        weight = exp(d.likelihood[i]);
        d.weights[i] = weight;
    }
    sums[threadIdx.x] = weight;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        d.partial_sums[blockIdx.x] = sums[0];
}

__global__ void sum_kernel(Device d)
{
    for (int block = 1; block < d.blocks; ++block)
        d.partial_sums[0] += d.partial_sums[block];
}

__global__ void normalize_weights_kernel(Device d)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < d.particles)
        d.weights[i] /= d.partial_sums[0];
}

// Not part of the kernel before, whose blocks must all have ended.
__global__ void cdf_kernel(Device d)
{
    double sum = 0.0;
    double start = randu(&d.seed[0]) / d.particles;
    for (int i = 0; i < d.particles; ++i) {
        sum += d.weights[i];
        d.CDF[i] = sum;
        d.u[i] = start + (double)i / d.particles;
    }
}

__global__ void find_index_kernel(Device d)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= d.particles)
        return;
    int drawn = 0;
    while (drawn < d.particles - 1 && d.CDF[drawn] < d.u[i])
        ++drawn;
    d.xj[i] = d.arrayX[drawn];
    d.yj[i] = d.arrayY[drawn];
}

template <typename T> static T *allocate(size_t count)
{
    T *memory;
    CHECK(cudaMalloc((void **)&memory, count * sizeof(T)));
    return memory;
}

template <typename T> static void upload(T *device, const std::vector<T> &host)
{
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
}

static Device allocate_device(const Video &video, int points, int particles)
{
    Device d;
    d.particles = particles;
    d.blocks = (particles + THREADS - 1) / THREADS;
    d.points = points;
    d.x = video.x;
    d.y = video.y;
    d.frames = video.frames;
    d.arrayX = allocate<double>(particles);
    d.arrayY = allocate<double>(particles);
    d.xj = allocate<double>(particles);
    d.yj = allocate<double>(particles);
    d.CDF = allocate<double>(particles);
    d.u = allocate<double>(particles);
    d.likelihood = allocate<double>(particles);
    d.weights = allocate<double>(particles);
    d.partial_sums = allocate<double>(particles);
    d.I = allocate<unsigned char>(video.pixel.size());
    d.objxy = allocate<int>(2 * (size_t)points);
    d.ind = allocate<int>((size_t)points * particles);
    d.seed = allocate<int>(particles);
    return d;
}

static void release(const Device &d)
{
    CHECK(cudaFree(d.arrayX));
    CHECK(cudaFree(d.arrayY));
    CHECK(cudaFree(d.xj));
    CHECK(cudaFree(d.yj));
    CHECK(cudaFree(d.CDF));
    CHECK(cudaFree(d.u));
    CHECK(cudaFree(d.likelihood));
    CHECK(cudaFree(d.weights));
    CHECK(cudaFree(d.partial_sums));
    CHECK(cudaFree(d.I));
    CHECK(cudaFree(d.objxy));
    CHECK(cudaFree(d.ind));
    CHECK(cudaFree(d.seed));
}

static void fill_device(const Device &d, const Video &video, const std::vector<Offset> &disk)
{
    Offset place = true_place(video, 0);
    std::vector<int> offsets, seed;
    for (const Offset &offset : disk) {
        offsets.push_back(offset.x);
        offsets.push_back(offset.y);
    }
    for (int i = 0; i < d.particles; ++i)
        seed.push_back(first_seed(i));
    upload(d.objxy, offsets);
    upload(d.seed, seed);
    upload(d.I, video.pixel);
    upload(d.xj, std::vector<double>(d.particles, place.x));
    upload(d.yj, std::vector<double>(d.particles, place.y));
}

static void run_frame(const Device &d, int frame)
{
    likelihood_kernel<<<d.blocks, THREADS>>>(d, frame);
    CHECK(cudaGetLastError());
    sum_kernel<<<1, 1>>>(d);
    CHECK(cudaGetLastError());
    normalize_weights_kernel<<<d.blocks, THREADS>>>(d);
    CHECK(cudaGetLastError());
    cdf_kernel<<<1, 1>>>(d);
    CHECK(cudaGetLastError());
    find_index_kernel<<<d.blocks, THREADS>>>(d);
    CHECK(cudaGetLastError());
}

static std::vector<double> download(const double *device, int count)
{
    std::vector<double> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(double), cudaMemcpyDeviceToHost));
    return host;
}

Guesses particle_filter_gpu(const Video &video, const std::vector<Offset> &disk, int particles)
{
    Device d = allocate_device(video, (int)disk.size(), particles);
    fill_device(d, video, disk);
    for (int frame = 1; frame < video.frames; ++frame)
        run_frame(d, frame);
    CHECK(cudaDeviceSynchronize());
    Guesses guesses = {download(d.arrayX, particles), download(d.arrayY, particles),
                       download(d.weights, particles)};
    release(d);
    return guesses;
}
