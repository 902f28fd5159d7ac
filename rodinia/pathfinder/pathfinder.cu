// Pathfinder: the cheapest way down a grid of costs, one row a step, straight or to a neighbour
// column. Each launch does several rows in shared memory, with a border that it gives up.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <cuda_runtime.h>

#define BLOCK_SIZE 256

// One launch loses a column on both sides per row, so at least two columns must be left.
static const int MAX_PYRAMID = BLOCK_SIZE / 2 - 1;

#define CUDA_CHECK(call)                                                                    \
    do {                                                                                    \
        cudaError_t error_ = (call);                                                        \
        if (error_ != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            exit(2);                                                                        \
        }                                                                                   \
    } while (0)

struct Grid {
    int rows, cols;
    int *data;   // rows * cols
    int **wall;  // one pointer a row
};

__host__ __device__ static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// From `row` on, `steps` rows of `wall`; `src` has the costs up to the row before.
__global__ void dynproc_kernel(int steps, const int *wall, const int *src, int *dst, int cols,
                               int row, int border)
{
    __shared__ int prev[BLOCK_SIZE];

    int tx = threadIdx.x;
    int inner = BLOCK_SIZE - 2 * border;
    int col = inner * blockIdx.x + tx - border;
    bool inside = col >= 0 && col < cols;
    int best = inside ? src[col] : 0;
    prev[tx] = best;

    // There is no column beyond the first and last: the way comes from the column itself.
    int west = col > 0 ? tx - 1 : tx;
    int east = col < cols - 1 ? tx + 1 : tx;

    for (int step = 0; step < steps; ++step) {
        bool live = inside && tx > step && tx < BLOCK_SIZE - 1 - step;
        __syncthreads();
        if (live)
            best = smaller(smaller(prev[west], prev[tx]), prev[east]) +
                   wall[(size_t)(row + step) * cols + col];
        __syncthreads();
        if (live)
            prev[tx] = best;
    }

    if (inside && tx >= border && tx < BLOCK_SIZE - border)
        dst[col] = best;
}

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s <row_len> <col_len> <pyramid_height> [--verify]\n"
            "  row_len         columns of the grid, at least 1\n"
            "  col_len         rows of the grid, at least 2\n"
            "  pyramid_height  rows per launch, 1 to %d\n",
            program, MAX_PYRAMID);
    exit(1);
}

static void make_grid(Grid *grid)
{
    grid->data = new int[(size_t)grid->rows * grid->cols];
    grid->wall = new int *[grid->rows];
    for (int r = 0; r < grid->rows; ++r)
        grid->wall[r] = grid->data + (size_t)r * grid->cols;
    srand(9);
    for (int r = 0; r < grid->rows; ++r)
        for (int c = 0; c < grid->cols; ++c)
            grid->wall[r][c] = rand() % 10;
}

// Returns which of the two buffers has the costs of the last row.
static int calc_path(const int *gpu_wall, int *gpu_result[2], const Grid &grid, int pyramid_height)
{
    int inner = BLOCK_SIZE - 2 * pyramid_height;
    dim3 block(BLOCK_SIZE);
    dim3 blocks(grid.cols / inner + (grid.cols % inner == 0 ? 0 : 1));
    int src = 1, dst = 0;
    for (int t = 0; t < grid.rows - 1; t += pyramid_height) {
        int left = src;
        src = dst;
        dst = left;
        dynproc_kernel<<<blocks, block>>>(smaller(pyramid_height, grid.rows - t - 1), gpu_wall,
                                          gpu_result[src], gpu_result[dst], grid.cols, t,
                                          pyramid_height);
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return dst;
}

// The first row of the grid is the start; the device keeps the others apart.
static void run_device(const Grid &grid, int pyramid_height, int *result)
{
    size_t row_bytes = sizeof(int) * grid.cols;
    size_t wall_bytes = row_bytes * (grid.rows - 1);
    int *gpu_wall, *gpu_result[2];
    CUDA_CHECK(cudaMalloc((void **)&gpu_result[0], row_bytes));
    CUDA_CHECK(cudaMalloc((void **)&gpu_result[1], row_bytes));
    CUDA_CHECK(cudaMemcpy(gpu_result[0], grid.wall[0], row_bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMalloc((void **)&gpu_wall, wall_bytes));
    CUDA_CHECK(cudaMemcpy(gpu_wall, grid.wall[1], wall_bytes, cudaMemcpyHostToDevice));

    int last = calc_path(gpu_wall, gpu_result, grid, pyramid_height);
    CUDA_CHECK(cudaMemcpy(result, gpu_result[last], row_bytes, cudaMemcpyDeviceToHost));

    CUDA_CHECK(cudaFree(gpu_wall));
    CUDA_CHECK(cudaFree(gpu_result[0]));
    CUDA_CHECK(cudaFree(gpu_result[1]));
}

// Whole numbers, so the tolerance is zero.
static int verify(const Grid &grid, const int *result)
{
    int *now = new int[grid.cols];
    int *next = new int[grid.cols];
    memcpy(now, grid.wall[0], sizeof(int) * grid.cols);
    for (int r = 1; r < grid.rows; ++r) {
        for (int c = 0; c < grid.cols; ++c) {
            int best = now[c];
            if (c > 0)
                best = smaller(best, now[c - 1]);
            if (c < grid.cols - 1)
                best = smaller(best, now[c + 1]);
            next[c] = best + grid.wall[r][c];
        }
        int *old = now;
        now = next;
        next = old;
    }

    int worst = 0, where = 0;
    for (int c = 0; c < grid.cols; ++c) {
        int error = abs(result[c] - now[c]);
        if (error > worst) {
            worst = error;
            where = c;
        }
    }
    delete[] now;
    delete[] next;
    if (worst == 0) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %d at index %d)\n", worst, where);
    return 3;
}

static int run(Grid &grid, int pyramid_height, bool want_verify)
{
    make_grid(&grid);
    int *result = new int[grid.cols];
    printf("grid: %d rows, %d columns, pyramid height %d\n", grid.rows, grid.cols,
           pyramid_height);
    run_device(grid, pyramid_height, result);

    int best = 0;
    for (int c = 1; c < grid.cols; ++c)
        if (result[c] < result[best])
            best = c;
    printf("cheapest: %d at column %d\n", result[best], best);
    printf("done\n");

    int status = want_verify ? verify(grid, result) : 0;
    delete[] grid.data;
    delete[] grid.wall;
    delete[] result;
    return status;
}

int main(int argc, char **argv)
{
    bool want_verify = false;
    int words = 0;
    int word[3];
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0)
            want_verify = true;
        else if (words < 3)
            word[words++] = atoi(argv[i]);
        else
            usage(argv[0]);
    }
    if (words != 3)
        usage(argv[0]);

    Grid grid = {word[1], word[0], NULL, NULL};
    int pyramid_height = word[2];
    if (grid.cols < 1 || grid.rows < 2 || pyramid_height < 1 || pyramid_height > MAX_PYRAMID)
        usage(argv[0]);
    try {
        return run(grid, pyramid_height, want_verify);
    } catch (const std::bad_alloc &) {
        fprintf(stderr, "pathfinder: no host memory for %d x %d costs\n", grid.rows, grid.cols);
        return 1;
    }
}
