// Nearest neighbours: of all hurricane records in some files, the ones nearest to a place. The GPU
// computes the distances, the host picks the smallest.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#define THREADS_PER_BLOCK 256
#define RECORD_LENGTH 49  // with the newline
#define LATITUDE_AT 28
#define LONGITUDE_AT 33
#define FIELD_LENGTH 5
#define TOLERANCE 1e-4f  // degrees

struct LatLong {
    float lat, lng;
};

struct Record {
    char text[RECORD_LENGTH];
    float distance;
};

struct Options {
    const char *list;
    int results;
    LatLong target;
    bool quiet, verify;
};

static void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(error));
    exit(2);
}
#define CHECK(call) check((call), __LINE__)

__global__ void euclid(const LatLong *locations, float *distances, int records, float lat, float lng)
{
    int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i >= records)
        return;
    float north = lat - locations[i].lat;
    float east = lng - locations[i].lng;
    distances[i] = sqrtf(north * north + east * east);
}

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s <filelist> [-r N] [-lat LAT] [-lng LNG] [-q] [--verify]\n"
            "  filelist  names of record files, one a line, seen from the list's folder\n"
            "  -r        how many neighbours to print (10)\n"
            "  -lat      latitude, -90 to 90 (0)\n"
            "  -lng      longitude, -180 to 360 (0)\n"
            "  -q        print no neighbours\n",
            program);
    exit(1);
}

static float number(const char *text, const char *program)
{
    char *end;
    float value = strtof(text, &end);
    if (end == text || *end != '\0')
        usage(program);
    return value;
}

static Options read_options(int argc, char **argv)
{
    Options options = {NULL, 10, {0.0f, 0.0f}, false, false};
    for (int i = 1; i < argc; ++i) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--verify") == 0)
            options.verify = true;
        else if (strcmp(argv[i], "-q") == 0)
            options.quiet = true;
        else if (strcmp(argv[i], "-r") == 0 && has_value)
            options.results = atoi(argv[++i]);
        else if (strcmp(argv[i], "-lat") == 0 && has_value)
            options.target.lat = number(argv[++i], argv[0]);
        else if (strcmp(argv[i], "-lng") == 0 && has_value)
            options.target.lng = number(argv[++i], argv[0]);
        else if (argv[i][0] != '-' && !options.list)
            options.list = argv[i];
        else
            usage(argv[0]);
    }
    bool on_earth = fabsf(options.target.lat) <= 90.0f && options.target.lng >= -180.0f &&
                    options.target.lng <= 360.0f;
    if (!options.list || options.results < 1 || !on_earth)
        usage(argv[0]);
    return options;
}

static FILE *open_or_exit(const std::string &path)
{
    FILE *file = fopen(path.c_str(), "r");
    if (!file) {
        fprintf(stderr, "nn: cannot open %s\n", path.c_str());
        exit(1);
    }
    return file;
}

// A field of fixed width has no end of its own.
static float field(const char *record, int at)
{
    char text[FIELD_LENGTH + 1];
    memcpy(text, record + at, FIELD_LENGTH);
    text[FIELD_LENGTH] = '\0';
    return (float)atof(text);
}

static void read_records(const std::string &path, std::vector<Record> &records,
                         std::vector<LatLong> &locations)
{
    FILE *file = open_or_exit(path);
    Record record;
    record.distance = 0.0f;
    size_t got;
    while ((got = fread(record.text, 1, RECORD_LENGTH, file)) == RECORD_LENGTH) {
        record.text[RECORD_LENGTH - 1] = '\0';
        records.push_back(record);
        LatLong location = {field(record.text, LATITUDE_AT), field(record.text, LONGITUDE_AT)};
        locations.push_back(location);
    }
    fclose(file);
    if (got != 0) {
        fprintf(stderr, "nn: %s: the last record has %zu of %d characters\n", path.c_str(), got,
                RECORD_LENGTH);
        exit(1);
    }
}

static void read_all(const char *list_path, std::vector<Record> &records,
                     std::vector<LatLong> &locations)
{
    FILE *list = open_or_exit(list_path);
    std::string folder(list_path);
    size_t slash = folder.rfind('/');
    folder.resize(slash == std::string::npos ? 0 : slash + 1);
    char name[256];
    while (fscanf(list, "%255s", name) == 1)
        read_records(name[0] == '/' ? name : folder + name, records, locations);
    fclose(list);
    if (records.empty()) {
        fprintf(stderr, "nn: %s: no records\n", list_path);
        exit(1);
    }
}

static int rounded_up(int whole, int part)
{
    return whole / part + (whole % part == 0 ? 0 : 1);
}

// Blocks go into a second dimension where the first cannot hold them all.
static dim3 grid_for(int records, int threads, int widest)
{
    int blocks = rounded_up(records, threads);
    int rows = rounded_up(blocks, widest);
    return dim3(rounded_up(blocks, rows), rows);
}

static void compute_distances(const std::vector<LatLong> &locations, std::vector<float> &distances,
                              LatLong target)
{
    int records = (int)locations.size();
    cudaDeviceProp properties;
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int threads = properties.maxThreadsPerBlock < THREADS_PER_BLOCK ? properties.maxThreadsPerBlock
                                                                    : THREADS_PER_BLOCK;
    dim3 grid = grid_for(records, threads, properties.maxGridSize[0]);

    LatLong *device_locations;
    float *device_distances;
    CHECK(cudaMalloc((void **)&device_locations, sizeof(LatLong) * records));
    CHECK(cudaMalloc((void **)&device_distances, sizeof(float) * records));
    CHECK(cudaMemcpy(device_locations, locations.data(), sizeof(LatLong) * records,
                     cudaMemcpyHostToDevice));
    euclid<<<grid, threads>>>(device_locations, device_distances, records, target.lat, target.lng);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(distances.data(), device_distances, sizeof(float) * records,
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_locations));
    CHECK(cudaFree(device_distances));
}

// Moves the `wanted` nearest to the front, in order.
static void select_nearest(std::vector<Record> &records, int wanted)
{
    for (int i = 0; i < wanted; ++i) {
        size_t nearest = i;
        for (size_t j = i; j < records.size(); ++j)
            if (records[j].distance < records[nearest].distance)
                nearest = j;
        std::swap(records[i], records[nearest]);
    }
}

static int verify(const std::vector<LatLong> &locations, const std::vector<float> &distances,
                  LatLong target)
{
    float worst = 0.0f;
    size_t where = 0;
    for (size_t i = 0; i < locations.size(); ++i) {
        double north = (double)target.lat - locations[i].lat;
        double east = (double)target.lng - locations[i].lng;
        float error = fabsf(distances[i] - (float)std::sqrt(north * north + east * east));
        if (!(error <= worst)) {  // a NaN is an error too
            worst = error;
            where = i;
            if (error != error)
                break;
        }
    }
    if (worst <= TOLERANCE) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %zu)\n", worst, where);
    return 3;
}

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    std::vector<Record> records;
    std::vector<LatLong> locations;
    read_all(options.list, records, locations);
    printf("records: %zu\n", records.size());

    std::vector<float> distances(records.size());
    compute_distances(locations, distances, options.target);
    for (size_t i = 0; i < records.size(); ++i)
        records[i].distance = distances[i];

    int shown = options.results < (int)records.size() ? options.results : (int)records.size();
    if (!options.quiet) {
        select_nearest(records, shown);
        for (int i = 0; i < shown; ++i)
            printf("%s --> %f\n", records[i].text, records[i].distance);
    }
    printf("done\n");
    return options.verify ? verify(locations, distances, options.target) : 0;
}
