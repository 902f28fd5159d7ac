/* k-means: groups points round centres, for one or several numbers of centres. Options in, a line
 * for each number of centres out. */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cluster.h"
#include "kmeans_cuda.h"
#include "points.h"

/* Of the squared distance: float sums differ. */
#define TOLERANCE 1e-4

struct options {
    const char *input;
    int binary, min_clusters, max_clusters, loops;
    double threshold;
    int output, verify;
};

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s -i FILE [-b] [-m MAX] [-n MIN] [-t THRESHOLD] [-l LOOPS] [-o] [--verify]\n"
            "  -i  points, a line each: a name, then the features\n"
            "  -b  the file is binary\n"
            "  -m  most clusters (5)\n"
            "  -n  fewest clusters (5)\n"
            "  -t  end when at most this part of the points changes (0.001)\n"
            "  -l  how often each number of clusters is done (1)\n"
            "  -o  print the centres of the last\n",
            program);
    exit(1);
}

static struct options read_options(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"verify", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {NULL, 0, 5, 5, 1, 0.001, 0, 0};
    int letter;
    while ((letter = getopt_long(argc, argv, "i:bm:n:t:l:o", long_options, NULL)) != -1) {
        switch (letter) {
        case 'i':
            options.input = optarg;
            break;
        case 'b':
            options.binary = 1;
            break;
        case 'm':
            options.max_clusters = atoi(optarg);
            break;
        case 'n':
            options.min_clusters = atoi(optarg);
            break;
        case 't':
            options.threshold = atof(optarg);
            break;
        case 'l':
            options.loops = atoi(optarg);
            break;
        case 'o':
            options.output = 1;
            break;
        case 'v':
            options.verify = 1;
            break;
        default:
            usage(argv[0]);
        }
    }
    if (optind < argc || !options.input || options.min_clusters < 1 ||
        options.max_clusters < options.min_clusters || options.loops < 1 ||
        !(options.threshold >= 0.0))
        usage(argv[0]);
    return options;
}

static void print_centres(const struct clustering *result, int features)
{
    for (int c = 0; c < result->clusters; ++c) {
        printf("%d:", c);
        for (int i = 0; i < features; ++i)
            printf(" %f", result->centre[c][i]);
        printf("\n");
    }
}

/* All turns for one number of clusters, `loops` times. */
static void run(const struct points *points, int clusters, const struct options *options,
                struct mismatch *worst)
{
    allocate_memory(points->count, points->features, clusters, points->feature);
    for (int i = 0; i < options->loops; ++i) {
        struct clustering result = cluster(points, clusters, options->threshold);
        printf("clusters: %d, %d turns, rms distance %.4f\n", clusters, result.turns,
               rms_distance(points, &result));
        if (options->output && clusters == options->max_clusters && i == options->loops - 1)
            print_centres(&result, points->features);
        if (options->verify) {
            struct mismatch found = worst_mismatch(points, &result);
            if (found.error > worst->error)
                *worst = found;
        }
        free_clustering(&result);
    }
    deallocate_memory();
}

static int report(struct mismatch worst)
{
    if (worst.error <= TOLERANCE) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %d)\n", worst.error, worst.point);
    return 3;
}

int main(int argc, char **argv)
{
    struct options options = read_options(argc, argv);
    struct points points = read_points(options.input, options.binary);
    if (options.max_clusters > points.count) {
        fprintf(stderr, "kmeans: %s: %d points are too few for %d clusters\n", options.input,
                points.count, options.max_clusters);
        return 1;
    }
    printf("points: %d with %d features\n", points.count, points.features);

    struct mismatch worst = {0.0, 0};
    for (int clusters = options.min_clusters; clusters <= options.max_clusters; ++clusters)
        run(&points, clusters, &options, &worst);
    printf("done\n");
    free_points(&points);
    return options.verify ? report(worst) : 0;
}
