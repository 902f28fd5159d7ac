// A linear congruential generator of 31 bits, and Box and Muller's way to normal numbers.

#include "random.h"

#include <cmath>

BOTH_SIDES double randu(int *seed)
{
    unsigned next = 1103515245u * (unsigned)*seed + 12345u;
    *seed = (int)(next & 0x7fffffffu);
    return *seed / 2147483648.0;
}

BOTH_SIDES double randn(int *seed)
{
    const double two_pi = 6.283185307179586;
    double u = randu(seed);
    double v = randu(seed);
    return sqrt(-2.0 * log(1.0 - u)) * cos(two_pi * v);
}
