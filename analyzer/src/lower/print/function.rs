//! A function in, the lines of its blocks out.

use super::words::{address, line, type_name, type_names};
use migfit_schema::program::{
    Block, Function, Instruction, OnUnknown, Operand, Phi, Place, Reg, SizeProgram, Terminator,
    Type,
};

/// Column at which places begin.
const PLACE_COLUMN: usize = 72;

/// One function being written.
pub(super) struct Listing<'p> {
    pub(super) program: &'p SizeProgram,
    pub(super) function: &'p Function,
}

impl Listing<'_> {
    pub(super) fn write(&self, out: &mut String, number: usize) {
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

    pub(super) fn register(&self, register: Reg) -> String {
        let names = &self.function.names;
        match names.binary_search_by_key(&register, |(known, _)| *known) {
            Ok(at) => match names.get(at) {
                Some((_, name)) => format!("r{register}.{name}"),
                None => format!("r{register}"),
            },
            Err(_) => format!("r{register}"),
        }
    }

    pub(super) fn registers(&self, registers: &[Reg]) -> String {
        let all: Vec<String> = registers
            .iter()
            .map(|register| self.register(*register))
            .collect();
        all.join(", ")
    }

    pub(super) fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Reg(register) => self.register(register),
            other => address(self.program, other),
        }
    }

    /// A constant as the number that its type makes of it.
    pub(super) fn typed(&self, operand: Operand, ty: Type) -> String {
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
