// Writes a temperature map and a power map for hotspot: size * size lines, one number a line.
// The same size and seed give the same files on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

// std distributions differ between libraries, the raw generator does not.
static double unit(std::mt19937 &random)
{
    return random() / 4294967296.0;
}

static bool write_map(const char *path, int size, double low, double high, std::uint32_t seed)
{
    FILE *file = std::fopen(path, "w");
    if (!file) {
        std::fprintf(stderr, "generate: cannot write %s\n", path);
        return false;
    }
    std::mt19937 random(seed);
    for (long i = 0; i < (long)size * size; ++i)
        std::fprintf(file, "%.6f\n", low + (high - low) * unit(random));
    return std::fclose(file) == 0;
}

int main(int argc, char **argv)
{
    int size = argc == 5 ? std::atoi(argv[1]) : 0;
    if (size < 1) {
        std::fprintf(stderr, "usage: %s SIZE SEED TEMP_FILE POWER_FILE\n", argv[0]);
        return 1;
    }
    std::uint32_t seed = (std::uint32_t)std::strtoul(argv[2], nullptr, 10);
    bool good = write_map(argv[3], size, 320.0, 330.0, seed) &&
                write_map(argv[4], size, 0.0, 0.01, seed + 1);
    return good ? 0 : 1;
}
