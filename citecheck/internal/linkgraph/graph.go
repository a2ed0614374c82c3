// Package linkgraph walks the links between memories: breadth or depth first,
// cycles, roots, orphans, links that lead nowhere, and pictures of it all.
//
// Memories are read when a walk reaches them, so that three steps from one memory
// cost what those memories cost. It writes nothing and knows no verdicts. A Graph
// belongs to one goroutine.
package linkgraph

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
)

// Broken is a link that leads to no memory.
type Broken struct {
	From    string   `json:"from"`
	At      int      `json:"at"` // line
	Target  string   `json:"target"`
	Nearest string   `json:"nearest,omitempty"` // the id that was probably meant
	May     []string `json:"may_be,omitempty"`  // several memories have the name
}

// Graph is the memories of a library as nodes, by their place in its entries.
type Graph struct {
	lib     *library.Library
	entries []library.Entry
	names   *library.Names
	out     [][]int // nil until read
	broken  [][]Broken
	nearest map[string]string // of broken links, by target
}

// New makes a graph without reading a memory.
func New(lib *library.Library) (*Graph, error) {
	entries, err := lib.Entries()
	if err != nil {
		return nil, err
	}
	return &Graph{
		lib: lib, entries: entries, names: library.NewNames(entries),
		out: make([][]int, len(entries)), broken: make([][]Broken, len(entries)),
		nearest: map[string]string{},
	}, nil
}

// At makes the graph of a library, with the id of the memory that a person in the folder from named.
func At(lib *library.Library, from, name string) (g *Graph, id string, err error) {
	e, err := lib.Find(from, name)
	if err == nil {
		g, err = New(lib)
	}
	return g, e.ID, err
}

// Load reads all memories at once, for functions that look at all of them.
func (g *Graph) Load(ctx context.Context) error {
	type read struct {
		out    []int
		broken []Broken
	}
	all, err := library.Map(ctx, g.lib, g.entries, memoryfile.Links, func(d library.Doc) read {
		out, broken := g.resolve(d)
		return read{out, broken}
	})
	if err != nil {
		return err
	}
	for i, r := range all {
		g.out[i], g.broken[i] = r.out, r.broken
	}
	return nil
}

// links reads one memory's links on first use.
func (g *Graph) links(node int) []int {
	if g.out[node] == nil {
		g.out[node], g.broken[node] = g.resolve(g.lib.Read(g.entries[node], memoryfile.Links))
	}
	return g.out[node]
}

// resolve returns the memories that one links to, without repetition, in the order
// of the text; the result is never nil.
func (g *Graph) resolve(d library.Doc) (out []int, broken []Broken) {
	out = []int{}
	if d.Memory == nil {
		return out, nil
	}
	for _, l := range d.Links {
		found := g.names.Resolve(d.ID, l.Target)
		switch {
		case len(found) == 1:
			if !slices.Contains(out, found[0]) {
				out = append(out, found[0])
			}
		case !l.Sure || len(found) == 0 && outside(d.ID, l.Target, g.lib):
		case len(found) > 1:
			b := Broken{From: d.ID, At: l.At, Target: l.Target}
			for _, i := range found {
				b.May = append(b.May, g.entries[i].ID)
			}
			broken = append(broken, b)
		default:
			broken = append(broken, Broken{From: d.ID, At: l.At, Target: l.Target})
		}
	}
	return out, broken
}

// suggest adds the id that was probably meant to broken links.
func (g *Graph) suggest(broken []Broken) []Broken {
	for i := range broken {
		b := &broken[i]
		if len(b.May) > 0 {
			continue
		}
		near, known := g.nearest[b.Target]
		if !known {
			near = g.names.Nearest(b.Target)
			g.nearest[b.Target] = near
		}
		b.Nearest = near
	}
	return broken
}

// find returns the node of an id.
func (g *Graph) find(id string) int {
	return slices.IndexFunc(g.entries, func(e library.Entry) bool { return e.ID == id })
}

// incoming returns the links in reverse; everything must be loaded.
func (g *Graph) incoming() [][]int {
	in := make([][]int, len(g.entries))
	for from, targets := range g.out {
		for _, to := range targets {
			if to != from {
				in[to] = append(in[to], from)
			}
		}
	}
	return in
}

// outside reports whether a link that names no memory leads to another file of the project: that is not a broken link.
func outside(id, target string, lib *library.Library) bool {
	if !strings.HasSuffix(strings.ToLower(target), ".md") {
		return false
	}
	target = strings.ReplaceAll(target, `\`, "/")
	file := lib.File(library.Entry{Name: id + ".md"})
	for _, p := range []string{path.Join(path.Dir(file), target), path.Clean(strings.TrimPrefix(target, "/"))} {
		if !filepath.IsLocal(filepath.FromSlash(p)) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(lib.Root, filepath.FromSlash(p))); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}
