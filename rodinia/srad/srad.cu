// Speckle reducing anisotropic diffusion: makes a noisy image, takes the speckle out of it in some
// steps on the GPU. The host measures the noise before each step, in a part of the image.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "reference.h"
#include "srad_kernel.h"

// Pixel numbers are ints in the kernels.
static const int MAX_SIZE = 46336;

struct Options {
    int rows, cols;
    Region even;
    float lambda;
    int steps;
    bool verify;
};

#define CHECK(call) check((call), __LINE__)

static void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(error));
    exit(2);
}

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s <rows> <cols> <y1> <y2> <x1> <x2> <lambda> <no. of iterations> [--verify]\n"
            "  rows, cols    multiples of %d up to %d\n"
            "  y1 y2, x1 x2  first and last row and column of a part that should be even\n"
            "  lambda        step size, above 0 up to 1\n",
            program, BLOCK_SIZE, MAX_SIZE);
    exit(1);
}

static bool is_size(int size)
{
    return size >= BLOCK_SIZE && size <= MAX_SIZE && size % BLOCK_SIZE == 0;
}

static Options read_options(int argc, char **argv)
{
    Options options;
    options.verify = false;
    const char *word[8];
    int words = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0)
            options.verify = true;
        else if (words < 8)
            word[words++] = argv[i];
        else
            usage(argv[0]);
    }
    if (words != 8)
        usage(argv[0]);
    options.rows = atoi(word[0]);
    options.cols = atoi(word[1]);
    options.even = {atoi(word[2]), atoi(word[3]), atoi(word[4]), atoi(word[5])};
    options.lambda = (float)atof(word[6]);
    options.steps = atoi(word[7]);

    Region even = options.even;
    bool inside = even.top >= 0 && even.top <= even.bottom && even.bottom < options.rows &&
                  even.left >= 0 && even.left <= even.right && even.right < options.cols;
    // One pixel has no noise to measure.
    bool several = even.top < even.bottom || even.left < even.right;
    if (!is_size(options.rows) || !is_size(options.cols) || !inside || !several ||
        !(options.lambda > 0.0f && options.lambda <= 1.0f) || options.steps < 1)
        usage(argv[0]);
    return options;
}

static float *allocate_host(size_t pixels)
{
    float *memory = (float *)malloc(pixels * sizeof(float));
    if (!memory) {
        fprintf(stderr, "srad: no host memory for %zu bytes\n", pixels * sizeof(float));
        exit(1);
    }
    return memory;
}

// exp of noise: above zero everywhere, as the filter wants it.
static void random_image(float *pixels, size_t count)
{
    srand(7);
    for (size_t i = 0; i < count; ++i)
        pixels[i] = expf((float)rand() / (float)RAND_MAX);
}

static DeviceImage allocate_device(int rows, int cols)
{
    DeviceImage image = {rows, cols, NULL, NULL, NULL, NULL, NULL, NULL};
    size_t bytes = sizeof(float) * rows * cols;
    CHECK(cudaMalloc((void **)&image.pixels, bytes));
    CHECK(cudaMalloc((void **)&image.coefficients, bytes));
    CHECK(cudaMalloc((void **)&image.east, bytes));
    CHECK(cudaMalloc((void **)&image.west, bytes));
    CHECK(cudaMalloc((void **)&image.south, bytes));
    CHECK(cudaMalloc((void **)&image.north, bytes));
    return image;
}

static void release(const DeviceImage &image)
{
    CHECK(cudaFree(image.pixels));
    CHECK(cudaFree(image.coefficients));
    CHECK(cudaFree(image.east));
    CHECK(cudaFree(image.west));
    CHECK(cudaFree(image.south));
    CHECK(cudaFree(image.north));
}

// Filters `pixels` in place.
static void run_device(float *pixels, const Options &options)
{
    size_t bytes = sizeof(float) * options.rows * options.cols;
    DeviceImage image = allocate_device(options.rows, options.cols);
    for (int step = 0; step < options.steps; ++step) {
        float noise = measured_noise(pixels, options.cols, options.even);
        CHECK(cudaMemcpy(image.pixels, pixels, bytes, cudaMemcpyHostToDevice));
        CHECK(srad_step(image, noise, options.lambda));
        CHECK(cudaMemcpy(pixels, image.pixels, bytes, cudaMemcpyDeviceToHost));
    }
    CHECK(cudaDeviceSynchronize());
    release(image);
}

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    size_t count = (size_t)options.rows * options.cols;
    float *pixels = allocate_host(count);
    random_image(pixels, count);
    float *original = NULL;
    if (options.verify) {
        original = allocate_host(count);
        memcpy(original, pixels, count * sizeof(float));
    }

    printf("image: %d x %d, lambda %g, %d steps\n", options.rows, options.cols, options.lambda,
           options.steps);
    printf("noise before: %g\n", measured_noise(pixels, options.cols, options.even));
    run_device(pixels, options);
    printf("noise after: %g\n", measured_noise(pixels, options.cols, options.even));
    printf("done\n");

    int status = 0;
    if (options.verify)
        status = verify(original, pixels, options.rows, options.cols, options.even,
                        options.lambda, options.steps);
    free(original);
    free(pixels);
    return status;
}
