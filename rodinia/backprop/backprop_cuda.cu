// Training of the large layer on the GPU: the sums of the hidden units, block by block, and the
// change of the input weights. The small layers are the host's.

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "backprop_cuda.h"

#define MUST(call) must((call), __FILE__, __LINE__)

static void must(cudaError_t error, const char *file, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
        exit(2);
    }
}

// A block has 16 input units (ty) and all hidden ones (tx), and sums over its input units.
__global__ void bpnn_layerforward(const float *input, const float *weights, float *partial_sum,
                                  int hidden)
{
    __shared__ float unit[BLOCK_SIZE];
    __shared__ float product[BLOCK_SIZE][BLOCK_SIZE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int from = BLOCK_SIZE * blockIdx.y + ty + 1;
    if (tx == 0)
        unit[ty] = input[from];
    __syncthreads();
    product[ty][tx] = weights[(size_t)from * (hidden + 1) + tx + 1] * unit[ty];
    __syncthreads();

    for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
        if (ty < half)
            product[ty][tx] += product[ty + half][tx];
        __syncthreads();
    }
    if (ty == 0)
        partial_sum[blockIdx.y * hidden + tx] = product[0][tx];
}

// The first block also changes the weights of the bias.
__global__ void bpnn_adjust_weights(const float *delta, int hidden, const float *input,
                                    float *weights, float *prev_weights)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    int from = BLOCK_SIZE * blockIdx.y + ty + 1;
    size_t at = (size_t)from * (hidden + 1) + tx + 1;
    float change = ETA * delta[tx + 1] * input[from] + MOMENTUM * prev_weights[at];
    weights[at] += change;
    prev_weights[at] = change;

    if (ty == 0 && blockIdx.y == 0) {
        change = ETA * delta[tx + 1] + MOMENTUM * prev_weights[tx + 1];
        weights[tx + 1] += change;
        prev_weights[tx + 1] = change;
    }
}

// Adds up the blocks' sums and the bias.
static void finish_hidden(struct network *network, const float *partial_sum, int blocks)
{
    for (int j = 1; j <= network->hidden; ++j) {
        double sum = network->input_weights[j];
        for (int block = 0; block < blocks; ++block)
            sum += partial_sum[block * network->hidden + j - 1];
        network->hidden_units[j] = squash((float)sum);
    }
}

static struct errors train_small_layers(struct network *network)
{
    struct errors errors;
    layer_forward(network->hidden_units, network->output_units, network->hidden_weights,
                  network->hidden, network->out);
    errors.output = output_error(network);
    errors.hidden = hidden_error(network);
    adjust_weights(network->output_delta, network->out, network->hidden_units, network->hidden,
                   network->hidden_weights, network->hidden_prev_weights);
    return errors;
}

static float *device_copy(const float *values, size_t bytes)
{
    float *device;
    MUST(cudaMalloc((void **)&device, bytes));
    MUST(cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice));
    return device;
}

struct errors train_on_device(struct network *network)
{
    int in = network->in, hidden = network->hidden;
    int blocks = in / BLOCK_SIZE;
    size_t weight_bytes = (size_t)(in + 1) * (hidden + 1) * sizeof(float);
    size_t sum_bytes = (size_t)blocks * hidden * sizeof(float);
    dim3 grid(1, blocks);
    dim3 block(BLOCK_SIZE, BLOCK_SIZE);

    float *partial_sum = (float *)malloc(sum_bytes);
    if (!partial_sum) {
        fprintf(stderr, "backprop: no host memory for %zu bytes\n", sum_bytes);
        exit(1);
    }
    float *input_cuda = device_copy(network->input_units, (in + 1) * sizeof(float));
    float *input_hidden_cuda = device_copy(network->input_weights, weight_bytes);
    float *hidden_partial_sum;
    MUST(cudaMalloc((void **)&hidden_partial_sum, sum_bytes));
    bpnn_layerforward<<<grid, block>>>(input_cuda, input_hidden_cuda, hidden_partial_sum, hidden);
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(partial_sum, hidden_partial_sum, sum_bytes, cudaMemcpyDeviceToHost));
    finish_hidden(network, partial_sum, blocks);
    free(partial_sum);
    struct errors errors = train_small_layers(network);

    float *hidden_delta_cuda = device_copy(network->hidden_delta, (hidden + 1) * sizeof(float));
    float *input_prev_weights_cuda = device_copy(network->input_prev_weights, weight_bytes);
    bpnn_adjust_weights<<<grid, block>>>(hidden_delta_cuda, hidden, input_cuda, input_hidden_cuda,
                                         input_prev_weights_cuda);
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(network->input_weights, input_hidden_cuda, weight_bytes,
                    cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(network->input_prev_weights, input_prev_weights_cuda, weight_bytes,
                    cudaMemcpyDeviceToHost));

    MUST(cudaFree(input_cuda));
    MUST(cudaFree(input_hidden_cuda));
    MUST(cudaFree(hidden_partial_sum));
    MUST(cudaFree(hidden_delta_cuda));
    MUST(cudaFree(input_prev_weights_cuda));
    return errors;
}
