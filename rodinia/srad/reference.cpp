// The filter on the CPU, with the host form of what diffusion.cu defines.

#include "reference.h"

#include <cmath>
#include <cstdio>
#include <vector>

#include "diffusion.h"

static const float TOLERANCE = 1e-3f;  // pixels are 1 to 2.8

float measured_noise(const float *pixels, int cols, Region region)
{
    float sum = 0.0f, squares = 0.0f;
    for (int row = region.top; row <= region.bottom; ++row) {
        for (int col = region.left; col <= region.right; ++col) {
            float pixel = pixels[(size_t)row * cols + col];
            sum += pixel;
            squares += pixel * pixel;
        }
    }
    float count = (float)(region.bottom - region.top + 1) * (region.right - region.left + 1);
    float mean = sum / count;
    float variance = squares / count - mean * mean;
    return variance / (mean * mean);
}

static Slopes slopes_at(const float *pixels, int rows, int cols, int row, int col)
{
    size_t cell = (size_t)row * cols + col;
    float pixel = pixels[cell];
    Slopes slopes;
    slopes.north = row > 0 ? pixels[cell - cols] - pixel : 0.0f;
    slopes.south = row < rows - 1 ? pixels[cell + cols] - pixel : 0.0f;
    slopes.west = col > 0 ? pixels[cell - 1] - pixel : 0.0f;
    slopes.east = col < cols - 1 ? pixels[cell + 1] - pixel : 0.0f;
    return slopes;
}

static void filter_step(float *pixels, int rows, int cols, float noise, float lambda)
{
    size_t count = (size_t)rows * cols;
    std::vector<float> coefficient(count);
    std::vector<Slopes> slopes(count);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            size_t cell = (size_t)row * cols + col;
            slopes[cell] = slopes_at(pixels, rows, cols, row, col);
            coefficient[cell] = diffusion_coefficient(pixels[cell], slopes[cell], noise);
        }
    }
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            size_t cell = (size_t)row * cols + col;
            float here = coefficient[cell];
            float south = row < rows - 1 ? coefficient[cell + cols] : here;
            float east = col < cols - 1 ? coefficient[cell + 1] : here;
            pixels[cell] = diffused(pixels[cell], slopes[cell], here, south, east, lambda);
        }
    }
}

int verify(float *original, const float *result, int rows, int cols, Region even, float lambda,
           int steps)
{
    for (int step = 0; step < steps; ++step)
        filter_step(original, rows, cols, measured_noise(original, cols, even), lambda);

    float worst = 0.0f;
    size_t where = 0;
    for (size_t i = 0; i < (size_t)rows * cols; ++i) {
        float error = std::fabs(result[i] - original[i]);
        if (!(error <= worst)) {  // a NaN is an error too
            worst = error;
            where = i;
            if (error != error)
                break;
        }
    }
    if (worst <= TOLERANCE) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %zu)\n", worst, where);
    return 3;
}
