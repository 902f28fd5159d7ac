// Writes points for streamcluster as 32-bit floats: round CENTRES places drawn at random, from 0 to
// 1. The same arguments give the same file on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

static double unit(std::mt19937 &random)
{
    return random() / 4294967296.0;
}

int main(int argc, char **argv)
{
    long points = argc == 6 ? std::atol(argv[1]) : 0;
    int dim = argc == 6 ? std::atoi(argv[2]) : 0;
    int centres = argc == 6 ? std::atoi(argv[3]) : 0;
    if (points < 1 || dim < 1 || centres < 1) {
        std::fprintf(stderr, "usage: %s POINTS DIM CENTRES SEED FILE\n", argv[0]);
        return 1;
    }
    FILE *file = std::fopen(argv[5], "wb");
    if (!file) {
        std::fprintf(stderr, "generate: cannot write %s\n", argv[5]);
        return 1;
    }
    std::mt19937 random((std::uint32_t)std::strtoul(argv[4], nullptr, 10));
    std::vector<float> centre((size_t)centres * dim), point(dim);
    for (float &value : centre)
        value = (float)(0.1 + 0.8 * unit(random));
    for (long p = 0; p < points; ++p) {
        size_t near = random() % centres;
        for (int i = 0; i < dim; ++i)
            point[i] = centre[near * dim + i] + (float)(0.2 * unit(random) - 0.1);
        std::fwrite(point.data(), sizeof(float), point.size(), file);
    }
    return std::fclose(file) == 0 ? 0 : 1;
}
