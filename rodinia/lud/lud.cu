// LU factorisation of a square matrix: options in, the factors computed on the GPU, optionally
// checked on the CPU.

#include <cstdio>
#include <cstdlib>

#include <getopt.h>

#include <cuda_runtime.h>

#include "lud_kernel.h"
#include "matrix.h"

struct Options {
    int size;
    const char *input;
    bool verify;
};

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [-v] -s SIZE | -i FILE\n"
            "  -s, --size SIZE    make a matrix, SIZE a multiple of %d up to %d\n"
            "  -i, --input FILE   read the matrix from FILE\n"
            "  -v, --verify       check the result on the CPU\n",
            program, BLOCK_SIZE, MAX_DIM);
    exit(1);
}

static Options read_options(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"input", required_argument, NULL, 'i'},
        {"size", required_argument, NULL, 's'},
        {"verify", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    Options options = {0, NULL, false};
    int letter;
    while ((letter = getopt_long(argc, argv, "i:s:v", long_options, NULL)) != -1) {
        switch (letter) {
        case 'i':
            options.input = optarg;
            break;
        case 's':
            options.size = (int)strtol(optarg, NULL, 10);
            if (options.size < 1 || options.size > MAX_DIM || options.size % BLOCK_SIZE != 0)
                usage(argv[0]);
            break;
        case 'v':
            options.verify = true;
            break;
        default:
            usage(argv[0]);
        }
    }
    bool one_source = (options.size != 0) != (options.input != NULL);
    if (optind < argc || !one_source)
        usage(argv[0]);
    return options;
}

static void load(const Options *options, Matrix *matrix)
{
    if (!options->input) {
        matrix_make(matrix, options->size);
        return;
    }
    matrix_read(matrix, options->input);
    if (matrix->dim % BLOCK_SIZE != 0) {
        fprintf(stderr, "lud: %s: dimension %d is not a multiple of %d\n", options->input,
                matrix->dim, BLOCK_SIZE);
        exit(1);
    }
}

static void factorize_on_device(Matrix *matrix)
{
    size_t bytes = (size_t)matrix->dim * matrix->dim * sizeof(float);
    float *device;
    LUD_CHECK(cudaMalloc((void **)&device, bytes));
    LUD_CHECK(cudaMemcpy(device, matrix->values, bytes, cudaMemcpyHostToDevice));
    lud_factorize(device, matrix->dim);
    LUD_CHECK(cudaDeviceSynchronize());
    LUD_CHECK(cudaMemcpy(matrix->values, device, bytes, cudaMemcpyDeviceToHost));
    LUD_CHECK(cudaFree(device));
}

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    Matrix matrix;
    load(&options, &matrix);
    printf("matrix: %d x %d\n", matrix.dim, matrix.dim);

    Matrix original = {0, NULL};
    if (options.verify)
        original = matrix_copy(&matrix);
    factorize_on_device(&matrix);
    printf("done\n");

    int status = options.verify ? matrix_verify(&original, &matrix) : 0;
    matrix_free(&original);
    matrix_free(&matrix);
    return status;
}
