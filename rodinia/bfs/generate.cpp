// Writes a random graph for bfs: every node gets 1 to 2 * DEGREE - 1 edges to nodes drawn at
// random. The same arguments give the same file on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

int main(int argc, char **argv)
{
    int nodes = argc == 5 ? std::atoi(argv[1]) : 0;
    int mean = argc == 5 ? std::atoi(argv[2]) : 0;
    if (nodes < 1 || mean < 1) {
        std::fprintf(stderr, "usage: %s NODES DEGREE SEED FILE\n", argv[0]);
        return 1;
    }
    FILE *file = std::fopen(argv[4], "w");
    if (!file) {
        std::fprintf(stderr, "generate: cannot write %s\n", argv[4]);
        return 1;
    }
    std::mt19937 random((std::uint32_t)std::strtoul(argv[3], nullptr, 10));

    std::fprintf(file, "%d\n", nodes);
    long edges = 0;
    for (int i = 0; i < nodes; ++i) {
        long degree = 1 + (long)(random() % (2u * mean - 1));
        std::fprintf(file, "%ld %ld\n", edges, degree);
        edges += degree;
    }
    std::fprintf(file, "\n%d\n\n%ld\n", (int)(random() % nodes), edges);
    for (long i = 0; i < edges; ++i) {
        int dest = (int)(random() % nodes);
        int cost = 1 + (int)(random() % 10);
        std::fprintf(file, "%d %d\n", dest, cost);
    }
    return std::fclose(file) == 0 ? 0 : 1;
}
