// Writes points for kmeans: round CENTRES places drawn at random, features from 0 to 100. Text, or
// binary where FILE ends in .bin. The same arguments give the same file on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

static double unit(std::mt19937 &random)
{
    return random() / 4294967296.0;
}

static void write_point(FILE *file, bool binary, long number, const std::vector<float> &point)
{
    if (binary) {
        std::fwrite(point.data(), sizeof(float), point.size(), file);
        return;
    }
    std::fprintf(file, "%ld", number);
    for (float feature : point)
        std::fprintf(file, " %.3f", feature);
    std::fprintf(file, "\n");
}

int main(int argc, char **argv)
{
    int points = argc == 6 ? std::atoi(argv[1]) : 0;
    int features = argc == 6 ? std::atoi(argv[2]) : 0;
    int centres = argc == 6 ? std::atoi(argv[3]) : 0;
    if (points < 1 || features < 1 || centres < 1) {
        std::fprintf(stderr, "usage: %s POINTS FEATURES CENTRES SEED FILE\n", argv[0]);
        return 1;
    }
    const char *ending = std::strrchr(argv[5], '.');
    bool binary = ending && std::strcmp(ending, ".bin") == 0;
    FILE *file = std::fopen(argv[5], binary ? "wb" : "w");
    if (!file) {
        std::fprintf(stderr, "generate: cannot write %s\n", argv[5]);
        return 1;
    }
    std::mt19937 random((std::uint32_t)std::strtoul(argv[4], nullptr, 10));

    std::vector<float> centre((size_t)centres * features);
    for (float &value : centre)
        value = (float)(10.0 + 80.0 * unit(random));
    if (binary) {
        std::fwrite(&points, sizeof points, 1, file);
        std::fwrite(&features, sizeof features, 1, file);
    }
    std::vector<float> point(features);
    for (long p = 0; p < points; ++p) {
        size_t near = random() % centres;
        for (int i = 0; i < features; ++i)
            point[i] = centre[near * features + i] + (float)(20.0 * unit(random) - 10.0);
        write_point(file, binary, p, point);
    }
    return std::fclose(file) == 0 ? 0 : 1;
}
