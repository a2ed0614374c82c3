package framework

import (
	"cmp"
	"slices"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// Detect returns the frameworks that a project uses, the one it is named after first; empty when it uses none.
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

// A detection gathers what speaks for each row.
type detection struct {
	Facts
	rows []*row
	main []manifest.Ecosystem // those of the project's language, all when it says nothing
	// matter says that there is a package outside of the folders beside a project's matter; without one, these are the matter.
	matter bool
	// atRoot are the ecosystems with a manifest at the root; a library used below it does not name such a project.
	atRoot map[manifest.Ecosystem]bool
	// packages counts those of each ecosystem outside of the folders beside the matter.
	packages map[manifest.Ecosystem]int
	// tooling says that what is added is a development dependency at the root of several packages: it is for all of them to be built with.
	tooling bool
	found   map[int]*Match       // by row
	own     map[declaration]bool // the packages that the project itself is
	asked   int                  // how many files were read for a word in them
}

// add keeps what speaks for a row, in the ecosystem that it was found in.
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

// settled tells whether something was found that may name the project.
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
	order := make([]int, 0, len(d.found))
	for r := range d.found {
		order = append(order, r)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.found[b].score, d.found[a].score), cmp.Compare(a, b))
	})
	matches := make([]Match, len(order))
	for i, r := range order {
		matches[i] = *d.found[r]
	}
	return matches
}
