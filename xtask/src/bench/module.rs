//! IR text of a host module of any size: functions that call each other over loops, stores and loads through pointers
//! that lead everywhere, and now and then a CUDA allocation. The same size gives the same text.

use std::fmt::Write;

/// Blocks of each function.
const BLOCKS: u64 = 10;
/// Instructions of a function with so many blocks, in the mean.
const EACH: u64 = 128;

const HEAD: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
target triple = \"x86_64-pc-linux-gnu\"
%T = type { ptr, i64, ptr, i32 }
declare ptr @malloc(i64)
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @getenv(ptr)
declare i32 @cudaMalloc(ptr, i64)
declare i64 @strtol(ptr, ptr, i32)
declare void @mystery(ptr)
";

/// A module of about so many instructions.
pub fn text(instructions: u64) -> String {
    let mut module = Module {
        text: HEAD.to_owned(),
        functions: (instructions / EACH).max(2),
        random: 1,
    };
    for global in 0..module.globals() {
        module.line(&format!("@g{global} = global %T zeroinitializer"));
    }
    for function in 0..module.functions {
        module.function(function);
    }
    module.main();
    module.text
}

struct Module {
    text: String,
    functions: u64,
    random: u64,
}

impl Module {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn globals(&self) -> u64 {
        self.functions / 10 + 1
    }

    /// Of a linear congruence (Knuth's MMIX): the same on every machine.
    fn below(&mut self, end: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % end.max(1)
    }

    fn function(&mut self, f: u64) {
        let global = self.below(self.globals());
        let _ = write!(
            self.text,
            "define i64 @f{f}(ptr %a, i64 %n) noinline {{
entry:
  %l0 = alloca %T
  %l1 = alloca ptr
  %e0 = load ptr, ptr @g{global}
  %e1 = getelementptr %T, ptr %l0, i64 0, i32 2
  store ptr %e0, ptr %l0
  store ptr %e0, ptr %e1
  store ptr %e0, ptr %l1
  br label %b0
"
        );
        for block in 0..BLOCKS {
            self.block(f, block, global);
        }
        let last = BLOCKS - 1;
        self.line(&format!(
            "end:\n  %r = load i64, ptr %x{last}\n  ret i64 %r\n}}"
        ));
    }

    fn block(&mut self, f: u64, b: u64, global: u64) {
        let before = b
            .checked_sub(1)
            .map_or("entry".to_owned(), |b| format!("b{b}"));
        let (base, field) = (["%a", "%l0"][self.below(2) as usize], 2 * self.below(2));
        self.line(&format!(
            "b{b}:\n  %i{b} = phi i64 [ 0, %{before} ], [ %j{b}, %b{b} ]"
        ));
        self.line(&format!(
            "  %p{b} = getelementptr %T, ptr {base}, i64 0, i32 {field}"
        ));
        let other = self.below(self.globals());
        let value = match self.below(6) {
            0 => format!(
                "  %u{b} = call ptr @malloc(i64 %n)\n  %w{b} = call ptr @memcpy(ptr %u{b}, ptr %a, i64 32)\n  store ptr %u{b}, ptr @g{global}\n  %v{b} = load ptr, ptr @g{global}"
            ),
            1 => format!("  %v{b} = load ptr, ptr @g{other}"),
            2 => format!("  %v{b} = load ptr, ptr %p{b}"),
            3 => format!("  %v{b} = getelementptr i8, ptr %l0, i64 %i{b}"),
            _ => format!("  %v{b} = load ptr, ptr %l1"),
        };
        self.line(&value);
        let to =
            ["l1".to_owned(), format!("p{b}"), format!("v{b}")][self.below(3) as usize].clone();
        self.line(&format!("  store ptr %v{b}, ptr %{to}\n  %x{b} = getelementptr %T, ptr %v{b}, i64 0, i32 1\n  %y{b} = load i64, ptr %x{b}\n  %z{b} = add i64 %y{b}, %i{b}\n  store i64 %z{b}, ptr %x{b}"));
        self.calls(f, b);
        let next = if b + 1 < BLOCKS {
            format!("b{}", b + 1)
        } else {
            "end".to_owned()
        };
        self.line(&format!("  %j{b} = add i64 %i{b}, 1\n  %k{b} = icmp slt i64 %j{b}, %n\n  br i1 %k{b}, label %b{b}, label %{next}"));
    }

    /// Calls of later functions, so that all are reached; strangers and allocations, seldom.
    fn calls(&mut self, f: u64, b: u64) {
        let rest = self.functions - f - 1;
        if rest > 0 && (b == 0 || self.below(100) < 15) {
            let child = 2 * f + 1 + u64::from(b > 0);
            let far = f + 1 + self.below(rest);
            let called = if b < 2 && child < self.functions {
                child
            } else {
                far
            };
            self.line(&format!(
                "  %c{b} = call i64 @f{called}(ptr %v{b}, i64 %z{b})"
            ));
        }
        if self.below(100) == 0 {
            self.line(&format!("  call void @mystery(ptr %v{b})"));
        }
        if self.below(100) < 2 {
            self.line(&format!(
                "  %m{b} = call i32 @cudaMalloc(ptr %l1, i64 %z{b})"
            ));
        }
    }

    fn main(&mut self) {
        self.line("define i32 @main(i32 %argc, ptr %argv) {\n  %s = load ptr, ptr %argv\n  %n = call i64 @strtol(ptr %s, ptr null, i32 10)");
        for global in 0..self.globals() {
            self.line(&format!(
                "  %h{global} = call ptr @getenv(ptr %s)\n  store ptr %h{global}, ptr @g{global}"
            ));
        }
        self.line("  %r = call i64 @f0(ptr %s, i64 %n)\n  %d = alloca ptr\n  %e = call i32 @cudaMalloc(ptr %d, i64 %r)\n  ret i32 0\n}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_about_the_instructions_asked_for() {
        for wanted in [10_000, 100_000] {
            let text = text(wanted);
            let found = text.lines().filter(|line| line.starts_with("  ")).count() as u64;
            assert!(found.abs_diff(wanted) < wanted / 10, "{found} of {wanted}");
        }
    }
}
