/* The network on the host: made, trained one step, compared. */

#include "backprop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-4f /* weights are -1 to 1 */

static float *allocate(size_t count)
{
    float *memory = calloc(count, sizeof(float));
    if (!memory) {
        fprintf(stderr, "backprop: no host memory for %zu bytes\n", count * sizeof(float));
        exit(1);
    }
    return memory;
}

static size_t input_weight_count(const struct network *network)
{
    return (size_t)(network->in + 1) * (network->hidden + 1);
}

static size_t hidden_weight_count(const struct network *network)
{
    return (size_t)(network->hidden + 1) * (network->out + 1);
}

static struct network allocate_network(int in, int hidden, int out)
{
    struct network network = {.in = in, .hidden = hidden, .out = out};
    network.input_units = allocate(in + 1);
    network.hidden_units = allocate(hidden + 1);
    network.output_units = allocate(out + 1);
    network.hidden_delta = allocate(hidden + 1);
    network.output_delta = allocate(out + 1);
    network.target = allocate(out + 1);
    network.input_weights = allocate(input_weight_count(&network));
    network.hidden_weights = allocate(hidden_weight_count(&network));
    network.input_prev_weights = allocate(input_weight_count(&network));
    network.hidden_prev_weights = allocate(hidden_weight_count(&network));
    return network;
}

/* From `low` to `low` + 1. */
static void randomise(float *values, size_t count, float low)
{
    for (size_t i = 0; i < count; ++i)
        values[i] = low + (float)rand() / (float)RAND_MAX;
}

struct network make_network(int in, int hidden, int out)
{
    struct network network = allocate_network(in, hidden, out);
    srand(7);
    randomise(network.input_weights, input_weight_count(&network), -0.5f);
    randomise(network.hidden_weights, hidden_weight_count(&network), -0.5f);
    randomise(network.input_units, in + 1, 0.0f);
    network.input_units[0] = 1.0f;
    for (int i = 1; i <= out; ++i)
        network.target[i] = 0.1f;
    return network;
}

struct network copy_network(const struct network *network)
{
    struct network copy = allocate_network(network->in, network->hidden, network->out);
    memcpy(copy.input_units, network->input_units, (network->in + 1) * sizeof(float));
    memcpy(copy.target, network->target, (network->out + 1) * sizeof(float));
    memcpy(copy.input_weights, network->input_weights,
           input_weight_count(network) * sizeof(float));
    memcpy(copy.hidden_weights, network->hidden_weights,
           hidden_weight_count(network) * sizeof(float));
    return copy;
}

void free_network(struct network *network)
{
    free(network->input_units);
    free(network->hidden_units);
    free(network->output_units);
    free(network->hidden_delta);
    free(network->output_delta);
    free(network->target);
    free(network->input_weights);
    free(network->hidden_weights);
    free(network->input_prev_weights);
    free(network->hidden_prev_weights);
}

float squash(float sum)
{
    return 1.0f / (1.0f + expf(-sum));
}

void layer_forward(const float *from, float *to, const float *weights, int n_from, int n_to)
{
    for (int j = 1; j <= n_to; ++j) {
        double sum = 0.0;
        for (int i = 0; i <= n_from; ++i)
            sum += weights[(size_t)i * (n_to + 1) + j] * (i == 0 ? 1.0f : from[i]);
        to[j] = squash((float)sum);
    }
}

float output_error(struct network *network)
{
    float error = 0.0f;
    for (int j = 1; j <= network->out; ++j) {
        float unit = network->output_units[j];
        network->output_delta[j] = unit * (1.0f - unit) * (network->target[j] - unit);
        error += fabsf(network->output_delta[j]);
    }
    return error;
}

float hidden_error(struct network *network)
{
    float error = 0.0f;
    for (int j = 1; j <= network->hidden; ++j) {
        float unit = network->hidden_units[j];
        float sum = 0.0f;
        for (int k = 1; k <= network->out; ++k)
            sum += network->output_delta[k] * network->hidden_weights[j * (network->out + 1) + k];
        network->hidden_delta[j] = unit * (1.0f - unit) * sum;
        error += fabsf(network->hidden_delta[j]);
    }
    return error;
}

void adjust_weights(const float *delta, int n_delta, const float *units, int n_units,
                    float *weights, float *prev_weights)
{
    for (int i = 0; i <= n_units; ++i) {
        float unit = i == 0 ? 1.0f : units[i];
        for (int j = 1; j <= n_delta; ++j) {
            size_t at = (size_t)i * (n_delta + 1) + j;
            float change = ETA * delta[j] * unit + MOMENTUM * prev_weights[at];
            weights[at] += change;
            prev_weights[at] = change;
        }
    }
}

static void train(struct network *network)
{
    layer_forward(network->input_units, network->hidden_units, network->input_weights,
                  network->in, network->hidden);
    layer_forward(network->hidden_units, network->output_units, network->hidden_weights,
                  network->hidden, network->out);
    output_error(network);
    hidden_error(network);
    adjust_weights(network->output_delta, network->out, network->hidden_units, network->hidden,
                   network->hidden_weights, network->hidden_prev_weights);
    adjust_weights(network->hidden_delta, network->hidden, network->input_units, network->in,
                   network->input_weights, network->input_prev_weights);
}

/* Column 0 of the weights leads to a bias and is not used. */
int verify(struct network *network, const struct network *trained)
{
    train(network);
    float worst = 0.0f;
    size_t where = 0;
    for (size_t i = 0; i < input_weight_count(network); ++i) {
        float error = fabsf(trained->input_weights[i] - network->input_weights[i]);
        if (!(error <= worst)) { /* a NaN is an error too */
            worst = error;
            where = i;
            if (error != error)
                break;
        }
    }
    for (int j = 1; j <= network->hidden; ++j) {
        float error = fabsf(trained->hidden_units[j] - network->hidden_units[j]);
        if (!(error <= worst)) {
            worst = error;
            where = j;
        }
    }
    if (worst <= TOLERANCE) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %zu)\n", worst, where);
    return 3;
}
