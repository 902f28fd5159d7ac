/* A network of three layers, and its training step on the host. Knows nothing of CUDA.
 * Unit 0 of the input and hidden layers is the bias: it is always 1. */

#ifndef BACKPROP_H
#define BACKPROP_H

#include <stddef.h>

#define ETA 0.3f      /* learning rate */
#define MOMENTUM 0.3f /* part of the last change that is made again */

#ifdef __cplusplus
extern "C" {
#endif

struct network {
    int in, hidden, out; /* units without bias */
    float *input_units, *hidden_units, *output_units;
    float *hidden_delta, *output_delta, *target;
    /* Weight from unit i to unit j of the next layer: [i * (units there + 1) + j]. */
    float *input_weights, *hidden_weights;
    float *input_prev_weights, *hidden_prev_weights; /* last changes */
};

/* Weights and inputs from a fixed seed. Exits with 1 when there is no memory. */
struct network make_network(int in, int hidden, int out);
struct network copy_network(const struct network *network);
void free_network(struct network *network);

/* The steps of training, in the order of their use. A layer has units 0 to n. */
void layer_forward(const float *from, float *to, const float *weights, int n_from, int n_to);
float squash(float sum);
float output_error(struct network *network);
float hidden_error(struct network *network);
void adjust_weights(const float *delta, int n_delta, const float *units, int n_units,
                    float *weights, float *prev_weights);

/* Prints the outcome. Returns the exit status: 0, or 3 when `trained` is not what the host makes
 * of `network`, which is trained. */
int verify(struct network *network, const struct network *trained);

#ifdef __cplusplus
}
#endif

#endif
