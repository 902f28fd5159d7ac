//! What a GPU offers under MIG: each MIG profile, with its name where the driver has the versioned call, and its legal
//! placements.

use crate::gpu::GpuError;
use crate::gpu::driver::{ProfileId, ProfileIndex, ToldProfile};
use crate::gpu::nvml::NvmlDevice;
use crate::gpu::nvml::code::{check, function};
use migfit_mig::{Engines, Placement};
use nvml_wrapper_sys::bindings as sys;
use std::ffi::c_char;

/// NVML's constants are asked for from 0 until the driver knows no more; this ends it where one never does.
pub(super) const CONSTANTS: u32 = 64;

type InfoV1 = sys::nvmlGpuInstanceProfileInfo_t;
type InfoV2 = sys::nvmlGpuInstanceProfileInfo_v2_t;

/// What the driver answers to one constant.
enum Answer {
    Told(ToldProfile),
    /// This GPU lacks it.
    Lacking,
    /// The driver knows no more constants.
    End,
}

impl NvmlDevice {
    /// All MIG profiles that the driver offers on this GPU.
    pub(super) fn all_profiles(&self) -> Result<Vec<ToldProfile>, GpuError> {
        let mut found = Vec::new();
        for index in 0..CONSTANTS {
            match self.profile(index)? {
                Answer::Told(profile) => found.push(profile),
                Answer::Lacking => {}
                Answer::End => break,
            }
        }
        Ok(found)
    }

    /// In the versioned form, which has the name; where the driver lacks that, in the old one.
    fn profile(&self, index: u32) -> Result<Answer, GpuError> {
        match self.named_profile(index) {
            Err(GpuError::NoFunction { .. }) => self.plain_profile(index),
            answer => answer,
        }
    }

    fn named_profile(&self, index: u32) -> Result<Answer, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstanceProfileInfoV";
        let call = function(&self.nvml.lib().nvmlDeviceGetGpuInstanceProfileInfoV, CALL)?;
        // SAFETY: zeros are a valid value of this plain C structure.
        let mut info: InfoV2 = unsafe { std::mem::zeroed() };
        info.version = structure_version::<InfoV2>(2);
        // SAFETY: `info` is a whole structure of the version that it names.
        let code = unsafe { call(self.handle, index, &raw mut info) };
        answer(code, CALL, || ToldProfile {
            index: ProfileIndex(index),
            id: ProfileId(info.id),
            name: Some(text(&info.name)),
            sm_slices: info.sliceCount,
            sms: info.multiprocessorCount,
            count: info.instanceCount,
            memory_mib: info.memorySizeMB,
            engines: Engines {
                copy: info.copyEngineCount,
                decoder: info.decoderCount,
                encoder: info.encoderCount,
                jpeg: info.jpegCount,
                ofa: info.ofaCount,
            },
        })
    }

    fn plain_profile(&self, index: u32) -> Result<Answer, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstanceProfileInfo";
        let call = function(&self.nvml.lib().nvmlDeviceGetGpuInstanceProfileInfo, CALL)?;
        // SAFETY: zeros are a valid value of this plain C structure.
        let mut info: InfoV1 = unsafe { std::mem::zeroed() };
        // SAFETY: `info` is a whole structure of the driver's layout.
        let code = unsafe { call(self.handle, index, &raw mut info) };
        answer(code, CALL, || ToldProfile {
            index: ProfileIndex(index),
            id: ProfileId(info.id),
            name: None,
            sm_slices: info.sliceCount,
            sms: info.multiprocessorCount,
            count: info.instanceCount,
            memory_mib: info.memorySizeMB,
            engines: Engines {
                copy: info.copyEngineCount,
                decoder: info.decoderCount,
                encoder: info.encoderCount,
                jpeg: info.jpegCount,
                ofa: info.ofaCount,
            },
        })
    }

    /// Legal placements of a MIG profile. (The wrapper's own form of this always returns nothing.)
    pub(super) fn possible_placements(
        &self,
        ProfileId(profile): ProfileId,
    ) -> Result<Vec<Placement>, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstancePossiblePlacements_v2";
        let call = function(
            &self
                .nvml
                .lib()
                .nvmlDeviceGetGpuInstancePossiblePlacements_v2,
            CALL,
        )?;
        let mut count = 0;
        // SAFETY: no array is given, so the driver only writes the count.
        let code = unsafe { call(self.handle, profile, std::ptr::null_mut(), &raw mut count) };
        check(code, CALL)?;
        let mut found = vec![sys::nvmlGpuInstancePlacement_t { start: 0, size: 0 }; count as usize];
        // SAFETY: the array has room for the `count` entries that the driver asked for.
        let code = unsafe { call(self.handle, profile, found.as_mut_ptr(), &raw mut count) };
        check(code, CALL)?;
        found.truncate(count as usize);
        Ok(found.into_iter().map(placement).collect())
    }

    /// How many more of a MIG profile fit.
    pub(super) fn remaining_capacity(
        &self,
        ProfileId(profile): ProfileId,
    ) -> Result<u32, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstanceRemainingCapacity";
        let call = function(
            &self.nvml.lib().nvmlDeviceGetGpuInstanceRemainingCapacity,
            CALL,
        )?;
        let mut count = 0;
        // SAFETY: the driver writes one number.
        let code = unsafe { call(self.handle, profile, &raw mut count) };
        check(code, CALL)?;
        Ok(count)
    }
}

fn answer(
    code: sys::nvmlReturn_t,
    call: &'static str,
    profile: impl FnOnce() -> ToldProfile,
) -> Result<Answer, GpuError> {
    match code {
        sys::nvmlReturn_enum_NVML_ERROR_INVALID_ARGUMENT => Ok(Answer::End),
        sys::nvmlReturn_enum_NVML_ERROR_NOT_SUPPORTED => Ok(Answer::Lacking),
        code => check(code, call).map(|()| Answer::Told(profile())),
    }
}

/// NVML's version word: the structure's size, and its number in the top byte.
fn structure_version<T>(number: u32) -> u32 {
    u32::try_from(size_of::<T>()).unwrap_or(0) | number << 24
}

/// A text that the driver wrote, up to its end.
fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars
        .iter()
        .map(|&c| c.cast_unsigned())
        .take_while(|&b| b != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A placement in our form.
pub(super) fn placement(told: sys::nvmlGpuInstancePlacement_t) -> Placement {
    Placement {
        start: told.start,
        size: told.size,
    }
}
