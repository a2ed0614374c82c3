package linkgraph

import (
	"context"
	"slices"
)

// Related are the neighbours of one memory.
type Related struct {
	ID       string   `json:"memory_id"`
	LinkedBy []string `json:"linked_by"` // memories that link to it
	LinksTo  []string `json:"links_to"`
	Broken   []Broken `json:"broken,omitempty"`
}

// Related returns the memories that link to one, and those it links to.
func (g *Graph) Related(ctx context.Context, id string) (*Related, error) {
	if err := g.Load(ctx); err != nil {
		return nil, err
	}
	at := g.find(id)
	r := &Related{ID: id, LinkedBy: []string{}, LinksTo: []string{}}
	for _, from := range g.incoming()[at] {
		r.LinkedBy = append(r.LinkedBy, g.entries[from].ID)
	}
	for _, to := range g.out[at] {
		r.LinksTo = append(r.LinksTo, g.entries[to].ID)
	}
	r.Broken = g.suggest(g.broken[at])
	return r, nil
}

// Overview lists the irregularities in the links of all memories.
type Overview struct {
	Memories int        `json:"memories"`
	Links    int        `json:"links"`
	Roots    []string   `json:"roots"`   // nothing links to them
	Orphans  []string   `json:"orphans"` // roots that link to nothing either
	Cycles   [][]string `json:"cycles"`
	Broken   []Broken   `json:"broken"`
}

// Overview reads all memories and examines their links.
func (g *Graph) Overview(ctx context.Context) (*Overview, error) {
	if err := g.Load(ctx); err != nil {
		return nil, err
	}
	o := &Overview{Memories: len(g.entries), Roots: []string{}, Orphans: []string{}, Broken: []Broken{}}
	in := g.incoming()
	all := make([]bool, len(g.entries))
	for i, e := range g.entries {
		all[i] = true
		o.Links += len(g.out[i])
		o.Broken = append(o.Broken, g.broken[i]...)
		if len(in[i]) > 0 {
			continue
		}
		o.Roots = append(o.Roots, e.ID)
		if !slices.ContainsFunc(g.out[i], func(to int) bool { return to != i }) { // a link to itself does not connect it
			o.Orphans = append(o.Orphans, e.ID)
		}
	}
	o.Broken = g.suggest(o.Broken)
	o.Cycles = g.cycles(all)
	return o, nil
}
