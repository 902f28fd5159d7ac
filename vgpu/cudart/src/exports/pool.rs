//! Memory pools, and the memory of graphs: the driver's own forms.

forwards! {
    fn cudaMallocFromPoolAsync(address: usize, bytes: usize, pool: usize, stream: usize) => allocate_from_pool;
    fn cudaMemPoolCreate(pool: usize, properties: usize) => pool_create;
    fn cudaMemPoolDestroy(pool: usize) => pool_destroy;
    fn cudaMemPoolTrimTo(pool: usize, keep: usize) => pool_trim;
    fn cudaMemPoolSetAttribute(pool: usize, attribute: u32, value: usize) => pool_set_attribute;
    fn cudaMemPoolGetAttribute(pool: usize, attribute: u32, value: usize) => pool_attribute;
    fn cudaMemPoolSetAccess(pool: usize, accesses: usize, count: usize) => pool_set_access;
    fn cudaMemPoolGetAccess(access: usize, pool: usize, location: usize) => pool_access;
    fn cudaDeviceGetDefaultMemPool(pool: usize, device: i32) => default_pool;
    fn cudaDeviceGetMemPool(pool: usize, device: i32) => device_pool;
    fn cudaDeviceSetMemPool(device: i32, pool: usize) => set_device_pool;
    fn cudaMemGetDefaultMemPool(pool: usize, location: usize, kind: u32) => default_pool_at;
    fn cudaMemGetMemPool(pool: usize, location: usize, kind: u32) => pool_at;
    fn cudaMemSetMemPool(location: usize, kind: u32, pool: usize) => set_pool_at;
    fn cudaDeviceGetGraphMemAttribute(device: i32, attribute: u32, value: usize) => graph_memory;
    fn cudaDeviceSetGraphMemAttribute(device: i32, attribute: u32, value: usize) => set_graph_memory;
    fn cudaDeviceGraphMemTrim(device: i32) => trim_graph_memory;
}
