// Clusters a stream of points that is read in chunks: each chunk is reduced to weighted centres, in
// the end the centres to the final ones. The stream is made or read from a file.

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "gain.h"
#include "search.h"

static const double TOLERANCE = 1e-4;

struct Options {
    int kmin, kmax, dim;
    long n;
    int chunk_size, center_size;
    const char *in, *out;
    bool verify;
};

// Where points come from.
class PointStream {
public:
    virtual ~PointStream() = default;
    // Up to `most` points; fewer than asked for only at the end.
    virtual int read(float *coord, int dim, int most) = 0;
};

class MadeStream : public PointStream {
public:
    explicit MadeStream(long n) : left(n), state(1) {}

    int read(float *coord, int dim, int most) override
    {
        int count = left < most ? (int)left : most;
        for (long i = 0; i < (long)count * dim; ++i) {
            state = state * 1664525u + 1013904223u;
            coord[i] = (float)(state >> 8) / 16777216.0f;
        }
        left -= count;
        return count;
    }

private:
    long left;
    std::uint32_t state;
};

class FileStream : public PointStream {
public:
    explicit FileStream(const char *path) : path(path), file(fopen(path, "rb"))
    {
        if (!file) {
            fprintf(stderr, "streamcluster: cannot open %s\n", path);
            exit(1);
        }
    }
    FileStream(const FileStream &) = delete;
    FileStream &operator=(const FileStream &) = delete;

    ~FileStream() override
    {
        fclose(file);
    }

    int read(float *coord, int dim, int most) override
    {
        size_t got = fread(coord, sizeof(float), (size_t)most * dim, file);
        if (got % dim != 0) {
            fprintf(stderr, "streamcluster: %s: the last point has fewer than %d values\n", path,
                    dim);
            exit(1);
        }
        return (int)(got / dim);
    }

private:
    const char *path;
    FILE *file;
};

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s k1 k2 d n chunksize clustersize infile outfile nproc [--verify]\n"
            "  k1, k2       fewest and most centres, 1 to 10000\n"
            "  d            coordinates of a point\n"
            "  n            points to make, 0: read infile\n"
            "  chunksize    points that are clustered at a time\n"
            "  clustersize  most centres that are kept, k2 for each chunk\n"
            "  infile       32-bit floats, d for each point\n"
            "  outfile      the final centres\n"
            "  nproc        taken and not used\n",
            program);
    exit(1);
}

static Options read_options(int argc, char **argv)
{
    Options options;
    options.verify = false;
    std::vector<char *> word;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0)
            options.verify = true;
        else
            word.push_back(argv[i]);
    }
    if (word.size() != 9)
        usage(argv[0]);
    options.kmin = atoi(word[0]);
    options.kmax = atoi(word[1]);
    options.dim = atoi(word[2]);
    options.n = atol(word[3]);
    options.chunk_size = atoi(word[4]);
    options.center_size = atoi(word[5]);
    options.in = word[6];
    options.out = word[7];
    if (options.kmin < 1 || options.kmax < options.kmin || options.kmax > 10000 ||
        options.dim < 1 || options.n < 0 || options.chunk_size < 1 ||
        options.center_size < options.kmax || atoi(word[8]) < 1)
        usage(argv[0]);
    if (options.dim > INT_MAX / options.chunk_size || options.dim > INT_MAX / options.center_size)
        usage(argv[0]);
    return options;
}

// Points with room for `most`.
struct PointBlock {
    std::vector<Point> p;
    std::vector<float> coord;
    std::vector<long> id;
    Points points;

    PointBlock(int most, int dim) : p(most), coord((size_t)most * dim), id(most)
    {
        points = {0, dim, p.data(), coord.data()};
    }
};

// Each centre of the chunk is kept, with the weight of all its points.
static void keep_centers(const PointBlock &chunk, long first_id, int most, PointBlock *centers)
{
    const Points &from = chunk.points;
    std::vector<float> weight(from.num);
    for (int i = 0; i < from.num; ++i)
        weight[from.p[i].assign] += from.p[i].weight;
    for (int i = 0; i < from.num; ++i) {
        if (weight[i] == 0.0f)
            continue;
        int at = centers->points.num++;
        if (at == most) {
            fprintf(stderr, "streamcluster: more than %d centres; give a larger clustersize\n",
                    most);
            exit(1);
        }
        centers->p[at].weight = weight[i];
        centers->id[at] = first_id + i;
        memcpy(&centers->coord[(size_t)at * from.dim], &chunk.coord[(size_t)i * from.dim],
               from.dim * sizeof(float));
    }
}

static void read_chunks(PointStream *stream, const Options &options, PointBlock *centers,
                        GainCheck *check)
{
    PointBlock chunk(options.chunk_size, options.dim);
    long id = 0;
    int count;
    do {
        count = stream->read(chunk.coord.data(), options.dim, options.chunk_size);
        chunk.points.num = count;
        for (int i = 0; i < count; ++i)
            chunk.p[i].weight = 1.0f;
        if (count > 0) {
            int found = local_search(&chunk.points, options.kmin, options.kmax, check);
            printf("chunk: %d points, %d centres\n", count, found);
            keep_centers(chunk, id, options.center_size, centers);
        }
        id += count;
    } while (count == options.chunk_size);
    if (id == 0) {
        fprintf(stderr, "streamcluster: %s: no points\n", options.in);
        exit(1);
    }
}

// A line a centre: which point it is, the weight it stands for, where it lies.
static void write_centers(const PointBlock &centers, const char *path)
{
    const Points &points = centers.points;
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "streamcluster: cannot write %s\n", path);
        exit(1);
    }
    std::vector<float> weight(points.num);
    for (int i = 0; i < points.num; ++i)
        weight[points.p[i].assign] += points.p[i].weight;
    for (int i = 0; i < points.num; ++i) {
        if (weight[i] == 0.0f)
            continue;
        fprintf(file, "%ld\t%g", centers.id[i], weight[i]);
        for (int d = 0; d < points.dim; ++d)
            fprintf(file, " %g", points.coord[(size_t)i * points.dim + d]);
        fprintf(file, "\n");
    }
    if (fclose(file) != 0) {
        fprintf(stderr, "streamcluster: cannot write %s\n", path);
        exit(1);
    }
}

static int report(const GainCheck &check)
{
    if (check.worst <= TOLERANCE) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %ld)\n", check.worst, check.where);
    return 3;
}

static int run(PointStream *stream, const Options &options)
{
    int most_points = options.chunk_size > options.center_size ? options.chunk_size
                                                               : options.center_size;
    GainCheck check = {options.verify, 0, 0.0, 0};
    gain_open(most_points, options.dim, most_centers(options.kmax));
    PointBlock centers(options.center_size, options.dim);
    read_chunks(stream, options, &centers, &check);
    int found = local_search(&centers.points, options.kmin, options.kmax, &check);
    gain_close();

    printf("final: %d centres\n", found);
    write_centers(centers, options.out);
    printf("done\n");
    return options.verify ? report(check) : 0;
}

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    try {
        if (options.n > 0) {
            MadeStream stream(options.n);
            return run(&stream, options);
        }
        FileStream stream(options.in);
        return run(&stream, options);
    } catch (const std::bad_alloc &) {
        fprintf(stderr, "streamcluster: no host memory for chunks of %d points\n",
                options.chunk_size);
        return 1;
    }
}
