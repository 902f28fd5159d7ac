// Writes a matrix for lud: the dimension, then one line of numbers per row. The diagonal is heavy,
// because lud does not pivot. The same size and seed give the same file on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

// std distributions differ between libraries, the raw generator does not.
static double unit(std::mt19937 &random)
{
    return random() / 4294967296.0;
}

int main(int argc, char **argv)
{
    int size = argc == 4 ? std::atoi(argv[1]) : 0;
    if (size < 16 || size % 16 != 0) {
        std::fprintf(stderr, "usage: %s SIZE SEED FILE\n  SIZE a multiple of 16\n", argv[0]);
        return 1;
    }
    FILE *file = std::fopen(argv[3], "w");
    if (!file) {
        std::fprintf(stderr, "generate: cannot write %s\n", argv[3]);
        return 1;
    }
    std::mt19937 random((std::uint32_t)std::strtoul(argv[2], nullptr, 10));

    std::fprintf(file, "%d\n", size);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            double value = 2.0 * unit(random) - 1.0;
            std::fprintf(file, "%.6f%c", i == j ? size / 2 + 1 + value : value,
                         j + 1 < size ? ' ' : '\n');
        }
    }
    return std::fclose(file) == 0 ? 0 : 1;
}
