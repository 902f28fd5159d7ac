/* Makes the boxes with their lists of neighbours, and checks forces. */

#include "boxes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TOLERANCE 1e-9 /* of the largest component */

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "lavaMD: no host memory for %zu bytes\n", count * size);
        exit(1);
    }
    return memory;
}

static int box_number(int across, int x, int y, int z)
{
    return (z * across + y) * across + x;
}

static void find_neighbors(struct box *box, int across)
{
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                int x = box->x + dx, y = box->y + dy, z = box->z + dz;
                int outside = x < 0 || y < 0 || z < 0 || x >= across || y >= across || z >= across;
                if (outside || (dx == 0 && dy == 0 && dz == 0))
                    continue;
                int number = box_number(across, x, y, z);
                struct neighbor neighbor = {x, y, z, number, (long)number * PARTICLES_PER_BOX};
                box->neighbor[box->neighbor_count++] = neighbor;
            }
        }
    }
}

static void make_boxes(struct box *box, int across)
{
    for (int z = 0; z < across; ++z) {
        for (int y = 0; y < across; ++y) {
            for (int x = 0; x < across; ++x) {
                int number = box_number(across, x, y, z);
                struct box *made = box + number;
                made->x = x;
                made->y = y;
                made->z = z;
                made->number = number;
                made->offset = (long)number * PARTICLES_PER_BOX;
                find_neighbors(made, across);
            }
        }
    }
}

/* 0.1 to 1 in tenths. */
static double tenths(void)
{
    return (rand() % 10 + 1) / 10.0;
}

/* A box has sides of 1, so a particle lies where its box does. */
static void place_particles(struct space *space)
{
    srand(7);
    for (int b = 0; b < space->boxes; ++b) {
        const struct box *box = space->box + b;
        for (int i = 0; i < PARTICLES_PER_BOX; ++i) {
            struct four_vector *place = space->place + box->offset + i;
            place->x = box->x + tenths();
            place->y = box->y + tenths();
            place->z = box->z + tenths();
            space->charge[box->offset + i] = tenths();
        }
    }
}

struct space make_space(int across)
{
    struct space space;
    space.boxes = across * across * across;
    space.particles = (size_t)space.boxes * PARTICLES_PER_BOX;
    space.box = allocate(space.boxes, sizeof *space.box);
    space.place = allocate(space.particles, sizeof *space.place);
    space.charge = allocate(space.particles, sizeof *space.charge);
    space.force = allocate(space.particles, sizeof *space.force);
    make_boxes(space.box, across);
    place_particles(&space);
    return space;
}

void free_space(struct space *space)
{
    free(space->box);
    free(space->place);
    free(space->charge);
    free(space->force);
}

static void add_forces(const struct space *space, long particle, long from,
                       struct four_vector *force)
{
    const struct four_vector *a = space->place + particle;
    for (long j = from; j < from + PARTICLES_PER_BOX; ++j) {
        const struct four_vector *b = space->place + j;
        double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
        double potential = space->charge[j] * exp(-ALPHA * (dx * dx + dy * dy + dz * dz));
        force->v += potential;
        force->x += 2.0 * ALPHA * potential * dx;
        force->y += 2.0 * ALPHA * potential * dy;
        force->z += 2.0 * ALPHA * potential * dz;
    }
}

static struct four_vector force_on(const struct space *space, const struct box *box, long particle)
{
    struct four_vector force = {0.0, 0.0, 0.0, 0.0};
    add_forces(space, particle, box->offset, &force);
    for (int n = 0; n < box->neighbor_count; ++n)
        add_forces(space, particle, box->neighbor[n].offset, &force);
    return force;
}

static double largest_difference(struct four_vector a, struct four_vector b)
{
    double v = fabs(a.v - b.v), x = fabs(a.x - b.x), y = fabs(a.y - b.y), z = fabs(a.z - b.z);
    double sum = v + x + y + z;
    return sum != sum ? sum : fmax(fmax(v, x), fmax(y, z)); /* a NaN is an error too */
}

int verify(const struct space *space)
{
    const struct four_vector zero = {0.0, 0.0, 0.0, 0.0};
    double worst = 0.0, scale = 0.0;
    size_t where = 0;
    for (int b = 0; b < space->boxes; ++b) {
        const struct box *box = space->box + b;
        for (long i = box->offset; i < box->offset + PARTICLES_PER_BOX; ++i) {
            struct four_vector force = force_on(space, box, i);
            double error = largest_difference(space->force[i], force);
            scale = fmax(scale, largest_difference(force, zero));
            if (!(error <= worst) && worst == worst) {
                worst = error;
                where = i;
            }
        }
    }
    if (worst <= TOLERANCE * scale) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %zu)\n", worst, where);
    return 3;
}
