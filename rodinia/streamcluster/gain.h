// The device side of streamcluster: what it would gain to make a point a centre. A shared library.

#ifndef GAIN_H
#define GAIN_H

struct Point {
    float weight;
    float cost;  // weighted distance to its centre
    int assign;  // the point that is its centre
};

// Reserves device memory for as many points and centres as there will ever be.
void gain_open(int most_points, int dim, int most_centers);
void gain_close();

// Copies coordinates to the device: those of one point lie together.
void gain_load(const float *coord, int num, int dim);

// What changes if point x becomes a centre. `center_table` numbers the centres from 0: [point].
// `moves`: whether each point would rather belong to x. `lower` has centers + 1 sums: by how much
// cheaper the points that would stay with each centre are there (never above 0), and last what the
// points that move save (never above 0).
void gain_compute(const Point *points, int num, int dim, int x, const int *center_table,
                  int centers, bool *moves, double *lower);

#endif
