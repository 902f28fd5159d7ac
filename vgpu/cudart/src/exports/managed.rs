//! What programs say about managed memory: the driver's own forms.

forwards! {
    fn cudaMemRangeGetAttribute(value: usize, size: usize, attribute: u32, address: u64, bytes: usize) => range_attribute;
    fn cudaMemRangeGetAttributes(values: usize, sizes: usize, attributes: usize, count: usize, address: u64, bytes: usize) => range_attributes;
    fn cudaStreamAttachMemAsync(stream: usize, address: u64, bytes: usize, flags: u32) => attach;
}
