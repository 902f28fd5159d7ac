// Writes record files for nn and their list: LIST names FILES files that lie beside it and share
// its name, with RECORDS records in all. The same arguments give the same files on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

static const char *const NAMES[] = {"ALBERTO", "BERYL", "CHRIS", "DEBBY", "ERNESTO", "FRANCINE"};

// 49 characters with the newline; latitude from the 29th on, longitude from the 34th, 5 each.
static void write_record(FILE *file, std::mt19937 &random)
{
    int year = 1950 + (int)(random() % 55), month = 1 + (int)(random() % 12);
    int day = 1 + (int)(random() % 28), hour = 6 * (int)(random() % 4);
    int number = 1 + (int)(random() % 999);
    const char *name = NAMES[random() % 6];
    double lat = (double)(random() % 1801) / 10.0 - 90.0;
    double lng = (double)(random() % 3600) / 10.0;
    int wind = 20 + (int)(random() % 140), pressure = 880 + (int)(random() % 140);
    std::fprintf(file, "%4d %2d %2d %2d %3d %-9s %5.1f%5.1f %4d %4d\n", year, month, day, hour,
                 number, name, lat, lng, wind, pressure);
}

static FILE *open_or_exit(const std::string &path)
{
    FILE *file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::fprintf(stderr, "generate: cannot write %s\n", path.c_str());
        std::exit(1);
    }
    return file;
}

static void close_or_exit(FILE *file, const std::string &path)
{
    if (std::fclose(file) != 0) {
        std::fprintf(stderr, "generate: cannot write %s\n", path.c_str());
        std::exit(1);
    }
}

int main(int argc, char **argv)
{
    long records = argc == 5 ? std::atol(argv[1]) : 0;
    long files = argc == 5 ? std::atol(argv[2]) : 0;
    if (files < 1 || records < files) {
        std::fprintf(stderr, "usage: %s RECORDS FILES SEED LIST\n", argv[0]);
        return 1;
    }
    std::mt19937 random((std::uint32_t)std::strtoul(argv[3], nullptr, 10));
    std::string list_path = argv[4];
    FILE *list = open_or_exit(list_path);
    for (long i = 0; i < files; ++i) {
        std::string path = list_path + "_" + std::to_string(i) + ".db";
        FILE *file = open_or_exit(path);
        for (long r = records * i / files; r < records * (i + 1) / files; ++r)
            write_record(file, random);
        close_or_exit(file, path);
        std::fprintf(list, "%s\n", path.substr(path.rfind('/') + 1).c_str());
    }
    close_or_exit(list, list_path);
    return 0;
}
