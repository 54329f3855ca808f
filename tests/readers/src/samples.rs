//! Texts to begin with, where `examples/` has none, and the words of the languages.

pub(crate) const FORMULA: &[&str] = &[
    "G (request -> F \"grant\") & !(a U b W c) | X X p <-> `odd name`",
    "AG EF (settled | E[a U b]) & AX (worker[0].busy -> A[b R c])",
    "always (a implies eventually b) and not (H (Y p S q)) // past",
];

pub(crate) const OWL: &[&str] =
    &["G(\"alice SEND <Ball> TO bob\" => F \"bob RECV *\") && !(\"a\" U \"b\" || X \"c\")"];

pub(crate) const LOGIC: &str = "G F X U W R M A E AG EF S O H Y a b c p \" ` ( ) [ ] { } ! & | -> <-> => \
    && || true false always until not and forall exists in i 0 1 .. ..= . , < > * // § é";

pub(crate) const HOA: &[&str] = &["HOA: v1\nname: \"x\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\n\
    Alias: @x !(0 | 1)\nacc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\n--BODY--\n\
    State: 0 \"start\" {1}\n[@x] 1 {0}\n[0&1 | !0&f] 0\nState: [t] 1\n0 {0}\n--END--\n"];

pub(crate) const HOA_WORDS: &str = "HOA: v1 States: Start: AP: Alias: Acceptance: Inf(0) Fin(1) t f \
    --BODY-- --END-- --ABORT-- State: 0 1 2 99999999999 [0] [!0] [@a] @a {0} ( ) [ ] { } ! & | \" /* */ é";

pub(crate) const NET_WORDS: &str = "participant participants channel prop A B c x y 0 1 9 : * , -> = ! ? \
    { } ( ) [ ] < > \" _ in and or not empty full head contains from to of starts true // é → \u{feff}";

pub(crate) const IA: &[&str] =
    &["participants A:2 B:3\nalpha: <0,_> -> <1,{0,2}>\nbeta: <1,!1> -> <0,> // back\n"];

pub(crate) const AUT_WORDS: &str = "des ( ) (0, 0 1 2 9 99999999999 , \" a i \\ é \u{feff}";

pub(crate) const QUAD_WORDS: &str = "parameter enum message event role variable protocol property either \
    or par and loop opt repeat forever for choose in if else let when where with sync from to closes does \
    any not true false of a b M w r v p 0 1 2 99999999999 { } ( ) [ ] ; , : := = == != < <= .. ..= + - * \
    / % every some sends receives G F U -> // \" ` é § bool int set min size subsets";

pub(crate) const QEV_WORDS: &str = "module open enum abstract one lone some set seq var sig extends in event init \
    end fact pred fun let assert check run invariant expect for but exactly Int univ none iden all no sum \
    disj not and or implies iff else always eventually after before once historically until releases \
    since triggered S A$1 f x ' ; : , . -> ~ ^ * + - & ++ <: :> # = != < <= > >= { } ( ) [ ] | @ 0 1 \
    99999999999 0..5 // -- /* */ é";

pub(crate) const DCJ: &[&str] = &["(ns a.b (:require [c :as s])) ; comment\n\
    (s/defroles ::a ::b)\n(defn f [x & [y]] (let [z (if x 1/2 -3.5)] (+ z (count #{1 2 :k}))))\n\
    (s/defsession ::main [] (s/cat (s/* (s/-->> Long ::a ::b)) (s/loop l [i 0]\n\
    (s/if (< i 3) (s/recur l (inc i)) (s/close ::a ::b))) (s/alt (s/--> ::b ::a) (s/end))))\n"];

pub(crate) const DCJ_WORDS: &str = "( ) [ ] { } # #{ ' \" :: s/ s/cat s/alt s/par s/* s/loop s/recur s/if \
    defn defsession s/defsession ::a ::b % ^ é 1e9 \\ ; : ` ~ @ & / -> 0 ω let fn map range \u{feff}";

pub(crate) const BP_WORDS: &str = "A B !i.m ?i.m ^ $ ↑ ; + * | || ( ) { } [ ] , : throw try catch !e ?i.e \
    NULL types vars while switch default <- == != = / // /* */ ~ ⁻¹ &go é";

pub(crate) const ARCH: &[&str] = &["interface Desk { ask throws Busy; leave }\n\
    component Clerk { provides Desk protocol { (?Desk.ask { NULL + throw !Busy } + ?Desk.leave)* } }\n\
    component Client { requires Counter : Desk protocol { !Counter.leave } }\n\
    component House { contains one : Client contains two : Clerk bind one.Counter to two.Desk }\n"];

pub(crate) const ARCH_WORDS: &str = "interface component provides requires contains bind delegate subsume \
    external protocol to in throws A B A.B B.A { } ( ) : ; , ?A.m !B.m \"x.bp\" \" vars types = * é";

pub(crate) const MANIFEST: &[&str] = &["[[check]]\nfile = \"ring.dcj\"\nprotocol = \"ring\"\n\
    args = [4, true, \"x\"]\nform = \"liberal\"\nruns = \"infinite\"\ntypes = { Token = \"ring.Token\" }\n\
    formulas = [\"formulas/*.owl\"]\nexpect = { \"Unfair.owl\" = \"violated\" }\n"];

pub(crate) const TOML: &str = "[[check]] [ ] { } = \" ' , . file formulas expect types args runs form \
    infinite violated holds true 4 99999999999999999999 # é \\u0000";

pub(crate) const TRACE: &[&str] = &["{\n  \"schema\": \"quadrille/1\",\n  \"trace\": {\n    \
    \"property\": \"G p\",\n    \"participants\": [\"a\", \"b\"],\n    \"initial\": {\"x\": 0, \"é\": \"u\"},\n    \
    \"steps\": [{\"action\": \"s\", \"shape\": {\"kind\": \"joint\", \"participants\": [\"a\"]}, \
    \"changes\": {\"x\": \"é\"}}],\n    \"ending\": {\"kind\": \"stuck\", \"waits\": []}\n  }\n}\n"];

pub(crate) const LOG: &[&str] = &[
    "{\"event\": \"wait\", \"for\": {\"event\": \"receive\", \"role\": \"é\", \"message\": \"M\"}}",
    "{\"event\": \"send\", \"role\": \"worker[0]\", \"to\": [\"b\"], \"message\": \"Vote(true)\"}",
    "{\"event\": \"leave\", \"role\": \"b\"}",
];

pub(crate) const JSON: &str = "{ } [ ] : , \" \"schema\" \"quadrille/1\" \"trace\" \"steps\" \"action\" \
    \"event\" \"send\" \"from\" \"to\" null true 0 -1 1e999 \\u0000 \\ud800 é";

pub(crate) const PNML: &[&str] = &[
    "<?xml version=\"1.0\"?><pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\
     <page id=\"g\"><place id=\"p\"><initialMarking><text>2</text></initialMarking></place>\
     <transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"><inscription><text>2</text></inscription>\
     </arc><toolspecific tool=\"nupn\"><structure safe=\"true\"><unit id=\"u\"><places>p</places><subunits/>\
     </unit></structure></toolspecific></page></net></pnml>",
];

pub(crate) const CONTEST: &[&str] = &[
    "<property-set><property><id>one</id><formula><all-paths><globally><integer-le><tokens-count>\
     <place>p</place><place>q</place></tokens-count><integer-constant>1</integer-constant></integer-le>\
     </globally></all-paths></formula></property><property><id>two</id><formula><place-bound>\
     <place>p</place></place-bound></formula></property></property-set>",
];

pub(crate) const PNML_WORDS: &str = "<place id='p'/> <arc </page> <text> </text> <!-- --> <![CDATA[ ]]> &amp; \
     &#x41; <? <!DOCTYPE <negation> </negation> <until> <deadlock/> id= \" ' /> > é 1 -1";

pub(crate) const ALS_WORDS: &str = "module open as abstract sig var one lone some set seq extends in fact \
    pred fun let assert check run expect for but exactly Int univ none iden all no sum disj not and or \
    implies iff else always eventually after before until releases since triggered S f x ' ; : , . -> ~ ^ \
    * + - & ++ <: :> # = != < =< > >= { } ( ) [ ] | @ 0 1 99999999999 util/ordering[S] // -- /* */ \" é";

pub(crate) const THEME: &[&str] =
    &["-- roles\nhide this/Time\nattribute name\ncolour Node #aabbcc\n"];

pub(crate) const THEME_WORDS: &str = "hide attribute colour -- Node f #fff #aabbcc # é \u{feff}";

pub(crate) const SCHEDULE: &[&str] = &["q1:a3b2ac:4.0:Xf9k2Qz", "q1c11:(30)2::ab"];

pub(crate) const SCHEDULE_WORDS: &str = "q1: q1c11: : a b aa (3) 2 99999999999 . - _ X é";
