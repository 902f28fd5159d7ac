//! Functions that compiled code calls for what the code generator does not have.

/// `ex2.approx.f32`.
pub extern "C" fn exp2(x: f32) -> f32 {
    x.exp2()
}

/// `lg2.approx.f32`.
pub extern "C" fn log2(x: f32) -> f32 {
    x.log2()
}

/// `sin.approx.f32`.
pub extern "C" fn sin(x: f32) -> f32 {
    x.sin()
}

/// `cos.approx.f32`.
pub extern "C" fn cos(x: f32) -> f32 {
    x.cos()
}

/// `tanh.approx.f32`.
pub extern "C" fn tanh(x: f32) -> f32 {
    x.tanh()
}

/// `fma.rn.f32` where the processor has no such instruction.
pub extern "C" fn fma_single(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

/// `fma.rn.f64` where the processor has no such instruction.
pub extern "C" fn fma_double(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// Nanoseconds of the machine's clock.
pub extern "C" fn nanoseconds() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    let passed = START.get_or_init(Instant::now).elapsed();
    u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
}
