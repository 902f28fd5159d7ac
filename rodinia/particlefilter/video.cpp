// Draws the video.

#include "video.h"

#include <cmath>

#include "random.h"

static const double NOISE = 5.0;  // brightness, standard deviation

std::vector<Offset> disk_offsets()
{
    std::vector<Offset> offsets;
    for (int x = -RADIUS; x <= RADIUS; ++x)
        for (int y = -RADIUS; y <= RADIUS; ++y)
            if (std::sqrt((double)(x * x + y * y)) < RADIUS)
                offsets.push_back({x, y});
    return offsets;
}

Offset true_place(const Video &video, int frame)
{
    return {video.x / 2 + frame, video.y / 2 - 2 * frame};
}

static unsigned char noisy(int brightness, int *seed)
{
    double value = brightness + NOISE * randn(seed);
    return (unsigned char)(value < 0.0 ? 0.0 : value > 255.0 ? 255.0 : value);
}

Video make_video(int x, int y, int frames, int *seed)
{
    Video video = {x, y, frames, {}};
    size_t pixels = (size_t)x * y * frames;
    std::vector<unsigned char> brightness(pixels, DARK);
    std::vector<Offset> disk = disk_offsets();
    for (int frame = 0; frame < frames; ++frame) {
        Offset place = true_place(video, frame);
        for (const Offset &offset : disk) {
            int row = place.x + offset.x, col = place.y + offset.y;
            if (row >= 0 && row < x && col >= 0 && col < y)
                brightness[((size_t)row * y + col) * frames + frame] = BRIGHT;
        }
    }
    video.pixel.resize(pixels);
    for (size_t i = 0; i < pixels; ++i)
        video.pixel[i] = noisy(brightness[i], seed);
    return video;
}
