//! Layered layout in the manner of Sugiyama, Tagawa and Toda (1981): ranks by distance from the
//! start, points where edges pass a rank, fewer crossings by barycentres, places by relaxation.
//! Between two ranks of nodes lies a rank of labels: a label stands at the right of its line and
//! has room of its own. Layers of many nodes are wrapped into several ranks.

use super::{Graph, GraphEdge, NodeShape};
use crate::svg::Px;

/// Horizontal room between neighbours of a rank.
const SEPARATION: Px = 18;
/// From the left end of a labelled point to its line, and from there to the text.
pub(super) const LINE_INSET: Px = 4;
pub(super) const TEXT_INSET: Px = 6;
/// Rounds of ordering and of placing; more change little on graphs that can be read.
const ROUNDS: usize = 24;

/// Distance of two routes along one rank.
const LEVEL: Px = 16;

/// Graphs with more edges than this are drawn with straight, unlabelled edges.
const MAX_ROUTED: usize = 160;

/// How large things are.
pub(super) struct Sizes {
    /// Width of each node, with the loops at its right side.
    pub(super) nodes: Vec<Px>,
    /// Width and height of each edge's label.
    pub(super) labels: Vec<(Px, Px)>,
    /// Height of every node.
    pub(super) height: Px,
}

/// Where everything is.
pub(super) struct Layout {
    /// The centre of each node.
    pub(super) nodes: Vec<(Px, Px)>,
    /// The route of each edge, empty for a loop at one node; none where there are too many edges to
    /// give each a way of its own.
    pub(super) routes: Option<Vec<Route>>,
    /// Extent of the whole.
    pub(super) width: Px,
    pub(super) height: Px,
}

/// How an edge runs from its source to its target.
#[derive(Clone, Default)]
pub(super) struct Route {
    /// The points between the two nodes, from source to target.
    pub(super) points: Vec<(Px, Px)>,
    /// Which of the points bears the label.
    pub(super) label: usize,
    /// Whether both ends are on one rank: the route leaves and enters from below.
    pub(super) level: bool,
}

/// Something that has a place in a rank: a node, or a point of an edge.
struct Item {
    rank: usize,
    width: Px,
    /// Its middle.
    x: Px,
    /// From the middle to the line through it: 0 but for labelled points.
    line: Px,
    /// Items of the rank above and of the rank below that it is tied to.
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Finds a place for everything.
pub(super) fn layout(graph: &Graph, sizes: &Sizes) -> Layout {
    let layers = wrapped(&layers(graph));
    let mut items: Vec<Item> = layers
        .iter()
        .zip(&sizes.nodes)
        .map(|(&layer, &width)| Item::new(2 * layer, width))
        .collect();
    let is_routed = graph.edges.len() <= MAX_ROUTED;
    let routes = if is_routed { thread(graph, sizes, &mut items) } else { tie(graph, &mut items) };
    let n_ranks = items.iter().map(|item| item.rank + 1).max().unwrap_or(0);
    let mut ranks = vec![Vec::new(); n_ranks];
    for (number, item) in items.iter().enumerate() {
        ranks[item.rank].push(number);
    }
    order(&items, &mut ranks);
    place(&mut items, &ranks);
    let ys = rank_heights(graph, sizes, &items, &routes, n_ranks);
    let at = |number: usize| (items[number].line_x(), ys[items[number].rank]);
    let mut n_levels = vec![0; n_ranks];
    let is_level =
        |edge: &GraphEdge| edge.from != edge.to && items[edge.from].rank == items[edge.to].rank;
    let to_route = |(threaded, edge): (&Threaded, &GraphEdge)| {
        let level = is_level(edge);
        let mut points: Vec<(Px, Px)> = threaded.items.iter().map(|&item| at(item)).collect();
        if level {
            // Routes along one rank lie below each other.
            let rank = items[threaded.items[0]].rank;
            points.iter_mut().for_each(|point| point.1 += LEVEL * n_levels[rank]);
            n_levels[rank] += 1;
        }
        Route { points, label: threaded.items.len() / 2, level }
    };
    let width = items.iter().map(|item| item.x + item.width / 2).max().unwrap_or(0);
    let routes: Option<Vec<Route>> =
        is_routed.then(|| routes.iter().zip(&graph.edges).map(to_route).collect());
    let points = routes.iter().flatten().flat_map(|route| &route.points);
    let lowest = points.map(|point| point.1).chain(ys.last().copied()).max().unwrap_or(0);
    Layout {
        nodes: (0..graph.nodes.len()).map(at).collect(),
        routes,
        width,
        height: lowest + sizes.height,
    }
}

impl Item {
    fn new(rank: usize, width: Px) -> Item {
        Item { rank, width, x: 0, line: 0, above: Vec::new(), below: Vec::new() }
    }

    /// A point with a label at its right.
    fn labelled(rank: usize, label_width: Px) -> Item {
        let width = LINE_INSET + TEXT_INSET + label_width;
        Item { line: LINE_INSET - width / 2, ..Item::new(rank, width) }
    }

    fn line_x(&self) -> Px {
        self.x + self.line
    }
}

/// Layers with more nodes than a page is wide become several.
fn wrapped(layers: &[usize]) -> Vec<usize> {
    let widest = (2 * layers.len()).isqrt().max(12);
    let n_layers = layers.iter().map(|layer| layer + 1).max().unwrap_or(0);
    let mut sizes = vec![0; n_layers];
    layers.iter().for_each(|&layer| sizes[layer] += 1);
    let mut first_rank = 0;
    let starts: Vec<(usize, usize)> = sizes
        .iter()
        .map(|&size: &usize| {
            let n_ranks = size.div_ceil(widest).max(1);
            first_rank += n_ranks;
            (first_rank - n_ranks, size.div_ceil(n_ranks).max(1))
        })
        .collect();
    let mut met = vec![0; n_layers];
    let rank = |&layer: &usize| {
        let (start, per_rank) = starts[layer];
        met[layer] += 1;
        start + (met[layer] - 1) / per_rank
    };
    layers.iter().map(rank).collect()
}

/// Distance of each node from the start; what cannot be reached starts a count of its own.
fn layers(graph: &Graph) -> Vec<usize> {
    let mut layer: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    let initial = (0..graph.nodes.len()).filter(|&node| graph.nodes[node].initial);
    let mut queue: Vec<usize> = initial.collect();
    for root in 0..=graph.nodes.len() {
        for &node in &queue {
            layer[node] = Some(0);
        }
        let mut next = 0;
        while next < queue.len() {
            let node = queue[next];
            next += 1;
            for edge in graph.edges.iter().filter(|edge| edge.from == node) {
                if layer[edge.to].is_none() {
                    layer[edge.to] = layer[node].map(|layer| layer + 1);
                    queue.push(edge.to);
                }
            }
        }
        queue.clear();
        if layer.get(root).is_some_and(Option::is_none) {
            queue.push(root);
        }
    }
    let mut layers: Vec<usize> = layer.into_iter().map(Option::unwrap_or_default).collect();
    // Where a system calls what is outside is below everything inside.
    let last = layers.iter().max().copied().unwrap_or(0);
    let is_inside = |node: usize| graph.nodes[node].shape != NodeShape::Port;
    let lowest = (0..layers.len()).filter(|&node| is_inside(node)).map(|node| layers[node]).max();
    for (node, layer) in layers.iter_mut().enumerate() {
        if !is_inside(node) && !graph.nodes[node].initial {
            *layer = lowest.map_or(last, |lowest| lowest + 1);
        }
    }
    layers
}

/// The items of an edge, from source to target.
struct Threaded {
    items: Vec<usize>,
}

/// Gives every edge a point on each rank it passes.
fn thread(graph: &Graph, sizes: &Sizes, items: &mut Vec<Item>) -> Vec<Threaded> {
    let mut routes = Vec::with_capacity(graph.edges.len());
    for (edge, &(label_width, _)) in graph.edges.iter().zip(&sizes.labels) {
        let (from, to) = (items[edge.from].rank, items[edge.to].rank);
        let mut points = Vec::new();
        if edge.from != edge.to {
            let (top, bottom) =
                if from <= to { (edge.from, edge.to) } else { (edge.to, edge.from) };
            let (first, last) = (from.min(to) + 1, from.max(to).max(from.min(to) + 2));
            let middle = usize::midpoint(first, last - 1);
            let mut above = top;
            for rank in first..last {
                let number = items.len();
                items.push(if rank == middle {
                    Item::labelled(rank, label_width)
                } else {
                    Item::new(rank, 6)
                });
                items[number].above.push(above);
                items[above].below.push(number);
                points.push(number);
                above = number;
            }
            if from == to {
                items[above].above.push(bottom);
                items[bottom].below.push(above);
            } else {
                items[above].below.push(bottom);
                items[bottom].above.push(above);
            }
            if from > to {
                points.reverse();
            }
        }
        routes.push(Threaded { items: points });
    }
    routes
}

/// Ties the ends of all edges to each other, without points in between.
fn tie(graph: &Graph, items: &mut [Item]) -> Vec<Threaded> {
    for edge in &graph.edges {
        let (from, to) = (edge.from, edge.to);
        let (top, bottom) =
            if items[from].rank <= items[to].rank { (from, to) } else { (to, from) };
        if items[top].rank != items[bottom].rank {
            items[top].below.push(bottom);
            items[bottom].above.push(top);
        }
    }
    Vec::new()
}

/// Orders each rank by the barycentres of its neighbours, keeping the best order seen.
fn order(items: &[Item], ranks: &mut [Vec<usize>]) {
    let mut best = ranks.to_vec();
    let mut fewest = crossings(items, ranks);
    for round in 0..ROUNDS {
        let mut position = positions(items.len(), ranks);
        let down = round.is_multiple_of(2);
        for step in 0..ranks.len() {
            let rank = if down { step } else { ranks.len() - 1 - step };
            let key = |&number: &usize| {
                let item = &items[number];
                let ties = if down { &item.above } else { &item.below };
                match ties.len() {
                    0 => position[number] * 1000,
                    n => ties.iter().map(|&tie| position[tie] * 1000).sum::<usize>() / n,
                }
            };
            ranks[rank].sort_by_key(key);
            for (place, &number) in ranks[rank].iter().enumerate() {
                position[number] = place;
            }
        }
        let now = crossings(items, ranks);
        if now < fewest {
            fewest = now;
            best = ranks.to_vec();
        }
    }
    ranks.clone_from_slice(&best);
}

fn positions(n_items: usize, ranks: &[Vec<usize>]) -> Vec<usize> {
    let mut position = vec![0; n_items];
    for rank in ranks {
        for (place, &number) in rank.iter().enumerate() {
            position[number] = place;
        }
    }
    position
}

/// Pairs of ties between neighbouring ranks that cross.
fn crossings(items: &[Item], ranks: &[Vec<usize>]) -> usize {
    let position = positions(items.len(), ranks);
    let mut count = 0;
    for rank in ranks {
        let ties: Vec<(usize, usize)> = rank
            .iter()
            .flat_map(|&number| items[number].below.iter().map(move |&tie| (number, tie)))
            .map(|(upper, lower)| (position[upper], position[lower]))
            .collect();
        for (index, a) in ties.iter().enumerate() {
            let crosses =
                |b: &&(usize, usize)| (a.0 < b.0 && a.1 > b.1) || (a.0 > b.0 && a.1 < b.1);
            count += ties[index + 1..].iter().filter(crosses).count();
        }
    }
    count
}

/// Places the items of each rank: as near to their neighbours as the order and the widths allow.
fn place(items: &mut [Item], ranks: &[Vec<usize>]) {
    for rank in ranks {
        let mut x = 0;
        for &number in rank {
            items[number].x = x + items[number].width / 2;
            x += items[number].width + SEPARATION;
        }
    }
    for round in 0..ROUNDS {
        for step in 0..ranks.len() {
            let rank = if round.is_multiple_of(2) { step } else { ranks.len() - 1 - step };
            let wanted: Vec<Px> = ranks[rank].iter().map(|&n| wanted_x(items, n)).collect();
            for (&number, x) in ranks[rank].iter().zip(spread(items, &ranks[rank], &wanted)) {
                items[number].x = x;
            }
        }
    }
    let left = items.iter().map(|item| item.x - item.width / 2).min().unwrap_or(0);
    for item in items {
        item.x -= left;
    }
}

fn wanted_x(items: &[Item], number: usize) -> Px {
    let item = &items[number];
    let ties = item.above.iter().chain(&item.below);
    match item.above.len() + item.below.len() {
        0 => item.x,
        n => ties.map(|&tie| items[tie].line_x()).sum::<Px>() / n as Px - item.line,
    }
}

/// The mean of the leftmost and the rightmost placing that respect the widths.
fn spread(items: &[Item], rank: &[usize], wanted: &[Px]) -> Vec<Px> {
    let distance = |a: usize, b: usize| (items[a].width + items[b].width) / 2 + SEPARATION;
    let mut right = wanted.to_vec();
    for place in 1..rank.len() {
        right[place] = right[place].max(right[place - 1] + distance(rank[place - 1], rank[place]));
    }
    let mut left = wanted.to_vec();
    for place in (1..rank.len()).rev() {
        left[place - 1] = left[place - 1].min(left[place] - distance(rank[place - 1], rank[place]));
    }
    left.iter().zip(&right).map(|(&a, &b)| Px::midpoint(a, b)).collect()
}

/// The vertical centre of each rank: label ranks are as high as their highest label.
fn rank_heights(
    graph: &Graph,
    sizes: &Sizes,
    items: &[Item],
    routes: &[Threaded],
    n_ranks: usize,
) -> Vec<Px> {
    let mut heights: Vec<Px> =
        (0..n_ranks).map(|rank| if rank.is_multiple_of(2) { sizes.height } else { 40 }).collect();
    for ((edge, route), &(_, height)) in graph.edges.iter().zip(routes).zip(&sizes.labels) {
        if edge.from != edge.to {
            let rank = items[route.items[route.items.len() / 2]].rank;
            heights[rank] = heights[rank].max(height + if rank.is_multiple_of(2) { 4 } else { 28 });
        }
    }
    // Room for routes along one rank, below the first of them.
    let mut below = vec![0; n_ranks];
    for (edge, route) in graph.edges.iter().zip(routes) {
        if edge.from != edge.to && items[edge.from].rank == items[edge.to].rank {
            below[items[route.items[0]].rank] += LEVEL;
        }
    }
    let mut y = 0;
    let mut centre = |(height, below): (Px, Px)| {
        let centre = y + height / 2;
        y += height + (below - LEVEL).max(0);
        centre
    };
    heights.into_iter().zip(below).map(&mut centre).collect()
}
