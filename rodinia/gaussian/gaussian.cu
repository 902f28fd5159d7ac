// Gaussian elimination: solves a * x = b. The GPU makes the matrix triangular, one column per turn
// of the loop; the host substitutes back. The system comes from a file or from a formula.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#define FAN1_BLOCK 512
#define FAN2_BLOCK 4
#define TOLERANCE 1e-3

// Matrix positions are ints in the kernels.
static const int MAX_SIZE = 46340;

// Set by the option loop.
static int Size = 0;
static const char *InputFile = NULL;
static bool Quiet = false;
static bool WantVerify = false;

static float *Matrix, *Vector, *Solution;

#define CHECK(call)                                                                               \
    {                                                                                             \
        cudaError_t status_ = call;                                                               \
        if (status_ != cudaSuccess) {                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));      \
            exit(2);                                                                              \
        }                                                                                         \
    }

// Multipliers of column t, for the rows below row t.
__global__ void Fan1(float *m, const float *a, int size, int t)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x + t + 1;
    if (row < size)
        m[row * size + t] = a[row * size + t] / a[t * size + t];
}

// Subtracts row t, times the multiplier, from the rows below it. Column 0 of the threads also does
// the right-hand side.
__global__ void Fan2(const float *m, float *a, float *b, int size, int t)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x + t + 1;
    int col = blockIdx.y * blockDim.y + threadIdx.y + t;
    if (row >= size || col >= size)
        return;
    float multiplier = m[row * size + t];
    a[row * size + col] -= multiplier * a[t * size + col];
    if (col == t)
        b[row] -= multiplier * b[t];
}

static void Usage(const char *program)
{
    fprintf(stderr,
            "usage: %s -f FILE [-q] [--verify]\n       %s -s SIZE [-q] [--verify]\n"
            "  -f  read the system from FILE\n"
            "  -s  make a system of SIZE unknowns, 1 to %d\n"
            "  -q  do not print the solution\n",
            program, program, MAX_SIZE);
    exit(1);
}

static void ReadOptions(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verify") == 0) {
            WantVerify = true;
            continue;
        }
        if (argv[i][0] != '-' || argv[i][1] == '\0' || argv[i][2] != '\0')
            Usage(argv[0]);
        switch (argv[i][1]) {
        case 's':
            if (++i == argc)
                Usage(argv[0]);
            Size = atoi(argv[i]);
            break;
        case 'f':
            if (++i == argc)
                Usage(argv[0]);
            InputFile = argv[i];
            break;
        case 'q':
            Quiet = true;
            break;
        default:
            Usage(argv[0]);
        }
    }
    // Exactly one of -s and -f.
    if (InputFile ? Size != 0 : (Size < 1 || Size > MAX_SIZE))
        Usage(argv[0]);
}

static float *NewFloats(size_t count)
{
    float *memory = (float *)malloc(count * sizeof(float));
    if (!memory) {
        fprintf(stderr, "gaussian: no host memory for %zu bytes\n", count * sizeof(float));
        exit(1);
    }
    return memory;
}

static void ReadFloats(FILE *file, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fscanf(file, "%f", values + i) != 1) {
            fprintf(stderr, "gaussian: %s: wanted %d x %d matrix values and %d more\n", InputFile,
                    Size, Size, Size);
            exit(1);
        }
    }
}

static void ReadSystem()
{
    FILE *file = fopen(InputFile, "r");
    if (!file) {
        fprintf(stderr, "gaussian: cannot open %s\n", InputFile);
        exit(1);
    }
    if (fscanf(file, "%d", &Size) != 1 || Size < 1 || Size > MAX_SIZE) {
        fprintf(stderr, "gaussian: %s: wanted a size from 1 to %d\n", InputFile, MAX_SIZE);
        exit(1);
    }
    Matrix = NewFloats((size_t)Size * Size);
    ReadFloats(file, Matrix, (size_t)Size * Size);
    Vector = NewFloats(Size);
    ReadFloats(file, Vector, Size);
    fclose(file);
}

// The diagonal outweighs the rest of its row, so no pivoting is needed.
static void MakeSystem()
{
    Matrix = NewFloats((size_t)Size * Size);
    Vector = NewFloats(Size);
    for (int i = 0; i < Size; i++) {
        for (int j = 0; j < Size; j++)
            Matrix[(size_t)i * Size + j] = i == j ? 32.0f : 1.0f / (1 + abs(i - j));
        Vector[i] = (float)(1 + i % 7);
    }
}

static void ForwardElimination()
{
    size_t matrix_bytes = (size_t)Size * Size * sizeof(float);
    size_t vector_bytes = Size * sizeof(float);
    float *m_cuda, *a_cuda, *b_cuda;
    CHECK(cudaMalloc((void **)&m_cuda, matrix_bytes));
    CHECK(cudaMalloc((void **)&a_cuda, matrix_bytes));
    CHECK(cudaMalloc((void **)&b_cuda, vector_bytes));
    CHECK(cudaMemset(m_cuda, 0, matrix_bytes));
    CHECK(cudaMemcpy(a_cuda, Matrix, matrix_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b_cuda, Vector, vector_bytes, cudaMemcpyHostToDevice));

    dim3 block1(FAN1_BLOCK);
    dim3 grid1(Size / FAN1_BLOCK + (Size % FAN1_BLOCK ? 1 : 0));
    dim3 block2(FAN2_BLOCK, FAN2_BLOCK);
    int grid_side = Size / FAN2_BLOCK + (Size % FAN2_BLOCK ? 1 : 0);
    dim3 grid2(grid_side, grid_side);

    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (int t = 0; t < Size - 1; t++) {
        Fan1<<<grid1, block1>>>(m_cuda, a_cuda, Size, t);
        CHECK(cudaGetLastError());
        Fan2<<<grid2, block2>>>(m_cuda, a_cuda, b_cuda, Size, t);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0.0f;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    printf("kernels: %.3f ms\n", milliseconds);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));

    CHECK(cudaMemcpy(Matrix, a_cuda, matrix_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(Vector, b_cuda, vector_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(m_cuda));
    CHECK(cudaFree(a_cuda));
    CHECK(cudaFree(b_cuda));
}

static void BackSubstitution()
{
    Solution = NewFloats(Size);
    for (int i = Size - 1; i >= 0; i--) {
        const float *row = Matrix + (size_t)i * Size;
        float sum = Vector[i];
        for (int j = i + 1; j < Size; j++)
            sum -= row[j] * Solution[j];
        Solution[i] = sum / row[i];
    }
}

// Solves the same system in double precision, in place.
static void Reference(double *a, double *x)
{
    for (int t = 0; t < Size - 1; t++) {
        for (int row = t + 1; row < Size; row++) {
            double multiplier = a[(size_t)row * Size + t] / a[(size_t)t * Size + t];
            for (int col = t; col < Size; col++)
                a[(size_t)row * Size + col] -= multiplier * a[(size_t)t * Size + col];
            x[row] -= multiplier * x[t];
        }
    }
    for (int i = Size - 1; i >= 0; i--) {
        for (int j = i + 1; j < Size; j++)
            x[i] -= a[(size_t)i * Size + j] * x[j];
        x[i] /= a[(size_t)i * Size + i];
    }
}

static double *InDouble(const float *values, size_t count)
{
    double *copy = (double *)malloc(count * sizeof(double));
    if (!copy) {
        fprintf(stderr, "gaussian: no host memory for %zu bytes\n", count * sizeof(double));
        exit(1);
    }
    for (size_t i = 0; i < count; i++)
        copy[i] = values[i];
    return copy;
}

// The error is relative to the largest value of the solution.
static int Verify(double *matrix, double *vector)
{
    Reference(matrix, vector);
    double scale = 0.0;
    for (int i = 0; i < Size; i++)
        scale = fmax(scale, fabs(vector[i]));

    double worst = 0.0;
    int where = 0;
    for (int i = 0; i < Size; i++) {
        double error = fabs(Solution[i] - vector[i]) / (scale > 0.0 ? scale : 1.0);
        if (error <= worst)
            continue;
        worst = error;
        where = i;
        if (std::isnan(error))
            break;
    }
    if (worst <= TOLERANCE) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %g at index %d)\n", worst, where);
    return 3;
}

int main(int argc, char **argv)
{
    ReadOptions(argc, argv);
    if (InputFile)
        ReadSystem();
    else
        MakeSystem();
    printf("system: %d unknowns\n", Size);

    double *matrix = NULL, *vector = NULL;
    if (WantVerify) {
        matrix = InDouble(Matrix, (size_t)Size * Size);
        vector = InDouble(Vector, Size);
    }

    ForwardElimination();
    BackSubstitution();
    if (!Quiet) {
        int shown = Size < 8 ? Size : 8;
        printf("solution:");
        for (int i = 0; i < shown; i++)
            printf(" %.6f", Solution[i]);
        printf(shown < Size ? " ...\n" : "\n");
    }
    printf("done\n");

    int status = WantVerify ? Verify(matrix, vector) : 0;
    free(matrix);
    free(vector);
    free(Matrix);
    free(Vector);
    free(Solution);
    return status;
}
