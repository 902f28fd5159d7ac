// Facility location: opening a centre costs z, and every point its distance to its centre. z is
// searched by halving until the number of centres is as wanted.

#include "search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#define CANDIDATES_PER_CENTER 3
#define MOST_HALVINGS 40  // of z: alike points may have no number of centres in the range

namespace {

struct Search {
    Points *points;
    int kmax;
    GainCheck *check;
    std::uint32_t random;
    double z;
    int centers;
    std::vector<char> is_center;

    std::uint32_t draw(std::uint32_t below)
    {
        random = random * 1664525u + 1013904223u;
        return (std::uint32_t)(((std::uint64_t)random * below) >> 32);
    }
};

double distance_cost(const Points &points, int a, int b)
{
    const float *from = points.coord + (size_t)a * points.dim;
    const float *to = points.coord + (size_t)b * points.dim;
    double sum = 0.0;
    for (int i = 0; i < points.dim; ++i)
        sum += ((double)from[i] - to[i]) * ((double)from[i] - to[i]);
    return points.p[a].weight * sum;
}

void assign(Points *points, int i, int center)
{
    points->p[i].assign = center;
    points->p[i].cost = (float)distance_cost(*points, i, center);
}

double total_cost(const Search &search)
{
    double sum = search.z * search.centers;
    for (int i = 0; i < search.points->num; ++i)
        sum += search.points->p[i].cost;
    return sum;
}

// A first set of centres: a point opens more likely the farther it is from those before it.
void open_first_centers(Search *search)
{
    Points *points = search->points;
    search->is_center.assign(points->num, 0);
    search->is_center[0] = 1;
    search->centers = 1;
    for (int i = 0; i < points->num; ++i)
        assign(points, i, 0);
    for (int i = 1; i < points->num; ++i) {
        bool opens = search->draw(1u << 20) < points->p[i].cost / search->z * (1u << 20);
        if (!opens || search->centers == most_centers(search->kmax))
            continue;
        search->is_center[i] = 1;
        ++search->centers;
        for (int j = 0; j < points->num; ++j)
            if (distance_cost(*points, j, i) < points->p[j].cost)
                assign(points, j, i);
    }
}

std::vector<int> number_centers(const Search &search)
{
    std::vector<int> table(search.is_center.size());
    int count = 0;
    for (size_t i = 0; i < table.size(); ++i)
        if (search.is_center[i])
            table[i] = count++;
    return table;
}

// The same sums on the host.
void compare(Search *search, int x, const std::vector<int> &table, const std::vector<double> &got)
{
    const Points &points = *search->points;
    std::vector<double> lower(got.size());
    double scale = 0.0;
    for (int i = 0; i < points.num; ++i) {
        double saved = distance_cost(points, i, x) - points.p[i].cost;
        lower[saved < 0.0 ? search->centers : table[points.p[i].assign]] -= std::fabs(saved);
        scale += points.p[i].cost;
    }
    GainCheck *check = search->check;
    for (size_t c = 0; c < got.size(); ++c) {
        double error = std::fabs(got[c] - lower[c]) / (scale > 0.0 ? scale : 1.0);
        if (!(error <= check->worst)) {  // a NaN is an error too
            check->worst = error;
            check->where = check->calls;
        }
    }
    ++check->calls;
}

// Makes x a centre, and closes those that then are not worth their z, if that is cheaper. Returns
// what it saves.
double gain(Search *search, int x)
{
    Points *points = search->points;
    std::vector<int> table = number_centers(*search);
    std::vector<double> lower(search->centers + 1);
    // vector<bool> has no array of bools inside.
    bool *moves = new bool[points->num];
    gain_compute(points->p, points->num, points->dim, x, table.data(), search->centers, moves,
                 lower.data());
    if (search->check->wanted)
        compare(search, x, table, lower);

    double change = search->z + lower[search->centers];
    int closing = 0;
    for (int c = 0; c < search->centers; ++c) {
        if (search->z + lower[c] > 0.0) {
            ++closing;
            change -= search->z + lower[c];
        }
    }
    int after = search->centers + 1 - closing;
    if (change < 0.0 && !search->is_center[x] && after <= most_centers(search->kmax)) {
        for (int i = 0; i < points->num; ++i) {
            int old = points->p[i].assign;
            if (moves[i] || search->z + lower[table[old]] > 0.0) {
                search->is_center[old] = search->z + lower[table[old]] <= 0.0;
                assign(points, i, x);
            }
        }
        search->is_center[x] = 1;
        search->centers = (int)std::count(search->is_center.begin(), search->is_center.end(), 1);
    } else {
        change = 0.0;
    }
    delete[] moves;
    return -change;
}

// Tries random candidates until a round of them saves less than `part` of the cost.
void improve(Search *search, const std::vector<int> &candidates, double part)
{
    double cost = total_cost(*search);
    double saved;
    do {
        saved = 0.0;
        for (size_t i = 0; i < candidates.size(); ++i)
            saved += gain(search, candidates[search->draw((std::uint32_t)candidates.size())]);
        cost -= saved;
    } while (saved > part * cost);
}

std::vector<int> choose_candidates(Search *search, int kmin)
{
    int wanted = (int)(CANDIDATES_PER_CENTER * kmin * std::log((double)std::max(kmin, 3)));
    std::vector<int> candidates(std::min(search->points->num, wanted));
    for (int &candidate : candidates)
        candidate = (int)search->draw(search->points->num);
    return candidates;
}

}  // namespace

int most_centers(int kmax)
{
    return 2 * kmax;
}

int local_search(Points *points, int kmin, int kmax, GainCheck *check)
{
    gain_load(points->coord, points->num, points->dim);
    Search search = {points, kmax, check, 4711u, 0.0, 0, {}};
    double low = 0.0, high = 0.0;
    for (int i = 0; i < points->num; ++i)
        high += distance_cost(*points, i, 0);

    if (points->num <= kmax || high == 0.0) {  // all are centres, or all are alike
        for (int i = 0; i < points->num; ++i)
            assign(points, i, high == 0.0 ? 0 : i);
        return high == 0.0 ? 1 : points->num;
    }
    search.z = high / 2.0;
    std::vector<int> candidates = choose_candidates(&search, kmin);
    for (int halvings = 0; halvings < MOST_HALVINGS; ++halvings) {
        open_first_centers(&search);
        improve(&search, candidates, 0.1);
        bool enough = search.centers >= kmin, few = search.centers <= kmax;
        if (enough && few)
            break;
        (few ? high : low) = search.z;
        search.z = (low + high) / 2.0;
    }
    improve(&search, candidates, 0.001);
    return search.centers;
}
