//! Graphs: what the driver has in the same form.

forwards! {
    fn cudaGraphCreate(graph: usize, flags: u32) => graph_create;
    fn cudaGraphDestroy(graph: usize) => graph_destroy;
    fn cudaGraphClone(clone: usize, graph: usize) => graph_clone;
    fn cudaGraphGetId(graph: usize, id: usize) => graph_id;
    fn cudaGraphGetNodes(graph: usize, nodes: usize, count: usize) => graph_nodes;
    fn cudaGraphGetRootNodes(graph: usize, nodes: usize, count: usize) => graph_roots;
    fn cudaGraphDestroyNode(node: usize) => node_destroy;
    fn cudaGraphNodeGetType(node: usize, kind: usize) => node_type;
    fn cudaGraphNodeGetContainingGraph(node: usize, graph: usize) => node_graph;
    fn cudaGraphNodeFindInClone(found: usize, original: usize, clone: usize) => node_in_clone;
    fn cudaGraphAddHostNode(node: usize, graph: usize, behind: usize, count: usize, parameters: usize) => add_host;
    fn cudaGraphHostNodeGetParams(node: usize, parameters: usize) => host_parameters;
    fn cudaGraphHostNodeSetParams(node: usize, parameters: usize) => set_host_parameters;
    fn cudaGraphAddChildGraphNode(node: usize, graph: usize, behind: usize, count: usize, child: usize) => add_child;
    fn cudaGraphChildGraphNodeGetGraph(node: usize, graph: usize) => child_graph;
    fn cudaGraphAddEmptyNode(node: usize, graph: usize, behind: usize, count: usize) => add_empty;
    fn cudaGraphAddEventRecordNode(node: usize, graph: usize, behind: usize, count: usize, event: usize) => add_record;
    fn cudaGraphEventRecordNodeGetEvent(node: usize, event: usize) => record_event;
    fn cudaGraphEventRecordNodeSetEvent(node: usize, event: usize) => set_record_event;
    fn cudaGraphAddEventWaitNode(node: usize, graph: usize, behind: usize, count: usize, event: usize) => add_wait;
    fn cudaGraphEventWaitNodeGetEvent(node: usize, event: usize) => wait_event;
    fn cudaGraphEventWaitNodeSetEvent(node: usize, event: usize) => set_wait_event;
    fn cudaGraphAddMemAllocNode(node: usize, graph: usize, behind: usize, count: usize, parameters: usize) => add_allocation;
    fn cudaGraphMemAllocNodeGetParams(node: usize, parameters: usize) => allocation_parameters;
    fn cudaGraphAddMemFreeNode(node: usize, graph: usize, behind: usize, count: usize, address: u64) => add_free;
    fn cudaGraphMemFreeNodeGetParams(node: usize, address: usize) => free_parameters;
    fn cudaGraphMemsetNodeGetParams(node: usize, parameters: usize) => memset_parameters;
    fn cudaGraphMemsetNodeSetParams(node: usize, parameters: usize) => set_memset_parameters;
    fn cudaGraphInstantiateWithParams(made: usize, graph: usize, parameters: usize) => instantiate_with;
    fn cudaGraphExecGetFlags(graph: usize, flags: usize) => executable_flags;
    fn cudaGraphExecGetId(graph: usize, id: usize) => executable_id;
    fn cudaGraphExecDestroy(graph: usize) => executable_destroy;
    fn cudaGraphExecUpdate(graph: usize, new: usize, found: usize) => executable_update;
    fn cudaGraphExecHostNodeSetParams(graph: usize, node: usize, parameters: usize) => executable_host;
    fn cudaGraphExecChildGraphNodeSetParams(graph: usize, node: usize, child: usize) => executable_child;
    fn cudaGraphExecEventRecordNodeSetEvent(graph: usize, node: usize, event: usize) => executable_record;
    fn cudaGraphExecEventWaitNodeSetEvent(graph: usize, node: usize, event: usize) => executable_wait;
    fn cudaGraphNodeSetEnabled(graph: usize, node: usize, enabled: u32) => executable_enable;
    fn cudaGraphNodeGetEnabled(graph: usize, node: usize, enabled: usize) => executable_enabled;
    fn cudaGraphKernelNodeGetAttribute(node: usize, attribute: u32, value: usize) => node_attribute;
    fn cudaGraphKernelNodeSetAttribute(node: usize, attribute: u32, value: usize) => set_node_attribute;
    fn cudaGraphKernelNodeCopyAttributes(to: usize, from: usize) => copy_node_attributes;
    fn cudaGraphUpload(graph: usize, stream: usize) => executable_upload;
    fn cudaGraphLaunch(graph: usize, stream: usize) => executable_launch;
}

exports! {
    fn cudaGraphInstantiate(made: usize, graph: usize, flags: u64) {
        // SAFETY: the driver checks pointer and handle.
        crate::error::checked(unsafe { (crate::bound::bound()?.instantiate)(made, graph, flags) })
    }

    fn cudaGraphInstantiateWithFlags(made: usize, graph: usize, flags: u64) {
        // SAFETY: the driver checks pointer and handle.
        crate::error::checked(unsafe { (crate::bound::bound()?.instantiate)(made, graph, flags) })
    }
}
