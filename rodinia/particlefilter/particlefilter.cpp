// Particle filter: makes a video of a moving disk and follows the disk with many weighted guesses.

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "filter.h"
#include "video.h"

static const double TOLERANCE = 1e-6;  // pixels, and parts of the weight
static const int VIDEO_SEED = 7;

struct Options {
    int x, y, frames, particles;
    bool verify;
};

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s -x X -y Y -z FRAMES -np PARTICLES [--verify]\n"
            "  X, Y   size of the video, at least %d\n  FRAMES at least 2\n",
            program, 2 * RADIUS);
    exit(1);
}

static Options read_options(int argc, char **argv)
{
    Options options = {0, 0, 0, 0, false};
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0) {
            options.verify = true;
            continue;
        }
        int *value = NULL;
        if (strcmp(argv[i], "-x") == 0)
            value = &options.x;
        else if (strcmp(argv[i], "-y") == 0)
            value = &options.y;
        else if (strcmp(argv[i], "-z") == 0)
            value = &options.frames;
        else if (strcmp(argv[i], "-np") == 0)
            value = &options.particles;
        if (!value || ++i == argc)
            usage(argv[0]);
        *value = atoi(argv[i]);
    }
    if (options.x < 2 * RADIUS || options.y < 2 * RADIUS || options.frames < 2 ||
        options.particles < 1)
        usage(argv[0]);
    // Pixel numbers are ints in the kernels.
    if ((double)options.x * options.y * options.frames > INT_MAX)
        usage(argv[0]);
    return options;
}

static int verify(const Guesses &found, const Guesses &expected)
{
    double worst = 0.0;
    size_t where = 0;
    for (size_t i = 0; i < found.x.size(); ++i) {
        double error = std::fabs(found.x[i] - expected.x[i]) +
                       std::fabs(found.y[i] - expected.y[i]) +
                       std::fabs(found.weight[i] - expected.weight[i]);
        if (!(error <= worst)) {  // a NaN is an error too
            worst = error;
            where = i;
            if (error != error)
                break;
        }
    }
    if (worst <= TOLERANCE) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %zu)\n", worst, where);
    return 3;
}

static int run(const Options &options)
{
    int seed = VIDEO_SEED;
    Video video = make_video(options.x, options.y, options.frames, &seed);
    std::vector<Offset> disk = disk_offsets();
    printf("video: %d x %d, %d frames; %d guesses\n", options.x, options.y, options.frames,
           options.particles);
    Guesses guesses = particle_filter_gpu(video, disk, options.particles);

    double x = 0.0, y = 0.0;
    for (int i = 0; i < options.particles; ++i) {
        x += guesses.x[i] * guesses.weight[i];
        y += guesses.y[i] * guesses.weight[i];
    }
    Offset place = true_place(video, options.frames - 1);
    printf("disk: guessed at %.2f %.2f, is at %d %d\n", x, y, place.x, place.y);
    printf("done\n");
    if (!options.verify)
        return 0;
    return verify(guesses, particle_filter_cpu(video, disk, options.particles));
}

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    try {
        return run(options);
    } catch (const std::bad_alloc &) {
        fprintf(stderr, "particlefilter: no host memory for a video of %d x %d x %d\n", options.x,
                options.y, options.frames);
        return 1;
    }
}
