/* Back propagation: makes a network with as many inputs as asked for, trains it one step with the
 * GPU's help, and tells the errors. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backprop.h"
#include "backprop_cuda.h"

/* A block of the grid takes 16 inputs, and a grid has at most 65535 blocks that way. */
#define MOST_INPUTS (65535 * BLOCK_SIZE)

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s <num of input elements> [--verify]\n"
            "  a multiple of %d up to %d\n",
            program, BLOCK_SIZE, MOST_INPUTS);
    exit(1);
}

int main(int argc, char **argv)
{
    int want_verify = 0;
    int layer_size = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0)
            want_verify = 1;
        else if (layer_size == 0)
            layer_size = atoi(argv[i]);
        else
            usage(argv[0]);
    }
    if (layer_size < BLOCK_SIZE || layer_size > MOST_INPUTS || layer_size % BLOCK_SIZE != 0)
        usage(argv[0]);

    struct network network = make_network(layer_size, BLOCK_SIZE, 1);
    struct network original = {0};
    if (want_verify)
        original = copy_network(&network);
    printf("network: %d inputs, %d hidden units\n", network.in, network.hidden);

    struct errors errors = train_on_device(&network);
    printf("error: output %g, hidden %g\n", errors.output, errors.hidden);
    printf("done\n");

    int status = want_verify ? verify(&original, &network) : 0;
    free_network(&original);
    free_network(&network);
    return status;
}
