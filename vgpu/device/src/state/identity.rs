//! UUIDs of GPUs and MIG devices: the same inputs give the same UUID, so a GPU instance made again keeps its own.

use std::path::Path;
use uuid::Uuid;

/// Namespace of this product's version-5 UUIDs.
const NAMESPACE: Uuid = Uuid::from_u128(0x6d69_6766_6974_5667_9075_0000_0000_0001);

/// The UUID of a virtual GPU: of its model and the canonical path of its state file.
pub fn gpu(model: &str, path: &Path) -> Uuid {
    let mut name = model.as_bytes().to_vec();
    name.push(0);
    name.extend_from_slice(path.as_os_str().as_encoded_bytes());
    Uuid::new_v5(&NAMESPACE, &name)
}

/// The UUID of a MIG device: of its GPU, GI id and CI id.
pub fn mig_device(gpu: Uuid, gpu_instance: u32, compute_instance: u32) -> Uuid {
    let mut name = gpu_instance.to_le_bytes().to_vec();
    name.extend_from_slice(&compute_instance.to_le_bytes());
    Uuid::new_v5(&gpu, &name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gpu_and_each_instance_has_its_own_and_keeps_it() {
        let one = gpu("a100-40gb", Path::new("/run/one"));
        assert_eq!(one, gpu("a100-40gb", Path::new("/run/one")));
        assert_ne!(one, gpu("a100-40gb", Path::new("/run/two")));
        assert_eq!(mig_device(one, 7, 0), mig_device(one, 7, 0));
        assert_ne!(mig_device(one, 7, 0), mig_device(one, 7, 1));
        assert_eq!(mig_device(one, 7, 0).get_version_num(), 5);
    }
}
