// One step of the filter for one pixel. Compiled apart, for host and device alike.

#ifndef DIFFUSION_H
#define DIFFUSION_H

#ifdef __CUDACC__
#define BOTH_SIDES __host__ __device__
#else
#define BOTH_SIDES
#endif

// Differences of a pixel to its neighbours.
struct Slopes {
    float north, south, west, east;
};

// How freely brightness flows at a pixel: 0 at an edge, 1 in an even region. `noise` is the squared
// coefficient of variation of a region that should be even.
BOTH_SIDES float diffusion_coefficient(float pixel, Slopes slopes, float noise);

// The pixel after the step, from the coefficients at itself, its south and its east neighbour.
BOTH_SIDES float diffused(float pixel, Slopes slopes, float here, float south, float east,
                          float lambda);

#endif
