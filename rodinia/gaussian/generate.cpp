// Writes a linear system for gaussian: the size, a blank line, the matrix, a blank line, the
// right-hand side. The diagonal outweighs the rest of its row, so no pivoting is needed.
// The same size and seed give the same file on every machine.

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
    if (size < 1) {
        std::fprintf(stderr, "usage: %s SIZE SEED FILE\n", argv[0]);
        return 1;
    }
    FILE *file = std::fopen(argv[3], "w");
    if (!file) {
        std::fprintf(stderr, "generate: cannot write %s\n", argv[3]);
        return 1;
    }
    std::mt19937 random((std::uint32_t)std::strtoul(argv[2], nullptr, 10));

    std::fprintf(file, "%d\n\n", size);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            double value = 2.0 * unit(random) - 1.0;
            std::fprintf(file, "%.6f%c", i == j ? size + value : value, j + 1 < size ? ' ' : '\n');
        }
    }
    std::fprintf(file, "\n");
    for (int i = 0; i < size; ++i)
        std::fprintf(file, "%.6f%c", 10.0 * unit(random), i + 1 < size ? ' ' : '\n');
    return std::fclose(file) == 0 ? 0 : 1;
}
