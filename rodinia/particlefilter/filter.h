// The filter: guesses of where the disk is are moved, weighed and drawn anew in each frame.

#ifndef FILTER_H
#define FILTER_H

#include <vector>

#include "video.h"

// How a guess moves in a frame: a step, and its standard deviation.
#define STEP_X 1.0
#define STEP_Y (-2.0)
#define SPREAD_X 1.5
#define SPREAD_Y 1.0

// The guesses in the last frame.
struct Guesses {
    std::vector<double> x, y, weight;
};

// Each guess draws random numbers from a seed of its own.
inline int first_seed(int particle)
{
    return 17 + 7919 * particle;
}

// Both go through all frames but the first. The first exits with 2 when a CUDA call fails.
Guesses particle_filter_gpu(const Video &video, const std::vector<Offset> &disk, int particles);
Guesses particle_filter_cpu(const Video &video, const std::vector<Offset> &disk, int particles);

#endif
