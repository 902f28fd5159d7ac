/* The points of kmeans: read from a text or a binary file. Knows nothing of CUDA. */

#ifndef POINTS_H
#define POINTS_H

#include <stddef.h>

struct points {
    int count;
    int features;
    float **feature; /* one pointer a point, into one block of count * features values */
};

/* Text: a line a point, its name and then its features. Binary: two ints, then the features.
 * Exits with 1 and a message when the file is not so. */
struct points read_points(const char *path, int binary);
void free_points(struct points *points);

/* `rows` pointers into one block of rows * cols zeros. */
float **allocate_rows(int rows, int cols);
void free_rows(float **rows);
void *allocate(size_t count, size_t size);

#endif
