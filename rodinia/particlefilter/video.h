// The video: a bright disk that moves over a dark ground, with noise. Knows nothing of CUDA.

#ifndef VIDEO_H
#define VIDEO_H

#include <vector>

#define RADIUS 5
#define DARK 100
#define BRIGHT 228

struct Video {
    int x, y, frames;
    std::vector<unsigned char> pixel;  // [(x * height + y) * frames + frame]
};

// Row and column of a pixel, seen from a disk's middle.
struct Offset {
    int x, y;
};

// Draws with the seed, which moves on.
Video make_video(int x, int y, int frames, int *seed);

// The pixels of a disk.
std::vector<Offset> disk_offsets();

// Where the disk is in a frame: it starts in the middle.
Offset true_place(const Video &video, int frame);

#endif
