// The worker: lays a graph out in layers, with blockers on the left.
// In: { id, nodes: [{ id, weight }], edges: [[from, to]] } with from done before to.
// Out: { id, places: { id: [layer, slot] }, layers, slots }.

onmessage = ({ data }) => postMessage({ id: data.id, ...layout(data.nodes, data.edges) });

function layout(nodes, edges) {
  const index = new Map(nodes.map((node, i) => [node.id, i]));
  const n = nodes.length;
  const after = Array.from({ length: n }, () => []);
  const before = Array.from({ length: n }, () => []);
  for (const [from, to] of edges) {
    const a = index.get(from);
    const b = index.get(to);
    if (a === undefined || b === undefined || a === b) continue;
    after[a].push(b);
    before[b].push(a);
  }
  const layer = longestPaths(after, before);
  const rows = [];
  layer.forEach((l, i) => (rows[l] ||= []).push(i));
  for (let l = 0; l < rows.length; l++) rows[l] ||= [];
  const slot = new Float64Array(n);
  const renumber = (row) => row.forEach((i, k) => { slot[i] = k - row.length / 2; });
  // Important nodes first, then connected ones together.
  rows.forEach((row) => { row.sort((a, b) => (nodes[b].weight || 0) - (nodes[a].weight || 0) || a - b); renumber(row); });
  const mean = (list, own) => (list.length ? list.reduce((sum, i) => sum + slot[i], 0) / list.length : own);
  for (let sweep = 0; sweep < 8; sweep++) {
    const forth = sweep % 2 === 0;
    const order = forth ? rows : [...rows].reverse();
    for (const row of order) {
      const wish = new Map(row.map((i) => [i, mean(forth ? before[i] : after[i], slot[i])]));
      row.sort((a, b) => wish.get(a) - wish.get(b) || a - b);
      renumber(row);
    }
  }
  place(rows, before, after, slot);
  const least = Math.min(0, ...slot);
  const places = {};
  nodes.forEach((node, i) => { places[node.id] = [layer[i], slot[i] - least]; });
  return { places, layers: rows.length, slots: n ? Math.max(...slot) - least + 1 : 0 };
}

// longestPaths puts each node into the first layer after everything it waits for. A node in a
// cycle, which a merge of two registries may make, goes where it is met first.
function longestPaths(after, before) {
  const n = after.length;
  const layer = new Array(n).fill(0);
  const waits = before.map((list) => list.length);
  const left = new Set(Array.from({ length: n }, (_, i) => i));
  const ready = [...left].filter((i) => waits[i] === 0);
  while (left.size) {
    const i = ready.length ? ready.shift() : left.values().next().value;
    if (!left.delete(i)) continue;
    for (const to of after[i]) {
      if (!left.has(to)) continue;
      layer[to] = Math.max(layer[to], layer[i] + 1);
      if (--waits[to] === 0) ready.push(to);
    }
  }
  return layer;
}

// place moves nodes towards their neighbours, within the order of their layer and with at
// least one slot between two nodes.
function place(rows, before, after, slot) {
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      const wish = row.map((i) => {
        const near = sweep % 2 ? after[i] : before[i];
        return near.length ? near.reduce((sum, k) => sum + slot[k], 0) / near.length : slot[i];
      });
      let least = -Infinity;
      row.forEach((i, k) => {
        slot[i] = Math.max(wish[k], least);
        least = slot[i] + 1;
      });
      // A block that was pushed down moves up again by half the distance.
      const pushed = row.reduce((sum, i, k) => sum + slot[i] - wish[k], 0) / (row.length || 1);
      row.forEach((i) => { slot[i] = Math.round((slot[i] - pushed / 2) * 2) / 2; });
    }
  }
}
