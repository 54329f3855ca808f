//! The pictures of README and `docs/` are what the command draws; `UPDATE_EXPECT=1` draws them anew.

use std::fs;
use std::path::Path;

use crate::folder::Folder;

#[test]
fn pictures_of_the_manual_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let protocol = fs::read_to_string(root.join("docs/pay.quad")).expect("docs/pay.quad");
    let folder = Folder::new([("pay.quad", protocol.as_bytes())]);
    folder.run(&["check", "pay.quad", "--trace-out", "pay.json"]);
    folder.run(&["draw", "pay.quad", "--trace", "pay.json", "-o", "pay.svg"]);
    let drawn = folder.read("pay.svg");
    let path = root.join("docs/pictures/pay.svg");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &drawn).expect("docs/pictures/pay.svg");
    }
    let shown = fs::read_to_string(&path).expect("docs/pictures/pay.svg");
    assert!(shown == drawn, "docs/pictures/pay.svg: UPDATE_EXPECT=1 draws it anew");
    // README shows the protocol itself, without its comment.
    let (_, protocol) = protocol.split_once('\n').expect("a comment, then the protocol");
    let readme = fs::read_to_string(root.join("README.md")).expect("README.md");
    assert!(readme.contains(protocol), "README.md does not show docs/pay.quad as it is");
}

#[test]
fn every_picture_of_a_page_is_there() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut n_pictures = 0;
    for (page, folder) in [("../README.md", ".."), ("idea.md", ".")] {
        let text = fs::read_to_string(docs.join(page)).expect("a page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            assert!(docs.join(folder).join(file).exists(), "{page}: no {file}");
            n_pictures += usize::from(file.ends_with(".svg"));
        }
    }
    assert_eq!(n_pictures, 3);
}
