/* Forces between particles that reach no farther than the boxes beside their own. Options in, the
 * largest potential out. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "kernel_gpu.h"

#define MOST_ACROSS 200

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s -boxes1d N [--verify]\n"
            "  N  boxes along each side, 1 to %d; each has %d particles\n",
            program, MOST_ACROSS, PARTICLES_PER_BOX);
    exit(1);
}

int main(int argc, char **argv)
{
    int across = 0, want_verify = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0)
            want_verify = 1;
        else if (strcmp(argv[i], "-boxes1d") == 0 && i + 1 < argc)
            across = atoi(argv[++i]);
        else
            usage(argv[0]);
    }
    if (across < 1 || across > MOST_ACROSS)
        usage(argv[0]);

    struct space space = make_space(across);
    printf("space: %d boxes, %zu particles\n", space.boxes, space.particles);
    kernel_gpu_cuda_wrapper(&space);

    double largest = 0.0;
    for (size_t i = 0; i < space.particles; ++i)
        if (space.force[i].v > largest)
            largest = space.force[i].v;
    printf("largest potential: %g\n", largest);
    printf("done\n");

    int status = want_verify ? verify(&space) : 0;
    free_space(&space);
    return status;
}
