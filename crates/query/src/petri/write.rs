//! Models as PNML: nets, and networks that are nets.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_formats::read_net;
use quadrille_petri::codes::NO_NET;
use quadrille_petri::{net_of_network, read_pnml, write_pnml};

use crate::files::{Files, has_extension, read_text};

/// A `.net` file, or a net that may be a symmetric one, as a place/transition net in PNML; with warnings.
///
/// # Errors
/// What is wrong with the file, or why it is no net.
pub fn as_pnml(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let none = |why: String| {
        let message = format!("`{}` cannot be written as a Petri net", path.display());
        let help = "give a .net file without channels, or a .pnml file";
        vec![Diagnostic::error(&NO_NET, message).note(why).help(help)]
    };
    if has_extension(path, "pnml") {
        let source = read_text(files, path, sources).map_err(|it| vec![it])?;
        let (net, problems) = read_pnml(source, sources.text(source));
        return match net {
            Some(net) => Ok((write_pnml(&net), problems)),
            None => Err(problems),
        };
    }
    if !has_extension(path, "net") && !has_extension(path, "ia") {
        return Err(none("it is no network of participants and counters".to_owned()));
    }
    let source = read_text(files, path, sources).map_err(|it| vec![it])?;
    let (network, problems) = read_net(source, sources.text(source));
    let Some(network) = network else { return Err(problems) };
    let name = path.file_stem().map_or("net".into(), |name| name.to_string_lossy());
    let net = net_of_network(&name, &network).map_err(none)?;
    Ok((write_pnml(&net), problems))
}
