// Speckle reducing anisotropic diffusion after Yu and Acton, for one pixel. Knows nothing of images.

#include "diffusion.h"

BOTH_SIDES float diffusion_coefficient(float pixel, Slopes slopes, float noise)
{
    float squares = slopes.north * slopes.north + slopes.south * slopes.south +
                    slopes.west * slopes.west + slopes.east * slopes.east;
    float gradient = squares / (pixel * pixel);
    float laplacian = (slopes.north + slopes.south + slopes.west + slopes.east) / pixel;

    float above = 0.5f * gradient - laplacian * laplacian / 16.0f;
    float below = 1.0f + 0.25f * laplacian;
    float variation = above / (below * below);
    float coefficient = 1.0f / (1.0f + (variation - noise) / (noise * (1.0f + noise)));
    return coefficient < 0.0f ? 0.0f : coefficient > 1.0f ? 1.0f : coefficient;
}

BOTH_SIDES float diffused(float pixel, Slopes slopes, float here, float south, float east,
                          float lambda)
{
    float divergence = here * slopes.north + south * slopes.south + here * slopes.west +
                       east * slopes.east;
    return pixel + 0.25f * lambda * divergence;
}
