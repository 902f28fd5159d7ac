/* The device side of kmeans: finds the nearest centre of every point. */

#ifndef KMEANS_CUDA_H
#define KMEANS_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Reserves device memory for `clusters` centres and copies the points there. */
void allocate_memory(int points, int features, int clusters, float **feature);

/* Fills `membership` with the nearest of the centres; features of one centre lie together. */
void kmeans_cuda(int points, int features, int clusters, float **clusters_of, int *membership);

void deallocate_memory(void);

#ifdef __cplusplus
}
#endif

#endif
