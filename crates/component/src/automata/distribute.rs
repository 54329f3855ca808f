//! Distributes alternatives to the right: `(A + B) ; C` becomes `A ; C + B ; C`. Only the sizes
//! published for the airport system ask for it. Protocols with exceptions keep their calls whole.

use crate::syntax::{Kind, Phase, Protocol, Token};

/// Most nodes of the tree that is made.
const BUDGET: usize = 1 << 18;

/// The distributed tree; nothing if it would be too large.
pub(super) fn distribute(protocol: &Protocol) -> Option<Protocol> {
    let mut has_exceptions = false;
    protocol.walk(&mut |inner| {
        has_exceptions |= matches!(inner.kind, Kind::Throw(_) | Kind::Try { .. });
    });
    Distributor { expands_calls: !has_exceptions, budget: BUDGET }.rewrite(protocol)
}

struct Distributor {
    expands_calls: bool,
    budget: usize,
}

impl Distributor {
    fn rewrite(&mut self, protocol: &Protocol) -> Option<Protocol> {
        self.budget = self.budget.checked_sub(1)?;
        let kind = match &protocol.kind {
            Kind::Sequence(parts) => return self.sequence(parts, protocol),
            Kind::Call { direction, path, arguments, parameters, body }
                if self.expands_calls && arguments.is_empty() && parameters.is_empty() =>
            {
                let half = |direction, phase| Protocol {
                    kind: Kind::Event(Token { direction, path: path.clone(), phase }),
                    span: protocol.span,
                };
                let mut parts = vec![half(*direction, Phase::Request)];
                parts.extend(body.as_deref().cloned());
                parts.push(half(direction.inverse(), Phase::Response));
                return self.sequence(&parts, protocol);
            }
            Kind::Call { direction, path, arguments, parameters, body } => Kind::Call {
                direction: *direction,
                path: path.clone(),
                arguments: arguments.clone(),
                parameters: parameters.clone(),
                body: match body {
                    Some(body) => Some(Box::new(self.rewrite(body)?)),
                    None => None,
                },
            },
            Kind::Alternative(parts) => Kind::Alternative(self.all(parts)?),
            Kind::Parallel(parts) => Kind::Parallel(self.all(parts)?),
            Kind::OrParallel(parts) => Kind::OrParallel(self.all(parts)?),
            Kind::Repeat(inner) => Kind::Repeat(Box::new(self.rewrite(inner)?)),
            Kind::Invert(inner) => Kind::Invert(Box::new(self.rewrite(inner)?)),
            other => other.clone(),
        };
        Some(Protocol { kind, span: protocol.span })
    }

    fn all(&mut self, parts: &[Protocol]) -> Option<Vec<Protocol>> {
        parts.iter().map(|part| self.rewrite(part)).collect()
    }

    fn sequence(&mut self, parts: &[Protocol], whole: &Protocol) -> Option<Protocol> {
        let mut flat = Vec::new();
        for part in parts {
            let part = self.rewrite(part)?;
            match part.kind {
                Kind::Sequence(inner) => flat.extend(inner),
                Kind::Null => {}
                _ => flat.push(part),
            }
        }
        let choice = flat.iter().position(|part| matches!(part.kind, Kind::Alternative(_)));
        if let Some(position) = choice.filter(|position| position + 1 < flat.len()) {
            let rest = flat.split_off(position + 1);
            let Some(Protocol { kind: Kind::Alternative(ways), span }) = flat.pop() else {
                return None;
            };
            let mut distributed = Vec::new();
            for way in ways {
                let mut parts = vec![way];
                parts.extend(rest.iter().cloned());
                distributed.push(self.sequence(&parts, whole)?);
            }
            flat.push(Protocol { kind: Kind::Alternative(distributed), span });
        }
        let kind = match flat.len() {
            0 => Kind::Null,
            1 => return flat.pop(),
            _ => Kind::Sequence(flat),
        };
        Some(Protocol { kind, span: whole.span })
    }
}
