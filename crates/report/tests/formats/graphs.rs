//! State graphs as drawings.

use expect_test::expect;
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_model::{ExplicitBuilder, StateId};
use quadrille_report::Graph;
use quadrille_workshop::Choices;

fn door() -> Graph {
    let mut door = ExplicitBuilder::default();
    let [closed, open, broken] = [0, 1, 2].map(StateId::new);
    let actions = ["open", "close", "kick \"hard\""].map(|label| door.action(label));
    door.initial(closed).end(closed);
    door.edge(closed, actions[0], open).edge(open, actions[1], closed);
    door.edge(closed, actions[1], closed).edge(open, actions[2], broken);
    door.edge(closed, actions[2], open);
    Graph::of("door <1>", &door.build(), |_| Vec::new())
}

#[test]
fn dot() {
    expect![[r#"
        digraph "door <1>" {
          node [shape=box, style=rounded, fontname=monospace]
          edge [fontname=monospace]
          s0 [label="0", tooltip="state 0", peripheries=2]
          start0 [shape=point]
          start0 -> s0
          s1 [label="1", tooltip="state 1"]
          s2 [label="2", tooltip="state 2", color=red]
          s0 -> s0 [label="close"]
          s0 -> s1 [label="open\nkick \"hard\""]
          s1 -> s0 [label="close"]
          s1 -> s2 [label="kick \"hard\""]
        }
    "#]]
    .assert_eq(&door().dot());
}

#[test]
fn mermaid() {
    expect![[r#"
        stateDiagram-v2
          s0 : 0
          [*] --> s0
          s0 --> [*]
          s1 : 1
          s2 : 2
          s0 --> s0 : close
          s0 --> s1 : open<br/>kick #34;hard#34;
          s1 --> s0 : close
          s1 --> s2 : kick #34;hard#34;
    "#]]
    .assert_eq(&door().mermaid());
}

#[test]
fn svg() {
    let svg = door().svg();
    expect![[r#"
        <rect class="bg" width="214" height="287"/>
        <text class="title" x="20" y="26" text-anchor="start">door &lt;1&gt;</text>
        <g><title>close</title>
        <path class="arrow" d="M116 74 C142 66 142 92 116 84" marker-end="url(#quadrille-tip)"/>
        </g>
        <g><title>open
        kick &quot;hard&quot;</title>
        <path class="arrow" d="M88 96 C88 109 44 109 44 122 C44 136 88 136 88 151" marker-end="url(#quadrille-tip)"/>
        </g>
        <g><title>close</title>
        <path class="arrow" d="M108 151 C108 136 152 136 152 122 C152 109 108 109 108 96" marker-end="url(#quadrille-tip)"/>
        </g>
        <g><title>kick &quot;hard&quot;</title>
        <path class="arrow" d="M98 179 C98 190 98 190 98 201 C98 212 98 212 98 223" marker-end="url(#quadrille-tip)"/>
        </g>
        <text class="halo" x="138" y="83" text-anchor="start">close</text>
        <text class="halo" x="50" y="119" text-anchor="start">open</text>
        <text class="halo" x="50" y="133" text-anchor="start">kick &quot;hard&quot;</text>
        <text class="halo" x="158" y="126" text-anchor="start">close</text>
        <text class="halo" x="104" y="205" text-anchor="start">kick &quot;hard&quot;</text>
        <g><title>state 0</title>
        <circle class="tip" cx="98" cy="44" r="3"/>
        <line class="arrow" x1="98" y1="44" x2="98" y2="65" marker-end="url(#quadrille-tip)"/>
        <rect class="end" x="80" y="63" width="36" height="32" rx="16"/>
        <rect class="box" x="83" y="66" width="30" height="26" rx="13"/>
        <text class="label" x="98" y="83" text-anchor="middle">0</text>
        </g>
        <g><title>state 1</title>
        <rect class="box" x="83" y="152" width="30" height="26" rx="13"/>
        <text class="label" x="98" y="169" text-anchor="middle">1</text>
        </g>
        <g><title>state 2</title>
        <rect class="stuck" x="83" y="224" width="30" height="26" rx="13"/>
        <text class="label" x="98" y="241" text-anchor="middle">2</text>
        </g>
        </svg>
    "#]].assert_eq(svg.split_once("</defs>\n").expect("definitions").1);
}

#[test]
fn too_large_is_advice() {
    let diagnostic = Graph::too_large(2);
    expect![[r#"
        error[R003]: there are more than 2 states to draw
         |
         = help: raise --max-states, draw a trace with --trace, or write DOT
    "#]]
    .assert_eq(&render(&diagnostic, &Sources::default(), Style::Plain));
}

#[test]
fn any_graph_is_drawn() {
    quadrille_workshop::check(60, |choices| {
        let n_states = 1 + choices.below(30);
        let mut system = ExplicitBuilder::default();
        system.states(n_states as u32);
        let action = system.action("a");
        let mut state = || StateId::from_usize(choices.below(n_states));
        for _ in 0..2 * n_states {
            let (from, to) = (state(), state());
            system.edge(from, action, to);
        }
        system.initial(state());
        let graph = Graph::of("random", &system.build(), |_| Vec::new());
        let svg = graph.svg();
        let arrows = svg.matches("marker-end").count();
        assert_eq!(arrows, graph.edges.len() + 1, "each edge and the start");
        crate::random::assert_balanced(&svg, "a random graph");
    });
}

/// Item 18 of the review: large graphs were 100,000 pixels wide.
#[test]
fn item_18_five_hundred_states_fit_a_page() {
    let mut system = ExplicitBuilder::default();
    let action = system.action("step");
    system.initial(StateId::new(0));
    let mut choices = Choices::seeded(77);
    for state in 1..500u32 {
        // Three states of five hang on the first one: a wide layer.
        let from = if choices.below(5) < 3 { 0 } else { choices.below(state as usize) as u32 };
        system.edge(StateId::new(from), action, StateId::new(state));
        system.edge(StateId::new(state), action, StateId::new(choices.below(500) as u32));
    }
    let svg = Graph::of("large", &system.build(), |_| Vec::new()).svg();
    let extent = |name: &str| -> u32 {
        let rest = svg.split(&format!(" {name}=\"")).nth(1).expect("an extent");
        rest.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    assert!(extent("width") <= 2_400 && extent("height") <= 2_400, "{}", &svg[..200]);
}
