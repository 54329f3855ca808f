//! Binding of variables: parameters, and patterns that take collections apart.

use std::sync::Arc;

use super::eval::{Env, Interp, Parameters, look_up};
use super::form::{Form, FormKind};
use super::trap::{Result, Trap};
use super::value::Value;

impl Interp<'_> {
    pub(crate) fn bind_parameters(
        &mut self,
        parameters: &Parameters,
        arguments: Vec<Value>,
        env: &Env,
    ) -> Result<Env> {
        let mut env = env.clone();
        match parameters {
            Parameters::Written(forms) => self.destructure_all(forms, &Value::list(arguments), env),
            Parameters::Numbered(n_parameters, rest) => {
                let mut arguments = arguments.into_iter();
                for number in 1..=*n_parameters {
                    let value = arguments.next().unwrap_or(Value::Nil);
                    if let Some(name) = self.program.find(&format!("%{number}")) {
                        env = env.bind(name, value)?;
                    }
                }
                if *rest && let Some(name) = self.program.find("%&") {
                    env = env.bind(name, Value::list(arguments.collect()))?;
                }
                Ok(env)
            }
        }
    }

    /// Binds a pattern: a name, `[a b & rest :as all]`, or `{:keys [a b]}`.
    pub(crate) fn destructure(&mut self, pattern: &Form, value: &Value, env: Env) -> Result<Env> {
        match &pattern.kind {
            FormKind::Symbol { name, .. } => env.bind(*name, value.clone()),
            FormKind::Vector(patterns) => self.destructure_all(patterns, value, env),
            FormKind::Map(pairs) => {
                let mut env = env;
                for pair in pairs.chunks_exact(2) {
                    env = self.destructure_map(pair, value, env)?;
                }
                Ok(env)
            }
            _ => Err(Trap::unsupported("this is no name to bind").at(pattern.span)),
        }
    }

    fn destructure_map(&mut self, pair: &[Form], value: &Value, env: Env) -> Result<Env> {
        let mut env = env;
        match (pair[0].keyword(), &pair[1].kind) {
            (Some(keyword), FormKind::Vector(names)) if &**self.program.text(keyword) == "keys" => {
                for form in names.iter() {
                    let Some(name) = form.symbol() else { continue };
                    let key = Value::Keyword(Arc::clone(self.program.text(name)), false);
                    env = env.bind(name, look_up(value, &[key])?)?;
                }
                Ok(env)
            }
            (None, _) => {
                let key = self.eval(&pair[1], &env)?;
                let part = look_up(value, &[key])?;
                self.destructure(&pair[0], &part, env)
            }
            _ => Err(Trap::unsupported("this pattern is not supported").at(pair[0].span)),
        }
    }

    fn destructure_all(&mut self, patterns: &[Form], value: &Value, env: Env) -> Result<Env> {
        let items = self.items(value)?;
        let (mut env, mut at, mut position) = (env, 0, 0);
        while position < patterns.len() {
            let pattern = &patterns[position];
            let word = pattern.symbol().or(pattern.keyword()).map(|name| self.program.text(name));
            let following = patterns.get(position + 1);
            match (word.map(|word| &**word), following) {
                (Some("&"), Some(rest)) if pattern.symbol().is_some() => {
                    let left = items.get(at..).unwrap_or(&[]).to_vec();
                    let left = if left.is_empty() { Value::Nil } else { Value::list(left) };
                    env = self.destructure(rest, &left, env)?;
                    position += 1;
                }
                (Some("as"), Some(whole)) if pattern.keyword().is_some() => {
                    env = self.destructure(whole, value, env)?;
                    position += 1;
                }
                _ => {
                    let part = items.get(at).cloned().unwrap_or(Value::Nil);
                    env = self.destructure(pattern, &part, env)?;
                    at += 1;
                }
            }
            position += 1;
        }
        Ok(env)
    }
}
