/* The clustering loop of kmeans, on the host. The device finds the nearest centres. */

#ifndef CLUSTER_H
#define CLUSTER_H

#include "points.h"

struct clustering {
    int clusters;
    int turns;       /* how often the points were assigned */
    float **centre;  /* that the last assignment used */
    int *membership; /* which of them each point belongs to */
};

/* Starts from `clusters` points and moves the centres until at most `threshold` of the points
 * change in a turn. The points must lie on the device. */
struct clustering cluster(const struct points *points, int clusters, double threshold);
void free_clustering(struct clustering *clustering);

/* Mean distance of a point from its centre, as root of the mean square. */
double rms_distance(const struct points *points, const struct clustering *clustering);

/* How much farther from its own centre than from the nearest the worst point is, as part of its
 * squared distance. */
struct mismatch {
    double error;
    int point;
};
struct mismatch worst_mismatch(const struct points *points, const struct clustering *clustering);

#endif
