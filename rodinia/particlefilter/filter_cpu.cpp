// The same filter on the host.

#include "filter.h"

#include <algorithm>
#include <cmath>

#include "random.h"

static double disk_likelihood(const Video &video, const std::vector<Offset> &disk, double x,
                              double y, int frame)
{
    double sum = 0.0;
    for (const Offset &offset : disk) {
        int row = (int)std::floor(x + 0.5) + offset.x, col = (int)std::floor(y + 0.5) + offset.y;
        bool outside = row < 0 || row >= video.x || col < 0 || col >= video.y;
        size_t pixel = outside ? 0 : ((size_t)row * video.y + col) * video.frames + frame;
        double dark = video.pixel[pixel] - DARK, bright = video.pixel[pixel] - BRIGHT;
        sum += (dark * dark - bright * bright) / 50.0;
    }
    return sum / disk.size();
}

// The cumulated weights find which guess stands for each of the evenly spread ones.
static void draw_anew(const Guesses &guesses, double start, std::vector<double> *x,
                      std::vector<double> *y)
{
    size_t count = guesses.x.size();
    std::vector<double> cumulated(count);
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        cumulated[i] = sum += guesses.weight[i];
    for (size_t i = 0; i < count; ++i) {
        double wanted = start + (double)i / count;
        size_t drawn = std::lower_bound(cumulated.begin(), cumulated.end(), wanted) -
                       cumulated.begin();
        drawn = std::min(drawn, count - 1);
        (*x)[i] = guesses.x[drawn];
        (*y)[i] = guesses.y[drawn];
    }
}

Guesses particle_filter_cpu(const Video &video, const std::vector<Offset> &disk, int particles)
{
    Offset place = true_place(video, 0);
    std::vector<double> x(particles, place.x), y(particles, place.y);
    std::vector<int> seed(particles);
    for (int i = 0; i < particles; ++i)
        seed[i] = first_seed(i);

    Guesses guesses = {x, y, x};
    for (int frame = 1; frame < video.frames; ++frame) {
        double sum = 0.0;
        for (int i = 0; i < particles; ++i) {
            guesses.x[i] = x[i] + STEP_X + SPREAD_X * randn(&seed[i]);
            guesses.y[i] = y[i] + STEP_Y + SPREAD_Y * randn(&seed[i]);
            double likelihood = disk_likelihood(video, disk, guesses.x[i], guesses.y[i], frame);
            guesses.weight[i] = std::exp(likelihood);
            sum += guesses.weight[i];
        }
        for (double &weight : guesses.weight)
            weight /= sum;
        draw_anew(guesses, randu(&seed[0]) / particles, &x, &y);
    }
    return guesses;
}
