// The kernels of srad: the first finds how freely each pixel diffuses, the second lets it. Beyond
// the rim of the image lie the same pixels as on it.

#include "diffusion.h"
#include "srad_kernel.h"

__global__ void srad_cuda_1(DeviceImage image, float noise)
{
    __shared__ float tile[BLOCK_SIZE][BLOCK_SIZE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * BLOCK_SIZE + ty;
    int col = blockIdx.x * BLOCK_SIZE + tx;
    int cell = row * image.cols + col;
    float pixel = image.pixels[cell];
    tile[ty][tx] = pixel;
    __syncthreads();

    // Neighbours in other blocks' tiles come from the image.
    float north = row == 0 ? pixel : ty > 0 ? tile[ty - 1][tx] : image.pixels[cell - image.cols];
    float south = row == image.rows - 1 ? pixel
                  : ty < BLOCK_SIZE - 1 ? tile[ty + 1][tx]
                                        : image.pixels[cell + image.cols];
    float west = col == 0 ? pixel : tx > 0 ? tile[ty][tx - 1] : image.pixels[cell - 1];
    float east = col == image.cols - 1 ? pixel
                 : tx < BLOCK_SIZE - 1 ? tile[ty][tx + 1]
                                       : image.pixels[cell + 1];

    Slopes slopes = {north - pixel, south - pixel, west - pixel, east - pixel};
    image.north[cell] = slopes.north;
    image.south[cell] = slopes.south;
    image.west[cell] = slopes.west;
    image.east[cell] = slopes.east;
    image.coefficients[cell] = diffusion_coefficient(pixel, slopes, noise);
}

__global__ void srad_cuda_2(DeviceImage image, float lambda)
{
    __shared__ float tile[BLOCK_SIZE][BLOCK_SIZE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * BLOCK_SIZE + ty;
    int col = blockIdx.x * BLOCK_SIZE + tx;
    int cell = row * image.cols + col;
    float here = image.coefficients[cell];
    tile[ty][tx] = here;
    __syncthreads();

    float south = row == image.rows - 1 ? here
                  : ty < BLOCK_SIZE - 1 ? tile[ty + 1][tx]
                                        : image.coefficients[cell + image.cols];
    float east = col == image.cols - 1 ? here
                 : tx < BLOCK_SIZE - 1 ? tile[ty][tx + 1]
                                       : image.coefficients[cell + 1];
    Slopes slopes = {image.north[cell], image.south[cell], image.west[cell], image.east[cell]};
    image.pixels[cell] = diffused(image.pixels[cell], slopes, here, south, east, lambda);
}

cudaError_t srad_step(const DeviceImage &image, float noise, float lambda)
{
    dim3 block(BLOCK_SIZE, BLOCK_SIZE);
    dim3 grid(image.cols / BLOCK_SIZE, image.rows / BLOCK_SIZE);
    srad_cuda_1<<<grid, block>>>(image, noise);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        return error;
    srad_cuda_2<<<grid, block>>>(image, lambda);
    return cudaGetLastError();
}
