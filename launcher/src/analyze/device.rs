//! `--device`: a GPU model's name, or a file with every property that a program can read -> the device's properties.

use super::error::AnalyzeError;
use crate::cli::error::CliError;
use migfit_mig::Model;
use migfit_sizes::DeviceProperties;
use std::collections::BTreeMap;
use std::path::Path;

/// What a file says of a device. Attributes go by the number that runtime and driver share (`cudaDevAttr...`), and
/// come before what follows from the other keys.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceFile {
    name: String,
    compute_capability: (u32, u32),
    sm_count: u32,
    memory_bytes: u64,
    free_bytes: Option<u64>,
    #[serde(default)]
    l2_bytes: u32,
    #[serde(default)]
    clock_khz: u32,
    #[serde(default)]
    attributes: BTreeMap<String, i32>,
}

/// The device that is named.
pub fn read(given: &str) -> Result<DeviceProperties, AnalyzeError> {
    let file = Path::new(given);
    match migfit_mig::find(given) {
        Ok(model) => of_model(model),
        Err(_) if file.is_file() => of_file(file),
        Err(error) => Err(AnalyzeError::Model(CliError::Model(error))),
    }
}

/// The whole GPU, without MIG.
fn of_model(model: &Model) -> Result<DeviceProperties, AnalyzeError> {
    let sm_count = model.sm_count;
    let mut device = DeviceProperties {
        name: model.board().to_owned(),
        compute_capability: model.compute_capability,
        sm_count: sm_count.ok_or_else(|| AnalyzeError::NoSms(model.name.clone()))?,
        total_bytes: model.memory_mib.to_bytes().0,
        ..DeviceProperties::default()
    };
    for (board, number, value) in BOARD_FACTS {
        if board == device.name {
            device.attributes.insert(number, value);
        }
    }
    Ok(device)
}

/// Board, number of the attribute, value: clocks in kHz (SM 13, memory 36), bus width in bits (37) and level-two cache
/// in bytes (38), as deviceQuery prints them on these boards.
const BOARD_FACTS: [(&str, i32, i32); 12] = [
    ("NVIDIA H200", 13, 1_980_000),
    ("NVIDIA H200", 36, 3_201_000),
    ("NVIDIA H200", 37, 6144),
    ("NVIDIA H200", 38, 62_914_560),
    ("NVIDIA H100 80GB HBM3", 13, 1_980_000),
    ("NVIDIA H100 80GB HBM3", 36, 2_619_000),
    ("NVIDIA H100 80GB HBM3", 37, 5120),
    ("NVIDIA H100 80GB HBM3", 38, 52_428_800),
    ("NVIDIA A100-SXM4-40GB", 13, 1_410_000),
    ("NVIDIA A100-SXM4-40GB", 36, 1_215_000),
    ("NVIDIA A100-SXM4-40GB", 37, 5120),
    ("NVIDIA A100-SXM4-40GB", 38, 41_943_040),
];

fn of_file(file: &Path) -> Result<DeviceProperties, AnalyzeError> {
    let text =
        std::fs::read_to_string(file).map_err(|cause| AnalyzeError::unreadable(file, cause))?;
    parse(&text).map_err(|reason| AnalyzeError::Device {
        file: file.to_owned(),
        reason,
    })
}

fn parse(text: &str) -> Result<DeviceProperties, String> {
    let file: DeviceFile = match text.trim_start().starts_with('{') {
        true => serde_json::from_str(text).map_err(|error| error.to_string())?,
        false => toml::from_str(text).map_err(|error| error.to_string())?,
    };
    let mut attributes = BTreeMap::new();
    for (number, value) in file.attributes {
        let parsed = number
            .parse()
            .map_err(|_| format!("attribute '{number}' is no number"))?;
        attributes.insert(parsed, value);
    }
    Ok(DeviceProperties {
        name: file.name,
        compute_capability: file.compute_capability,
        sm_count: file.sm_count,
        total_bytes: file.memory_bytes,
        l2_bytes: file.l2_bytes,
        clock_khz: file.clock_khz,
        free_bytes: file.free_bytes,
        attributes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_device_has_132_sms() {
        let device = read("h200-141gb").unwrap();
        assert_eq!(
            (device.sm_count, device.name.as_str()),
            (132, "NVIDIA H200")
        );
        assert_eq!(device.compute_capability, (9, 0));
        assert_eq!(device.attributes.get(&37), Some(&6144));
    }

    #[test]
    fn a_file_is_toml_or_json() {
        let toml = "name = \"X\"\ncompute_capability = [8, 6]\nsm_count = 28\nmemory_bytes = 1000\n\
                    [attributes]\n39 = 1536\n";
        let json = r#"{"name":"X","compute_capability":[8,6],"sm_count":28,"memory_bytes":1000,"attributes":{"39":1536}}"#;
        let device = parse(toml).unwrap();
        assert_eq!(device, parse(json).unwrap());
        assert_eq!(device.attributes.get(&39), Some(&1536));
        assert!(
            parse("name = \"X\"\n")
                .unwrap_err()
                .contains("missing field")
        );
        assert!(
            parse(&toml.replace("39 =", "many ="))
                .unwrap_err()
                .contains("'many'")
        );
        assert!(parse(&toml.replace("sm_count", "sms")).is_err());
    }

    #[test]
    fn a_name_that_is_neither_is_told() {
        let error = read("h201").unwrap_err();
        assert!(error.to_string().contains("h201"), "{error}");
    }
}
