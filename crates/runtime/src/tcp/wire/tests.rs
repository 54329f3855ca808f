//! Frames in pieces, sealed and not, and the memory that hostile lengths take.

use quadrille_workshop::check;

use super::super::secret::{Secret, seal};
use super::*;

fn seals() -> [Option<Seal>; 2] {
    let secret = Secret::new([7; 32]).expect("long enough");
    [(); 2].map(|()| Some(seal(&secret, &[1; 32], &[2; 32])))
}

#[test]
fn frames_arrive_in_any_pieces() {
    check(300, |choices| {
        let [out, into] = if choices.coin() { seals() } else { [None, None] };
        let mut encoder = Encoder { limit: 5000, seal: out };
        let mut decoder = Decoder::new(5000, into);
        let sent: Vec<Vec<u8>> = (0..choices.below(8))
            .map(|number| vec![number as u8; choices.below(3) * choices.below(1500)])
            .collect();
        let mut bytes = Vec::new();
        for message in &sent {
            encoder.encode(message, &mut bytes).expect("within the limit");
        }
        let (mut rest, mut got) = (&bytes[..], Vec::new());
        while !rest.is_empty() {
            let most = 1 + choices.below(3000);
            let piece = (1 + choices.below(most)).min(rest.len());
            if choices.coin() {
                decoder.push(&rest[..piece]);
                rest = &rest[piece..];
            } else {
                let room = decoder.room();
                let piece = piece.min(room.len());
                room[..piece].copy_from_slice(&rest[..piece]);
                decoder.filled(piece);
                rest = &rest[piece..];
            }
            while let Some((message, _)) = decoder.next::<Vec<u8>>().expect("valid frames") {
                got.push(message);
            }
        }
        assert_eq!(got, sent);
        assert_eq!(decoder.partial(), None);
    });
}

#[test]
fn announced_lengths_take_no_memory() {
    let mut decoder = Decoder::new(1 << 30, None);
    decoder.push(&(1_u32 << 30).to_le_bytes());
    assert_eq!(decoder.next_body(), Ok(None));
    let _ = decoder.room();
    assert!(decoder.bytes.len() <= 2 * CHUNK, "{}", decoder.bytes.len());
    let mut decoder = Decoder::new(100, None);
    decoder.push(&101_u32.to_le_bytes());
    assert_eq!(decoder.next_body(), Err("a frame of 101 bytes, where 100 are allowed".to_owned()));
}

#[test]
fn a_large_frame_does_not_keep_its_memory() {
    let mut decoder = Decoder::new(1 << 20, None);
    let mut bytes = Vec::new();
    Encoder { limit: 1 << 20, seal: None }.encode(&vec![1_u8; 1 << 19], &mut bytes).expect("room");
    decoder.push(&bytes);
    assert!(decoder.next_body().expect("valid").is_some());
    assert!(decoder.room().len() <= CHUNK);
}

#[test]
fn a_message_beyond_the_limit_is_not_sent() {
    let mut encoder = Encoder { limit: 10, seal: None };
    let error = encoder.encode(&[0_u8; 11], &mut Vec::new()).expect_err("too long");
    assert_eq!(error.to_string(), "a message of 11 bytes, where 10 are allowed");
}

#[test]
fn what_was_altered_is_refused() {
    check(100, |choices| {
        let [out, into] = seals();
        let mut bytes = Vec::new();
        Encoder { limit: 100, seal: out }.encode(&7_u64, &mut bytes).expect("room");
        let place = 4 + choices.below(bytes.len() - 4);
        bytes[place] ^= 1 << choices.below(8);
        let mut decoder = Decoder::new(100, into);
        decoder.push(&bytes);
        let refused = "a frame that the shared secret does not authenticate";
        assert_eq!(decoder.next_body(), Err(refused.to_owned()));
    });
}
