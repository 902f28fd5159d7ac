// Local search for the centres of some points, on the host, with the gains from the device.

#ifndef SEARCH_H
#define SEARCH_H

#include "gain.h"

struct Points {
    int num, dim;
    Point *p;
    float *coord;  // those of one point lie together
};

// How far the device's gains are from the host's, as part of the cost at that time.
struct GainCheck {
    bool wanted;
    long calls;
    double worst;
    long where;  // number of the call
};

// More centres than this are never open at the same time.
int most_centers(int kmax);

// Assigns every point to one of kmin to kmax centres, which are points themselves (fewer or more
// where the points are few or alike). Returns how many. The points must lie on the device.
int local_search(Points *points, int kmin, int kmax, GainCheck *check);

#endif
