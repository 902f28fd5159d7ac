// Needleman-Wunsch: the best global alignment score of two sequences, by filling a score table
// tile by tile along its diagonals. Sequences come from a fixed seed or from a file.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#define BLOCK_SIZE 16

// Table positions are ints in the kernels: (dim + 1) squared must fit.
static const int MAX_DIM = 46320;
static const char ALPHABET[] = "ARNDCQEGHILKMFPSTWYVBZX*";
static const int LETTERS = sizeof ALPHABET - 1;

#define CUDA(call)                                                                         \
    do {                                                                                   \
        cudaError_t error_ = (call);                                                       \
        if (error_ != cudaSuccess) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            exit(2);                                                                       \
        }                                                                                  \
    } while (0)

__host__ __device__ static int best_of(int a, int b, int c)
{
    int larger = a > b ? a : b;
    return larger > c ? larger : c;
}

// One block of 16 threads fills one 16 by 16 tile. Thread t owns column t of the tile and starts
// t steps late, so that its left neighbour is always one row ahead.
__device__ static void fill_tile(const int *similarity, int *table, int cols, int penalty,
                                 int tile_x, int tile_y)
{
    __shared__ int best[BLOCK_SIZE + 1][BLOCK_SIZE + 1];
    __shared__ int match[BLOCK_SIZE][BLOCK_SIZE];

    int t = threadIdx.x;
    int corner = tile_y * BLOCK_SIZE * cols + tile_x * BLOCK_SIZE;

    for (int row = 0; row < BLOCK_SIZE; ++row)
        match[row][t] = similarity[corner + (row + 1) * cols + t + 1];
    best[t + 1][0] = table[corner + (t + 1) * cols];
    best[0][t + 1] = table[corner + t + 1];
    if (t == 0)
        best[0][0] = table[corner];
    __syncthreads();

    for (int step = 0; step < 2 * BLOCK_SIZE - 1; ++step) {
        int row = step - t;
        if (row >= 0 && row < BLOCK_SIZE)
            best[row + 1][t + 1] =
                best_of(best[row][t] + match[row][t], best[row + 1][t] - penalty,
                        best[row][t + 1] - penalty);
        __syncthreads();
    }

    for (int row = 0; row < BLOCK_SIZE; ++row)
        table[corner + (row + 1) * cols + t + 1] = best[row + 1][t + 1];
}

// Diagonal with `count` tiles, from the first one to the longest.
__global__ void fill_growing(const int *similarity, int *table, int cols, int penalty, int count)
{
    int tile_x = blockIdx.x;
    fill_tile(similarity, table, cols, penalty, tile_x, count - 1 - tile_x);
}

// Diagonal with `count` tiles, after the longest, in a table of `across` by `across` tiles.
__global__ void fill_shrinking(const int *similarity, int *table, int cols, int penalty, int count,
                               int across)
{
    int tile_x = blockIdx.x + across - count;
    fill_tile(similarity, table, cols, penalty, tile_x, across - 1 - (int)blockIdx.x);
}

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s <max_rows/max_cols> <penalty> [sequence_file] [--verify]\n"
            "  max_rows/max_cols  length of both sequences, a multiple of 16 up to %d\n"
            "  penalty            cost of a gap, a positive integer\n",
            program, MAX_DIM);
    exit(1);
}

static int *allocate_table(size_t bytes)
{
    int *memory = (int *)malloc(bytes);
    if (!memory) {
        fprintf(stderr, "nw: no host memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

// A symmetric table of our own: equal letters score 4 to 8, others -4 to 2.
static int letter_score(int a, int b)
{
    if (a == b)
        return 4 + a % 5;
    return (a * b + a + b) % 7 - 4;
}

static void draw_sequences(int *first, int *second, int length)
{
    srand(7);
    for (int i = 0; i < length; ++i)
        first[i] = rand() % LETTERS;
    for (int i = 0; i < length; ++i)
        second[i] = rand() % LETTERS;
}

static void read_sequence(FILE *file, const char *path, int *sequence, int length)
{
    for (int i = 0; i < length; ++i) {
        char letter;
        const char *found = NULL;
        if (fscanf(file, " %c", &letter) == 1)
            found = (const char *)memchr(ALPHABET, letter, LETTERS);
        if (!found) {
            fprintf(stderr, "nw: %s: wanted two sequences of %d letters out of %s\n", path, length,
                    ALPHABET);
            exit(1);
        }
        sequence[i] = (int)(found - ALPHABET);
    }
}

static void read_sequences(const char *path, int *first, int *second, int length)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "nw: cannot open %s\n", path);
        exit(1);
    }
    read_sequence(file, path, first, length);
    read_sequence(file, path, second, length);
    fclose(file);
}

static void fill_inputs(int *similarity, int *table, const int *first, const int *second, int cols,
                        int penalty)
{
    memset(similarity, 0, (size_t)cols * cols * sizeof(int));
    memset(table, 0, (size_t)cols * cols * sizeof(int));
    for (int row = 1; row < cols; ++row)
        for (int col = 1; col < cols; ++col)
            similarity[(size_t)row * cols + col] = letter_score(first[row - 1], second[col - 1]);
    for (int i = 1; i < cols; ++i) {
        table[(size_t)i * cols] = -i * penalty;
        table[i] = -i * penalty;
    }
}

static void run_device(const int *similarity, int *table, int cols, int penalty)
{
    size_t size = (size_t)cols * cols;
    int *device_similarity, *device_table;
    CUDA(cudaMalloc((void **)&device_similarity, sizeof(int) * size));
    CUDA(cudaMalloc((void **)&device_table, sizeof(int) * size));
    CUDA(cudaMemcpy(device_similarity, similarity, sizeof(int) * size, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_table, table, sizeof(int) * size, cudaMemcpyHostToDevice));

    int across = (cols - 1) / BLOCK_SIZE;
    dim3 block(BLOCK_SIZE, 1);
    dim3 grid;
    for (int count = 1; count <= across; ++count) {
        grid.x = count;
        grid.y = 1;
        fill_growing<<<grid, block>>>(device_similarity, device_table, cols, penalty, count);
        CUDA(cudaGetLastError());
    }
    for (int count = across - 1; count >= 1; --count) {
        grid.x = count;
        grid.y = 1;
        fill_shrinking<<<grid, block>>>(device_similarity, device_table, cols, penalty, count,
                                        across);
        CUDA(cudaGetLastError());
    }
    CUDA(cudaDeviceSynchronize());

    CUDA(cudaMemcpy(table, device_table, sizeof(int) * size, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(device_similarity));
    CUDA(cudaFree(device_table));
}

// Integers only, so the tolerance is zero.
static int verify(const int *result, const int *similarity, int cols, int penalty)
{
    size_t size = (size_t)cols * cols;
    int *table = allocate_table(size * sizeof(int));
    int worst = 0;
    size_t where = 0;
    for (int row = 0; row < cols; ++row) {
        for (int col = 0; col < cols; ++col) {
            size_t i = (size_t)row * cols + col;
            if (row == 0 || col == 0)
                table[i] = -(row + col) * penalty;
            else
                table[i] = best_of(table[i - cols - 1] + similarity[i], table[i - 1] - penalty,
                                   table[i - cols] - penalty);
            int error = abs(result[i] - table[i]);
            if (error > worst) {
                worst = error;
                where = i;
            }
        }
    }
    free(table);
    if (worst == 0) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %d at index %zu)\n", worst, where);
    return 3;
}

int main(int argc, char **argv)
{
    bool want_verify = false;
    int words = 0;
    char *word[3] = {NULL, NULL, NULL};
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0)
            want_verify = true;
        else if (words < 3)
            word[words++] = argv[i];
        else
            usage(argv[0]);
    }
    if (words < 2)
        usage(argv[0]);
    int dim = atoi(word[0]);
    int penalty = atoi(word[1]);
    if (dim < BLOCK_SIZE || dim > MAX_DIM || dim % BLOCK_SIZE != 0 || penalty < 1)
        usage(argv[0]);

    int cols = dim + 1;
    int *sequences = allocate_table(2 * (size_t)dim * sizeof(int));
    if (words == 3)
        read_sequences(word[2], sequences, sequences + dim, dim);
    else
        draw_sequences(sequences, sequences + dim, dim);

    int *similarity = allocate_table((size_t)cols * cols * sizeof(int));
    int *table = allocate_table((size_t)cols * cols * sizeof(int));
    fill_inputs(similarity, table, sequences, sequences + dim, cols, penalty);

    printf("sequences: %d letters, gap penalty %d\n", dim, penalty);
    run_device(similarity, table, cols, penalty);
    printf("score: %d\n", table[(size_t)cols * cols - 1]);
    printf("done\n");

    int status = want_verify ? verify(table, similarity, cols, penalty) : 0;
    free(sequences);
    free(similarity);
    free(table);
    return status;
}
