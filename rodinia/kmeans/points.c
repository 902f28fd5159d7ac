/* Reads the points of kmeans. A text file is read twice: to count, then to keep. */

#include "points.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LENGTH 4096
#define SEPARATORS " ,\t\r\n"

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "kmeans: no host memory for %zu bytes\n", count * size);
        exit(1);
    }
    return memory;
}

float **allocate_rows(int rows, int cols)
{
    float **row = allocate(rows, sizeof *row);
    row[0] = allocate((size_t)rows * cols, sizeof **row);
    for (int i = 1; i < rows; ++i)
        row[i] = row[i - 1] + cols;
    return row;
}

void free_rows(float **rows)
{
    free(rows[0]);
    free(rows);
}

static void malformed(const char *path, const char *what)
{
    fprintf(stderr, "kmeans: %s: %s\n", path, what);
    exit(1);
}

static void check_shape(const struct points *points, const char *path)
{
    if (points->count < 1 || points->features < 1)
        malformed(path, "no points, or points without features");
    if (points->features > INT_MAX / points->count)
        malformed(path, "more values than fit an int");
}

static struct points read_binary(FILE *file, const char *path)
{
    struct points points;
    if (fread(&points.count, sizeof(int), 1, file) != 1 ||
        fread(&points.features, sizeof(int), 1, file) != 1)
        malformed(path, "wanted two ints: how many points, how many features");
    check_shape(&points, path);
    points.feature = allocate_rows(points.count, points.features);
    size_t values = (size_t)points.count * points.features;
    if (fread(points.feature[0], sizeof(float), values, file) != values)
        malformed(path, "fewer values than points times features");
    return points;
}

/* Features of the first line; 0 where there are none. */
static int count_features(FILE *file)
{
    char line[LINE_LENGTH];
    int features = 0;
    while (fgets(line, LINE_LENGTH, file)) {
        if (!strtok(line, SEPARATORS))
            continue;
        while (strtok(NULL, SEPARATORS))
            ++features;
        break;
    }
    return features;
}

static int count_points(FILE *file, const char *path)
{
    char line[LINE_LENGTH];
    int count = 0;
    while (fgets(line, LINE_LENGTH, file)) {
        if (!strchr(line, '\n') && !feof(file))
            malformed(path, "a line is longer than 4095 characters");
        if (strtok(line, SEPARATORS))
            ++count;
    }
    return count;
}

static struct points read_text(FILE *file, const char *path)
{
    struct points points;
    points.count = count_points(file, path);
    rewind(file);
    points.features = count_features(file);
    check_shape(&points, path);
    points.feature = allocate_rows(points.count, points.features);

    rewind(file);
    char line[LINE_LENGTH];
    int point = 0;
    while (fgets(line, LINE_LENGTH, file)) {
        if (!strtok(line, SEPARATORS))
            continue;
        for (int i = 0; i < points.features; ++i) {
            const char *word = strtok(NULL, SEPARATORS);
            if (!word)
                malformed(path, "a line has fewer features than the first");
            points.feature[point][i] = (float)atof(word);
        }
        ++point;
    }
    return points;
}

struct points read_points(const char *path, int binary)
{
    FILE *file = fopen(path, binary ? "rb" : "r");
    if (!file)
        malformed(path, "cannot open the file");
    struct points points = binary ? read_binary(file, path) : read_text(file, path);
    fclose(file);
    return points;
}

void free_points(struct points *points)
{
    free_rows(points->feature);
}
