//! Capture of streams, their attributes, and the program's own functions in them: the driver's own forms.

forwards! {
    fn cudaStreamAddCallback(stream: usize, function: usize, data: usize, flags: u32) => stream_callback;
    fn cudaLaunchHostFunc(stream: usize, function: usize, data: usize) => host_call;
    fn cudaStreamGetAttribute(stream: usize, attribute: u32, value: usize) => stream_attribute;
    fn cudaStreamSetAttribute(stream: usize, attribute: u32, value: usize) => set_stream_attribute;
    fn cudaStreamCopyAttributes(to: usize, from: usize) => copy_stream_attributes;
    fn cudaStreamGetDevice(stream: usize, device: usize) => stream_device;
    fn cudaStreamBeginCapture(stream: usize, mode: u32) => capture_begin;
    fn cudaStreamBeginCaptureToGraph(stream: usize, graph: usize, behind: usize, edges: usize, count: usize, mode: u32) => capture_begin_to;
    fn cudaStreamEndCapture(stream: usize, graph: usize) => capture_end;
    fn cudaThreadExchangeStreamCaptureMode(mode: usize) => capture_mode;
}

exports! {
    /// How the device waits for the function is a hint.
    fn cudaLaunchHostFunc_v2(stream: usize, function: usize, data: usize, _mode: u32) {
        // SAFETY: the function is the program's own, as the interface wants it.
        crate::error::checked(unsafe { (crate::bound::bound()?.host_call)(stream, function, data) })
    }
}
