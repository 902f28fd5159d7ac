//! A size program in, a text listing for people and snapshot tests out. One line for each instruction, its place behind it.

use migfit_schema::program::{
    Block, Callee, Function, Global, Instruction, OnUnknown, Op, Operand, Phi, Place, Reg,
    SizeProgram, Terminator, Type,
};
use std::fmt::Write;

/// Column at which places begin.
const PLACE_COLUMN: usize = 72;

/// The listing.
#[must_use]
pub fn listing(program: &SizeProgram) -> String {
    let mut out = String::new();
    for (number, (symbol, name)) in program.kernels.iter().enumerate() {
        line(&mut out, &format!("kernel {number}: {symbol} ({name})"));
    }
    for id in &program.constructors {
        line(
            &mut out,
            &format!("constructor {}", function_name(program, *id)),
        );
    }
    if let Some(id) = program.main {
        line(&mut out, &format!("main {}", function_name(program, id)));
    }
    for (number, global) in program.globals.iter().enumerate() {
        line(
            &mut out,
            &format!("global g{number}: {}", describe(program, global)),
        );
    }
    for (number, function) in program.functions.iter().enumerate() {
        Listing { program, function }.write(&mut out, number);
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

fn function_name(program: &SizeProgram, id: u32) -> String {
    match program.functions.get(id as usize) {
        Some(function) => format!("@{}", function.name),
        None => format!("@?{id}"),
    }
}

fn describe(program: &SizeProgram, global: &Global) -> String {
    let mut text = format!(
        "{}, {} bytes, align {}",
        global.name, global.size, global.align
    );
    for (holds, word) in [(global.constant, "constant"), (global.external, "external")] {
        if holds {
            let _ = write!(text, ", {word}");
        }
    }
    if let Some(bytes) = global.device_bytes {
        let _ = write!(text, ", {bytes} bytes on the device");
    }
    if !global.bytes.is_empty() {
        let _ = write!(text, ", \"{}\"", global.bytes.escape_ascii());
    }
    for (offset, operand) in &global.addresses {
        let _ = write!(text, ", +{offset}: {}", address(program, *operand));
    }
    text
}

/// An operand outside any function.
fn address(program: &SizeProgram, operand: Operand) -> String {
    match operand {
        Operand::Reg(register) => format!("r{register}"),
        Operand::Const(bits) => bits.to_string(),
        Operand::Global(id, 0) => format!("g{id}"),
        Operand::Global(id, offset) => format!("g{id}{offset:+}"),
        Operand::Function(id) => function_name(program, id),
        Operand::Undef => "undef".to_owned(),
    }
}

/// One function being written.
struct Listing<'p> {
    program: &'p SizeProgram,
    function: &'p Function,
}

impl Listing<'_> {
    fn write(&self, out: &mut String, number: usize) {
        let params: Vec<String> = self
            .function
            .params
            .iter()
            .map(|(register, ty)| format!("{}: {}", self.register(*register), type_name(*ty)))
            .collect();
        line(
            out,
            &format!(
                "\nfunction {number}: @{}({}) -> ({})",
                self.function.name,
                params.join(", "),
                type_names(&self.function.results),
            ),
        );
        for (number, block) in self.function.blocks.iter().enumerate() {
            line(out, &format!("b{number}:"));
            self.write_block(out, block);
        }
    }

    fn write_block(&self, out: &mut String, block: &Block) {
        for phi in &block.phis {
            line(out, &format!("  {}", self.phi(phi)));
        }
        for Instruction { op, place } in &block.ops {
            self.placed(out, &self.op(op), *place);
        }
        self.placed(out, &self.end(&block.end), block.end_place);
    }

    fn placed(&self, out: &mut String, text: &str, place: Place) {
        let file = self.program.files.get(place.file as usize);
        match (file, place.line) {
            (Some(file), at @ 1..) => {
                let file = file.rsplit('/').next().unwrap_or(file);
                line(out, &format!("  {text:PLACE_COLUMN$} ; {file}:{at}"));
            }
            _ => line(out, &format!("  {text}")),
        }
    }

    fn register(&self, register: Reg) -> String {
        let names = &self.function.names;
        match names.binary_search_by_key(&register, |(known, _)| *known) {
            Ok(at) => match names.get(at) {
                Some((_, name)) => format!("r{register}.{name}"),
                None => format!("r{register}"),
            },
            Err(_) => format!("r{register}"),
        }
    }

    fn registers(&self, registers: &[Reg]) -> String {
        let all: Vec<String> = registers
            .iter()
            .map(|register| self.register(*register))
            .collect();
        all.join(", ")
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Reg(register) => self.register(register),
            other => address(self.program, other),
        }
    }

    /// A constant as the number that its type makes of it.
    fn typed(&self, operand: Operand, ty: Type) -> String {
        match (operand, ty) {
            (Operand::Const(bits), Type::Int(width @ 2..)) => {
                let unused = 64 - u32::from(width);
                ((bits << unused).cast_signed() >> unused).to_string()
            }
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a float's bits fill the lower half"
            )]
            (Operand::Const(bits), Type::F32) => format!("{:?}", f32::from_bits(bits as u32)),
            (Operand::Const(bits), Type::F64) => format!("{:?}", f64::from_bits(bits)),
            (operand, _) => self.operand(operand),
        }
    }

    fn phi(&self, phi: &Phi) -> String {
        let incoming: Vec<String> = phi
            .incoming
            .iter()
            .map(|(block, value)| format!("b{block}: {}", self.typed(*value, phi.ty)))
            .collect();
        let ty = type_name(phi.ty);
        format!(
            "{} = phi {ty} [{}]",
            self.register(phi.dst),
            incoming.join(", ")
        )
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Binary { dst, ty, op, a, b } => {
                let (a, b) = (self.typed(*a, *ty), self.typed(*b, *ty));
                format!(
                    "{} = {} {} {a}, {b}",
                    self.register(*dst),
                    word(op),
                    type_name(*ty)
                )
            }
            Op::Compare { dst, ty, op, a, b } => {
                let (a, b) = (self.typed(*a, *ty), self.typed(*b, *ty));
                format!(
                    "{} = is {} {} {a}, {b}",
                    self.register(*dst),
                    word(op),
                    type_name(*ty)
                )
            }
            Op::Cast {
                dst,
                kind,
                from,
                to,
                a,
            } => format!(
                "{} = cast {} {} {} to {}",
                self.register(*dst),
                word(kind),
                type_name(*from),
                self.typed(*a, *from),
                type_name(*to),
            ),
            Op::Copy { dst, ty, a } => {
                format!(
                    "{} = copy {} {}",
                    self.register(*dst),
                    type_name(*ty),
                    self.typed(*a, *ty)
                )
            }
            Op::Select {
                dst,
                ty,
                condition,
                a,
                b,
            } => format!(
                "{} = select {} {} ? {} : {}",
                self.register(*dst),
                type_name(*ty),
                self.operand(*condition),
                self.typed(*a, *ty),
                self.typed(*b, *ty),
            ),
            Op::Unary { dst, ty, op, a } => {
                format!(
                    "{} = {} {} {}",
                    self.register(*dst),
                    word(op),
                    type_name(*ty),
                    self.typed(*a, *ty)
                )
            }
            Op::Unsupported { dst, what } if dst.is_empty() => format!("unsupported \"{what}\""),
            Op::Unsupported { dst, what } => {
                format!("{} = unsupported \"{what}\"", self.registers(dst))
            }
            Op::Launch { kernel } => match self.program.kernels.get(*kernel as usize) {
                Some((_, name)) => format!("launch {kernel} ({name})"),
                None => format!("launch {kernel}"),
            },
            Op::Call {
                dst,
                results,
                callee,
                args,
            } => self.call(dst, results, callee, args),
            _ => self.memory_op(op),
        }
    }

    fn memory_op(&self, op: &Op) -> String {
        let show = |operand: &Operand| self.operand(*operand);
        match op {
            Op::Alloca {
                dst,
                size,
                count,
                align,
            } => {
                format!(
                    "{} = alloca {size} x {}, align {align}",
                    self.register(*dst),
                    show(count)
                )
            }
            Op::Load { dst, ty, address } => {
                format!(
                    "{} = load {} [{}]",
                    self.register(*dst),
                    type_name(*ty),
                    show(address)
                )
            }
            Op::Store { ty, value, address } => {
                format!(
                    "store {} [{}] = {}",
                    type_name(*ty),
                    show(address),
                    self.typed(*value, *ty)
                )
            }
            Op::Offset {
                dst,
                base,
                constant,
                terms,
            } => {
                let mut sum = show(base);
                for (index, ty, scale) in terms {
                    let _ = write!(sum, " + {} {} * {scale}", type_name(*ty), show(index));
                }
                if *constant != 0 || terms.is_empty() {
                    let _ = write!(sum, " {constant:+}");
                }
                format!("{} = {sum}", self.register(*dst))
            }
            Op::MemCopy { to, from, bytes } => {
                format!(
                    "copy [{}] = [{}], {} bytes",
                    show(to),
                    show(from),
                    show(bytes)
                )
            }
            Op::MemSet { to, byte, bytes } => {
                format!(
                    "fill [{}] = {}, {} bytes",
                    show(to),
                    show(byte),
                    show(bytes)
                )
            }
            // `op` shows the rest.
            _ => String::new(),
        }
    }

    fn call(
        &self,
        dst: &[Reg],
        results: &[Type],
        callee: &Callee,
        args: &[(Operand, Type)],
    ) -> String {
        let callee = match callee {
            Callee::Function(id) => function_name(self.program, *id),
            Callee::External(name) => name.clone(),
            Callee::Indirect(pointer) => format!("[{}]", self.operand(*pointer)),
        };
        let args: Vec<String> = args
            .iter()
            .map(|(operand, ty)| format!("{} {}", type_name(*ty), self.typed(*operand, *ty)))
            .collect();
        let call = format!("call {callee}({})", args.join(", "));
        if dst.is_empty() {
            return call;
        }
        format!("{} = {} {call}", self.registers(dst), type_names(results))
    }

    fn end(&self, end: &Terminator) -> String {
        match end {
            Terminator::Return(values) => {
                let values: Vec<String> = values
                    .iter()
                    .zip(&self.function.results)
                    .map(|(value, ty)| self.typed(*value, *ty))
                    .collect();
                format!("return {}", values.join(", "))
            }
            Terminator::Jump(block) => format!("jump b{block}"),
            Terminator::Branch {
                condition,
                then,
                otherwise,
                unknown,
            } => format!(
                "branch {} ? b{then} : b{otherwise}{}",
                self.operand(*condition),
                on_unknown(*unknown),
            ),
            Terminator::Switch {
                ty,
                value,
                cases,
                default,
                unknown,
            } => {
                let cases: Vec<String> = cases
                    .iter()
                    .map(|(bits, block)| {
                        format!("{}: b{block}", self.typed(Operand::Const(*bits), *ty))
                    })
                    .collect();
                format!(
                    "switch {} {} [{}] else b{default}{}",
                    type_name(*ty),
                    self.operand(*value),
                    cases.join(", "),
                    on_unknown(*unknown),
                )
            }
            Terminator::Unreachable => "unreachable".to_owned(),
        }
    }
}

fn on_unknown(unknown: OnUnknown) -> String {
    match unknown {
        OnUnknown::Stop => String::new(),
        OnUnknown::CheckPasses(block) => format!(", unknown: check passes to b{block}"),
        OnUnknown::LoopOnce { body, exit } => format!(", unknown: once b{body}, then b{exit}"),
        OnUnknown::TakeCuda(block) => format!(", unknown: CUDA side b{block}"),
        OnUnknown::Join(block) => format!(", unknown: join at b{block}"),
    }
}

fn type_name(ty: Type) -> String {
    match ty {
        Type::Int(width) => format!("i{width}"),
        Type::F32 => "f32".to_owned(),
        Type::F64 => "f64".to_owned(),
        Type::Ptr => "ptr".to_owned(),
    }
}

fn type_names(types: &[Type]) -> String {
    let names: Vec<String> = types.iter().map(|ty| type_name(*ty)).collect();
    names.join(", ")
}

/// An operation's name in lower case.
fn word(op: &impl std::fmt::Debug) -> String {
    format!("{op:?}").to_lowercase()
}
