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

/* Prints the outcome. Returns the exit status: 0, or 3 when a point is not with its nearest. */
int verify(const struct points *points, const struct clustering *clustering);

#endif
