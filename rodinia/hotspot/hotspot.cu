// Heat spreading over a chip: reads a temperature and a power map, runs explicit time steps on the
// GPU, writes the final temperatures. Each launch does several steps in shared memory by loading a
// border that shrinks by one cell a step.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#define BLOCK_SIZE 16
#define TOLERANCE 0.01f  // degrees

// One launch loses one ring of the tile per step, so at least two cells of it must be left.
static const int MAX_PYRAMID = BLOCK_SIZE / 2 - 1;
// Cell numbers are ints in the kernel.
static const int MAX_SIZE = 46340;

static void check_cuda(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
    exit(2);
}
#define CUDA(call) check_cuda((call), __FILE__, __LINE__)

// Weights of one time step, all without unit but `power` (degrees per watt).
struct Weights {
    float x, y, ambient, power;
    float ambient_temp;
};

// A square chip of 16 mm by 16 mm and 0.5 mm silicon under air at 300 K. The time step is half of
// the largest stable one.
static Weights chip_weights(int rows, int cols)
{
    const float side = 0.016f, thickness = 0.0005f, conductivity = 100.0f;
    float dx = side / cols, dy = side / rows;
    float flow_x = conductivity * thickness * dy / dx;
    float flow_y = conductivity * thickness * dx / dy;
    float flow_up = conductivity * dx * dy / thickness;
    float step_per_capacity = 0.5f / (2 * flow_x + 2 * flow_y + flow_up);

    Weights w;
    w.x = step_per_capacity * flow_x;
    w.y = step_per_capacity * flow_y;
    w.ambient = step_per_capacity * flow_up;
    w.power = step_per_capacity;
    w.ambient_temp = 300.0f;
    return w;
}

__host__ __device__ static float next_temp(float here, float north, float south, float west,
                                           float east, float watts, const Weights &w)
{
    return here + w.power * watts + w.y * (north + south - 2 * here) +
           w.x * (west + east - 2 * here) + w.ambient * (w.ambient_temp - here);
}

__global__ void diffuse(int steps, int border, const float *power, const float *src, float *dst,
                        int rows, int cols, Weights w)
{
    __shared__ float tile[BLOCK_SIZE][BLOCK_SIZE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int inner = BLOCK_SIZE - 2 * border;
    int col = inner * blockIdx.x + tx - border;
    int row = inner * blockIdx.y + ty - border;
    bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
    int cell = row * cols + col;

    float here = inside ? src[cell] : 0.0f;
    float watts = inside ? power[cell] : 0.0f;
    tile[ty][tx] = here;

    // No heat leaves through the edge of the chip: a missing neighbour is the cell itself.
    int north = row > 0 ? ty - 1 : ty, south = row < rows - 1 ? ty + 1 : ty;
    int west = col > 0 ? tx - 1 : tx, east = col < cols - 1 ? tx + 1 : tx;

    for (int step = 1; step <= steps; ++step) {
        bool live = inside && tx >= step && tx < BLOCK_SIZE - step && ty >= step &&
                    ty < BLOCK_SIZE - step;
        __syncthreads();
        if (live)
            here = next_temp(here, tile[north][tx], tile[south][tx], tile[ty][west],
                             tile[ty][east], watts, w);
        __syncthreads();
        if (live)
            tile[ty][tx] = here;
    }

    bool owned = tx >= border && tx < BLOCK_SIZE - border && ty >= border &&
                 ty < BLOCK_SIZE - border;
    if (inside && owned)
        dst[cell] = here;
}

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s <grid_rows/cols> <pyramid_height> <sim_time> <temp_file> <power_file> "
            "<output_file> [--verify]\n"
            "  grid_rows/cols  1 to %d\n  pyramid_height  time steps per launch, 1 to %d\n"
            "  sim_time        time steps, at least 1\n",
            program, MAX_SIZE, MAX_PYRAMID);
    exit(1);
}

static void *allocate_host(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "hotspot: no host memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static float *allocate_device(size_t cells)
{
    float *memory;
    CUDA(cudaMalloc((void **)&memory, cells * sizeof(float)));
    return memory;
}

static void read_map(float *map, int rows, int cols, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "hotspot: cannot open %s\n", path);
        exit(1);
    }
    char line[256];
    for (long i = 0; i < (long)rows * cols; ++i) {
        if (!fgets(line, sizeof line, file)) {
            fprintf(stderr, "hotspot: %s: %ld values, wanted %d x %d\n", path, i, rows, cols);
            exit(1);
        }
        if (sscanf(line, "%f", &map[i]) != 1) {
            fprintf(stderr, "hotspot: %s: line %ld is not a number\n", path, i + 1);
            exit(1);
        }
    }
    fclose(file);
}

static void write_map(const float *map, int rows, int cols, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "hotspot: cannot write %s\n", path);
        exit(1);
    }
    for (long i = 0; i < (long)rows * cols; ++i)
        fprintf(file, "%ld\t%g\n", i, map[i]);
    if (fclose(file) != 0) {
        fprintf(stderr, "hotspot: cannot write %s\n", path);
        exit(1);
    }
}

// Returns which of the two buffers holds the result.
static int run_steps(float *temp[2], const float *power, int rows, int cols, int sim_time,
                     int pyramid_height)
{
    int inner = BLOCK_SIZE - 2 * pyramid_height;
    int block_cols = cols / inner + (cols % inner == 0 ? 0 : 1);
    int block_rows = rows / inner + (rows % inner == 0 ? 0 : 1);
    dim3 block(BLOCK_SIZE, BLOCK_SIZE);
    dim3 grid(block_cols, block_rows);
    Weights weights = chip_weights(rows, cols);

    int src = 0;
    for (int t = 0; t < sim_time; t += pyramid_height) {
        int steps = sim_time - t < pyramid_height ? sim_time - t : pyramid_height;
        diffuse<<<grid, block>>>(steps, pyramid_height, power, temp[src], temp[1 - src], rows,
                                 cols, weights);
        CUDA(cudaGetLastError());
        src = 1 - src;
    }
    CUDA(cudaDeviceSynchronize());
    return src;
}

static void reference_step(const float *src, float *dst, const float *power, int rows, int cols,
                           const Weights &w)
{
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            long i = (long)r * cols + c;
            dst[i] = next_temp(src[i], r > 0 ? src[i - cols] : src[i],
                               r < rows - 1 ? src[i + cols] : src[i], c > 0 ? src[i - 1] : src[i],
                               c < cols - 1 ? src[i + 1] : src[i], power[i], w);
        }
    }
}

static int verify(const float *result, const float *start, const float *power, int rows, int cols,
                  int sim_time)
{
    long cells = (long)rows * cols;
    float *now = (float *)allocate_host(cells * sizeof(float));
    float *next = (float *)allocate_host(cells * sizeof(float));
    Weights weights = chip_weights(rows, cols);
    memcpy(now, start, cells * sizeof(float));
    for (int t = 0; t < sim_time; ++t) {
        reference_step(now, next, power, rows, cols, weights);
        float *old = now;
        now = next;
        next = old;
    }

    float worst = 0.0f;
    long where = 0;
    for (long i = 0; i < cells; ++i) {
        float error = fabsf(result[i] - now[i]);
        if (!(error <= worst)) {  // a NaN is an error too
            worst = error;
            where = i;
            if (error != error)
                break;
        }
    }
    free(now);
    free(next);
    if (worst <= TOLERANCE) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %ld)\n", worst, where);
    return 3;
}

static bool take_verify_flag(int *argc, char **argv)
{
    bool found = false;
    int kept = 1;
    for (int i = 1; i < *argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0)
            found = true;
        else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    return found;
}

static void print_device()
{
    CUDA(cudaSetDevice(0));
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    printf("device: %s\n", properties.name);
}

int main(int argc, char **argv)
{
    bool want_verify = take_verify_flag(&argc, argv);
    if (argc != 7)
        usage(argv[0]);
    int rows = atoi(argv[1]), cols = rows;
    int pyramid_height = atoi(argv[2]);
    int sim_time = atoi(argv[3]);
    if (rows < 1 || rows > MAX_SIZE || pyramid_height < 1 || pyramid_height > MAX_PYRAMID ||
        sim_time < 1)
        usage(argv[0]);

    size_t cells = (size_t)rows * cols;
    float *temp = (float *)allocate_host(cells * sizeof(float));
    float *power = (float *)allocate_host(cells * sizeof(float));
    float *result = (float *)allocate_host(cells * sizeof(float));
    read_map(temp, rows, cols, argv[4]);
    read_map(power, rows, cols, argv[5]);

    print_device();
    printf("grid: %d x %d, pyramid height %d, %d steps\n", rows, cols, pyramid_height, sim_time);

    float *device_temp[2];
    device_temp[0] = allocate_device(cells);
    device_temp[1] = allocate_device(cells);
    CUDA(cudaMemcpy(device_temp[0], temp, cells * sizeof(float), cudaMemcpyHostToDevice));
    float *device_power = allocate_device(cells);
    CUDA(cudaMemcpy(device_power, power, cells * sizeof(float), cudaMemcpyHostToDevice));

    int last = run_steps(device_temp, device_power, rows, cols, sim_time, pyramid_height);
    CUDA(cudaMemcpy(result, device_temp[last], cells * sizeof(float), cudaMemcpyDeviceToHost));

    CUDA(cudaFree(device_power));
    CUDA(cudaFree(device_temp[0]));
    CUDA(cudaFree(device_temp[1]));

    write_map(result, rows, cols, argv[6]);
    printf("done\n");
    int status = want_verify ? verify(result, temp, power, rows, cols, sim_time) : 0;
    free(temp);
    free(power);
    free(result);
    return status;
}
