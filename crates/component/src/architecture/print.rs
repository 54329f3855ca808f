//! Writes an architecture as text that reads back to the same tree.

use std::fmt::{self, Display, Formatter};

use super::tree::{
    ArchitectureFile, ComponentDeclaration, ConnectionDeclaration, FrameSource, Interface,
    PartDeclaration, PortDeclaration, Side,
};
use crate::syntax;

impl Display for ArchitectureFile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let types = syntax::File { types: self.types.clone(), components: Vec::new() };
        types.fmt(f)?;
        self.interfaces.iter().try_for_each(|interface| writeln!(f, "{interface}"))?;
        self.components.iter().try_for_each(|component| writeln!(f, "{component}"))
    }
}

impl Display for Interface {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "interface {} {{", self.name.text)?;
        for (position, method) in self.methods.iter().enumerate() {
            let semicolon = if position == 0 { "" } else { ";" };
            write!(f, "{semicolon} {}", method.name.text)?;
            for (position, exception) in method.throws.iter().enumerate() {
                let word = if position == 0 { " throws" } else { "," };
                write!(f, "{word} {}", exception.text)?;
            }
        }
        f.write_str(" }")
    }
}

impl Display for ComponentDeclaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "component {} {{", self.name.text)?;
        self.ports.iter().try_for_each(|port| writeln!(f, "  {port}"))?;
        self.parts.iter().try_for_each(|part| writeln!(f, "  {part}"))?;
        self.links.iter().try_for_each(|link| writeln!(f, "  {link}"))?;
        self.frame.iter().try_for_each(|frame| writeln!(f, "  {frame}"))?;
        f.write_str("}")
    }
}

impl Display for PortDeclaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.side, self.name.text)?;
        self.of.iter().try_for_each(|of| write!(f, " : {}", of.text))
    }
}

impl Display for Side {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Provided => "provides",
            Side::Required => "requires",
        })
    }
}

impl Display for PartDeclaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "contains {}", self.name.text)?;
        self.of.iter().try_for_each(|of| write!(f, " : {}", of.text))
    }
}

impl Display for ConnectionDeclaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ConnectionDeclaration::Bind { from, to } => write!(f, "bind {from} to {to}"),
            ConnectionDeclaration::Delegate { from, to } => {
                write!(f, "delegate {} to {to}", from.text)
            }
            ConnectionDeclaration::Subsume { from, to } => {
                write!(f, "subsume {from} to {}", to.text)
            }
            ConnectionDeclaration::External(path) => write!(f, "external {path}"),
        }
    }
}

impl Display for FrameSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("protocol")?;
        match self {
            FrameSource::Here { variables, protocol } => {
                syntax::write_variables(f, variables)?;
                write!(f, " {{ {protocol} }}")
            }
            FrameSource::File { component, path } => {
                component.iter().try_for_each(|name| write!(f, " {}", name.text))?;
                write!(f, " in \"{}\"", path.text)
            }
        }
    }
}
