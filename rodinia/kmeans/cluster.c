/* Turns of k-means: the device assigns the points, the host moves each centre to the mean of its
 * points. Also the check of an assignment. */

#include "cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kmeans_cuda.h"

#define MOST_TURNS 500

static void start_centres(const struct points *points, struct clustering *result)
{
    for (int c = 0; c < result->clusters; ++c) {
        int point = (int)((long)points->count * c / result->clusters);
        memcpy(result->centre[c], points->feature[point], points->features * sizeof(float));
    }
}

/* A centre without points stays where it is. */
static void move_centres(const struct points *points, struct clustering *result)
{
    int features = points->features;
    float **sum = allocate_rows(result->clusters, features);
    int *members = allocate(result->clusters, sizeof *members);
    for (int p = 0; p < points->count; ++p) {
        int c = result->membership[p];
        ++members[c];
        for (int i = 0; i < features; ++i)
            sum[c][i] += points->feature[p][i];
    }
    for (int c = 0; c < result->clusters; ++c)
        for (int i = 0; members[c] > 0 && i < features; ++i)
            result->centre[c][i] = sum[c][i] / members[c];
    free(members);
    free_rows(sum);
}

struct clustering cluster(const struct points *points, int clusters, double threshold)
{
    struct clustering result = {clusters, 0, NULL, NULL};
    result.centre = allocate_rows(clusters, points->features);
    result.membership = allocate(points->count, sizeof(int));
    int *assigned = allocate(points->count, sizeof(int));
    for (int p = 0; p < points->count; ++p)
        result.membership[p] = -1;

    start_centres(points, &result);
    for (;;) {
        kmeans_cuda(points->count, points->features, clusters, result.centre, assigned);
        int changed = 0;
        for (int p = 0; p < points->count; ++p)
            changed += assigned[p] != result.membership[p];
        memcpy(result.membership, assigned, points->count * sizeof(int));
        ++result.turns;
        if (changed <= threshold * points->count || result.turns == MOST_TURNS)
            break;
        move_centres(points, &result);
    }
    free(assigned);
    return result;
}

void free_clustering(struct clustering *clustering)
{
    free_rows(clustering->centre);
    free(clustering->membership);
}

static double square_distance(const float *a, const float *b, int features)
{
    double sum = 0.0;
    for (int i = 0; i < features; ++i)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sum;
}

double rms_distance(const struct points *points, const struct clustering *clustering)
{
    double sum = 0.0;
    for (int p = 0; p < points->count; ++p)
        sum += square_distance(points->feature[p], clustering->centre[clustering->membership[p]],
                               points->features);
    return sqrt(sum / points->count);
}

struct mismatch worst_mismatch(const struct points *points, const struct clustering *clustering)
{
    struct mismatch worst = {0.0, 0};
    for (int p = 0; p < points->count; ++p) {
        const float *feature = points->feature[p];
        double nearest = HUGE_VAL;
        for (int c = 0; c < clustering->clusters; ++c)
            nearest = fmin(nearest, square_distance(feature, clustering->centre[c],
                                                    points->features));
        const float *centre = clustering->centre[clustering->membership[p]];
        double own = square_distance(feature, centre, points->features);
        double error = own > nearest ? (own - nearest) / own : 0.0;
        if (error > worst.error) {
            worst.error = error;
            worst.point = p;
        }
    }
    return worst;
}
