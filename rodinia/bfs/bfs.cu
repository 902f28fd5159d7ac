// Breadth-first search: reads a graph, counts on the GPU how many edges every node is away from
// the source, one level per turn of the loop. The device says when no node is left.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#define MAX_THREADS_PER_BLOCK 512

struct Node {
    int start;
    int degree;
};

struct Graph {
    int nodes;
    int edges;
    int source;
    Node *node;
    int *edge;
};

struct DeviceGraph {
    Node *node;
    int *edge;
    bool *frontier;
    bool *found;
    bool *visited;
    int *cost;
};

static void must(cudaError_t error, const char *file, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
        exit(2);
    }
}
#define MUST(call) must((call), __FILE__, __LINE__)

// Every frontier node marks its unvisited neighbours. Two nodes may write the same neighbour, but
// all of them are of one level and write the same value.
__global__ void expand(DeviceGraph graph, int nodes)
{
    int i = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
    if (i >= nodes || !graph.frontier[i])
        return;
    graph.frontier[i] = false;
    int end = graph.node[i].start + graph.node[i].degree;
    for (int e = graph.node[i].start; e < end; ++e) {
        int next = graph.edge[e];
        if (!graph.visited[next]) {
            graph.cost[next] = graph.cost[i] + 1;
            graph.found[next] = true;
        }
    }
}

// The marked nodes are the next frontier. A separate kernel, because all blocks of the first must
// have ended.
__global__ void advance(DeviceGraph graph, bool *over, int nodes)
{
    int i = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
    if (i >= nodes || !graph.found[i])
        return;
    graph.frontier[i] = true;
    graph.visited[i] = true;
    graph.found[i] = false;
    *over = true;
}

static void malformed(const char *path, const char *what)
{
    fprintf(stderr, "bfs: %s: %s\n", path, what);
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "bfs: no host memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static void read_edges(FILE *file, const char *path, Graph *graph)
{
    if (fscanf(file, "%d", &graph->edges) != 1 || graph->edges < 0)
        malformed(path, "wanted the number of edges");
    graph->edge = (int *)allocate(sizeof(int) * graph->edges);
    for (int i = 0; i < graph->edges; ++i) {
        int dest, cost;
        if (fscanf(file, "%d %d", &dest, &cost) != 2)
            malformed(path, "wanted \"dest cost\" for every edge");
        if (dest < 0 || dest >= graph->nodes)
            malformed(path, "an edge leads to a node that is not there");
        graph->edge[i] = dest;
    }
}

static void read_graph(const char *path, Graph *graph)
{
    FILE *file = fopen(path, "r");
    if (!file)
        malformed(path, "cannot open the file");
    if (fscanf(file, "%d", &graph->nodes) != 1 || graph->nodes < 1)
        malformed(path, "wanted the number of nodes");
    graph->node = (Node *)allocate(sizeof(Node) * graph->nodes);
    for (int i = 0; i < graph->nodes; ++i)
        if (fscanf(file, "%d %d", &graph->node[i].start, &graph->node[i].degree) != 2)
            malformed(path, "wanted \"start degree\" for every node");
    if (fscanf(file, "%d", &graph->source) != 1 || graph->source < 0 ||
        graph->source >= graph->nodes)
        malformed(path, "wanted a source node");
    read_edges(file, path, graph);
    fclose(file);

    for (int i = 0; i < graph->nodes; ++i) {
        Node node = graph->node[i];
        if (node.start < 0 || node.degree < 0 || node.start > graph->edges - node.degree)
            malformed(path, "the edges of a node are not in the edge list");
    }
}

static DeviceGraph upload(const Graph *graph)
{
    DeviceGraph device;
    size_t nodes = graph->nodes;
    MUST(cudaMalloc((void **)&device.node, sizeof(Node) * nodes));
    MUST(cudaMemcpy(device.node, graph->node, sizeof(Node) * nodes, cudaMemcpyHostToDevice));
    MUST(cudaMalloc((void **)&device.edge, sizeof(int) * graph->edges));
    MUST(cudaMemcpy(device.edge, graph->edge, sizeof(int) * graph->edges, cudaMemcpyHostToDevice));
    MUST(cudaMalloc((void **)&device.frontier, sizeof(bool) * nodes));
    MUST(cudaMalloc((void **)&device.found, sizeof(bool) * nodes));
    MUST(cudaMalloc((void **)&device.visited, sizeof(bool) * nodes));
    MUST(cudaMalloc((void **)&device.cost, sizeof(int) * nodes));

    MUST(cudaMemset(device.frontier, 0, sizeof(bool) * nodes));
    MUST(cudaMemset(device.found, 0, sizeof(bool) * nodes));
    MUST(cudaMemset(device.visited, 0, sizeof(bool) * nodes));
    MUST(cudaMemset(device.cost, 0xff, sizeof(int) * nodes));  // -1: not reached

    bool yes = true;
    int zero = 0;
    int source = graph->source;
    MUST(cudaMemcpy(device.frontier + source, &yes, sizeof yes, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(device.visited + source, &yes, sizeof yes, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(device.cost + source, &zero, sizeof zero, cudaMemcpyHostToDevice));
    return device;
}

static void release(DeviceGraph device)
{
    MUST(cudaFree(device.node));
    MUST(cudaFree(device.edge));
    MUST(cudaFree(device.frontier));
    MUST(cudaFree(device.found));
    MUST(cudaFree(device.visited));
    MUST(cudaFree(device.cost));
}

static int search(DeviceGraph device, int nodes)
{
    int blocks = 1;
    int threads = nodes;
    if (nodes > MAX_THREADS_PER_BLOCK) {
        blocks = (int)ceil(nodes / (double)MAX_THREADS_PER_BLOCK);
        threads = MAX_THREADS_PER_BLOCK;
    }
    dim3 grid(blocks, 1, 1);
    dim3 block(threads, 1, 1);

    bool *device_over;
    MUST(cudaMalloc((void **)&device_over, sizeof(bool)));
    int turns = 0;
    bool over;
    do {
        over = false;
        MUST(cudaMemcpy(device_over, &over, sizeof(bool), cudaMemcpyHostToDevice));
        expand<<<grid, block>>>(device, nodes);
        MUST(cudaGetLastError());
        advance<<<grid, block>>>(device, device_over, nodes);
        MUST(cudaGetLastError());
        MUST(cudaMemcpy(&over, device_over, sizeof(bool), cudaMemcpyDeviceToHost));
        ++turns;
    } while (over);
    MUST(cudaFree(device_over));
    return turns;
}

static int *reference(const Graph *graph)
{
    int *cost = (int *)allocate(sizeof(int) * graph->nodes);
    int *queue = (int *)allocate(sizeof(int) * graph->nodes);
    for (int i = 0; i < graph->nodes; ++i)
        cost[i] = -1;
    int head = 0, tail = 0;
    cost[graph->source] = 0;
    queue[tail++] = graph->source;
    while (head < tail) {
        int i = queue[head++];
        Node node = graph->node[i];
        for (int e = node.start; e < node.start + node.degree; ++e) {
            int next = graph->edge[e];
            if (cost[next] < 0) {
                cost[next] = cost[i] + 1;
                queue[tail++] = next;
            }
        }
    }
    free(queue);
    return cost;
}

// Whole numbers, so the tolerance is zero.
static int verify(const Graph *graph, const int *result)
{
    int *cost = reference(graph);
    int worst = 0, where = 0;
    for (int i = 0; i < graph->nodes; ++i) {
        int error = abs(result[i] - cost[i]);
        if (error > worst) {
            worst = error;
            where = i;
        }
    }
    free(cost);
    if (worst == 0) {
        printf("verify: ok\n");
        return 0;
    }
    printf("verify: FAILED (max error %d at index %d)\n", worst, where);
    return 3;
}

int main(int argc, char **argv)
{
    bool want_verify = false;
    const char *path = NULL;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verify") == 0) {
            want_verify = true;
        } else if (!path) {
            path = argv[i];
        } else {
            path = NULL;
            break;
        }
    }
    if (!path) {
        fprintf(stderr, "usage: %s <input_file> [--verify]\n", argv[0]);
        return 1;
    }

    Graph graph;
    read_graph(path, &graph);
    printf("graph: %d nodes, %d edges, source %d\n", graph.nodes, graph.edges, graph.source);

    DeviceGraph device = upload(&graph);
    int turns = search(device, graph.nodes);
    int *cost = (int *)allocate(sizeof(int) * graph.nodes);
    MUST(cudaMemcpy(cost, device.cost, sizeof(int) * graph.nodes, cudaMemcpyDeviceToHost));
    release(device);

    int reached = 0;
    for (int i = 0; i < graph.nodes; ++i)
        reached += cost[i] >= 0;
    printf("reached: %d nodes in %d turns\n", reached, turns);
    printf("done\n");

    int status = want_verify ? verify(&graph, cost) : 0;
    free(cost);
    free(graph.node);
    free(graph.edge);
    return status;
}
