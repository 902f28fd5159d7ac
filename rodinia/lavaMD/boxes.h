/* Particles in a cube of boxes, and the same forces on the host. Knows nothing of CUDA. */

#ifndef BOXES_H
#define BOXES_H

#include <stddef.h>

#define PARTICLES_PER_BOX 100
#define MOST_NEIGHBORS 26
#define ALPHA 0.5 /* how far a force reaches: it falls by e at a distance of sqrt(2) */

struct neighbor {
    int x, y, z;
    int number; /* of the box */
    long offset; /* of its first particle */
};

struct box {
    int x, y, z;
    int number;
    long offset;
    int neighbor_count; /* boxes beside it, itself not counted */
    struct neighbor neighbor[MOST_NEIGHBORS];
};

/* A place, with v unused; or a force, with the potential in v. */
struct four_vector {
    double v, x, y, z;
};

struct space {
    int boxes;
    size_t particles;
    struct box *box;
    struct four_vector *place;
    double *charge;
    struct four_vector *force;
};

/* `across` boxes along each side, charges and places from a fixed seed, no forces. Exits with 1 when
 * there is no memory. */
struct space make_space(int across);
void free_space(struct space *space);

/* Prints the outcome. Returns the exit status: 0, or 3 when the forces are not what they should. */
int verify(const struct space *space);

#endif
