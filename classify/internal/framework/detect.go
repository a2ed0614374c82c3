package framework

import (
	"cmp"
	"maps"
	"slices"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// Detect returns the frameworks that a project uses, its main framework first; empty when it uses none.
func Detect(f Facts) []Match {
	d := &detection{Facts: f, rows: table(), main: ecosystemsOf(f.Language), found: map[int]*Match{}, own: map[declaration]bool{}, atRoot: map[manifest.Ecosystem]bool{},
		packages: map[manifest.Ecosystem]int{}}
	d.fromManifests()
	d.fromFiles()
	switch {
	case d.settled() && !f.Rough:
		d.breakTie()
	case !d.settled():
		d.fromImports()
	}
	return d.result()
}

// A detection collects the evidence for each row.
type detection struct {
	Facts
	rows []*row
	main []manifest.Ecosystem // those of the project's language, all when it has none of its own
	// matter means that there is a package outside of the folders beside a project's matter (see Beside). Otherwise the packages in them
	// are the matter.
	matter bool
	// atRoot are the ecosystems with a manifest at the root; in these, a library used only below the root is not the main framework.
	atRoot map[manifest.Ecosystem]bool
	// packages counts the packages of each ecosystem outside of the folders beside the matter.
	packages map[manifest.Ecosystem]int
	// tooling means that the current dependency is a development dependency at the root of several packages, for building all of them.
	tooling bool
	found   map[int]*Match       // by row
	own     map[declaration]bool // the packages that the project itself is
	asked   int                  // how many files were searched for a word
}

// add records evidence for a row, in the ecosystem where it was found.
func (d *detection) add(r int, eco manifest.Ecosystem, worth int, dir, why string) {
	row := d.rows[r]
	m := d.found[r]
	if m == nil && d.itself(r) {
		return
	}
	if m == nil {
		m = &Match{Name: row.name, Kind: row.kind, Arguments: row.arguments, Router: row.router, Book: row.site, score: -1 << 20, row: r}
		d.found[r] = m
	}
	if !(d.matter && Beside(dir)) && !d.tooling {
		m.dirs = append(m.dirs, dir)
	}
	if d.tooling {
		worth -= 35
	}
	score := worth - place(dir)
	if row.router {
		score -= kindStep / 2
	}
	main := slices.Contains(d.main, eco)
	if d.matter && Beside(dir) {
		score -= besideMatter
		main = false
	}
	if row.kind >= Library && dir != "." && d.atRoot[eco] {
		main = false
	}
	m.Confidence = max(m.Confidence, min(0.95, float64(max(score, 5))/105))
	score -= kindStep * int(row.kind)
	if !main {
		score -= otherWorld
	}
	if score > m.score {
		m.score, m.Ecosystem, m.Main = score, eco, main
		m.Why = slices.Insert(m.Why, 0, why)
	} else if len(m.Why) < 5 {
		m.Why = append(m.Why, why)
	}
}

// settled reports whether a framework was found that may be the main one.
func (d *detection) settled() bool {
	for _, m := range d.found {
		if m.Main && m.Kind <= UI {
			return true
		}
	}
	return false
}

// result puts the matches in order.
func (d *detection) result() []Match {
	order := slices.SortedFunc(maps.Keys(d.found), func(a, b int) int {
		return cmp.Or(cmp.Compare(d.found[b].score, d.found[a].score), cmp.Compare(a, b))
	})
	matches := make([]Match, len(order))
	for i, r := range order {
		matches[i] = *d.found[r]
	}
	return matches
}
