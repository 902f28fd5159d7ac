// Writes two sequences for nw: two lines of LENGTH letters. The second is the first with about one
// letter in eight drawn anew, so that the alignment has something to find.
// The same length and seed give the same file on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

int main(int argc, char **argv)
{
    const std::string alphabet = "ARNDCQEGHILKMFPSTWYVBZX*";
    int length = argc == 4 ? std::atoi(argv[1]) : 0;
    if (length < 1) {
        std::fprintf(stderr, "usage: %s LENGTH SEED FILE\n", argv[0]);
        return 1;
    }
    std::mt19937 random((std::uint32_t)std::strtoul(argv[2], nullptr, 10));
    std::string first, second;
    for (int i = 0; i < length; ++i)
        first += alphabet[random() % alphabet.size()];
    for (char letter : first)
        second += random() % 8 == 0 ? alphabet[random() % alphabet.size()] : letter;

    FILE *file = std::fopen(argv[3], "w");
    if (!file) {
        std::fprintf(stderr, "generate: cannot write %s\n", argv[3]);
        return 1;
    }
    std::fprintf(file, "%s\n%s\n", first.c_str(), second.c_str());
    return std::fclose(file) == 0 ? 0 : 1;
}
