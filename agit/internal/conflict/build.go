package conflict

import (
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/trial"
)

// build makes the report of what was compared.
func (c *comparison) build() *Report {
	b := &builder{comparison: c, files: map[string]*Conflict{}, sides: map[string]map[string]Side{}}
	for _, p := range c.pairs {
		b.pair(p)
	}
	report := &Report{
		Repo: c.repo.Name, Depth: c.options.Depth, MergeUnavailable: c.noMerge, Conflicts: []Conflict{},
		AgainstDefault: c.defaults, ScannedWorktrees: len(c.states), ScannedAt: c.start.UTC(),
	}
	for _, p := range c.pairs {
		if p.merge != nil && p.merge.Failed != "" {
			report.Failures = append(report.Failures, Failure{A: p.a.worktree.Ref, B: p.b.worktree.Ref, Reason: p.merge.Failed})
		}
	}
	for _, file := range slices.Sorted(maps.Keys(b.files)) {
		report.Conflicts = append(report.Conflicts, b.finish(file))
	}
	for _, s := range c.states {
		t := Touched{Worktree: s.worktree, Base: s.Base, Digest: s.Snap.Digest}
		if len(s.Snap.Commits) > 0 {
			t.Head = s.Snap.Commits[0]
		}
		for _, e := range s.touches() {
			if e.To != "" {
				continue // told at its new name
			}
			t.Files = append(t.Files, Touch{Path: display(e.Path), OldPath: display(e.From), Change: e.change(), Committed: e.Head == e.Now})
		}
		report.Touched = append(report.Touched, t)
	}
	return report
}

type builder struct {
	*comparison
	files map[string]*Conflict       // by path
	sides map[string]map[string]Side // by path and worktree
}

// meeting is what a pair does in one file.
type meeting struct {
	depth Depth
	lines []Lines
	kinds []string
}

func (b *builder) pair(p *pair) {
	found := map[string]*meeting{}
	for _, path := range p.shared {
		key := p.key(path)
		m := found[key]
		if m == nil {
			m = &meeting{depth: DepthFile}
			found[key] = m
		}
		base, _ := p.va.at(path)
		if b.options.Depth.AtLeast(DepthLines) && len(p.bases) > 0 {
			ours, theirs := b.set(p.a, path, base.from), b.set(p.b, path, base.from)
			b.side(p, p.a, key, ours)
			b.side(p, p.b, key, theirs)
			if lines, meet := overlap(ours, theirs); meet {
				m.depth = deeper(m.depth, DepthLines)
				m.lines = append(m.lines, lines...)
			}
		}
	}
	if p.merge != nil {
		for _, conflict := range p.merge.Conflicts {
			key := p.conflictKey(conflict, found)
			m := found[key]
			if m == nil {
				m = &meeting{}
				found[key] = m
			}
			m.depth = DepthMerge
			if !slices.Contains(m.kinds, conflict.Kind) {
				m.kinds = append(m.kinds, conflict.Kind)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		b.add(p, key, found[key])
	}
}

func (b *builder) add(p *pair, key string, m *meeting) {
	f := b.files[key]
	if f == nil {
		f = &Conflict{File: display(key), Depth: DepthFile}
		b.files[key] = f
	}
	f.Depth = deeper(f.Depth, m.depth)
	f.addKinds(m.kinds)
	for _, s := range []*state{p.a, p.b} {
		b.side(p, s, key, hunkSet{})
	}
	f.Pairs = append(f.Pairs, Pair{A: p.a.worktree.Ref, B: p.b.worktree.Ref, Depth: m.depth, Lines: m.lines, Kinds: m.kinds})
}

// side notes a worktree at a file, with the lines it changes there.
func (b *builder) side(p *pair, s *state, key string, set hunkSet) {
	all := b.sides[key]
	if all == nil {
		all = map[string]Side{}
		b.sides[key] = all
	}
	w := s.worktree
	side, known := all[w.Ref]
	if !known {
		side = Side{ID: w.Ref, Branch: w.Branch, Agent: w.Agent, Change: Inherited, Committed: true}
		if e := s.Entries[key]; e.touched() {
			side.Change, side.Committed = e.change(), e.Head == e.Now
			if e.To != "" {
				side.Path = display(e.To)
				moved := s.Entries[e.To]
				side.Committed = side.Committed && moved.Head == moved.Now
			}
		}
	}
	if len(side.Lines) == 0 {
		side.Lines = set.lines
	}
	all[w.Ref] = side
}

// finish completes a conflict: its worktrees in the order they were given in.
func (b *builder) finish(key string) Conflict {
	f := *b.files[key]
	for _, s := range b.states {
		if side, ok := b.sides[key][s.worktree.Ref]; ok {
			f.Worktrees = append(f.Worktrees, side)
		}
	}
	return f
}

// key is the name a shared path is reported under: that in the base, where a
// side renamed it and the other touches it under the old name.
func (p *pair) key(path string) string {
	for _, s := range []*state{p.a, p.b} {
		if e := s.Entries[path]; e != nil && e.From != "" && slices.Contains(p.shared, e.From) {
			return e.From
		}
	}
	return path
}

// conflictKey finds the file that a conflict of git's belongs to: one already
// found, else one that both touch, else one that either does.
func (p *pair) conflictKey(conflict trial.Conflict, found map[string]*meeting) string {
	for _, path := range conflict.Paths {
		names := []string{p.key(path)}
		for _, s := range []*state{p.a, p.b} {
			if e := s.Entries[path]; e != nil && e.From != "" {
				names = append(names, e.From)
			}
		}
		for _, name := range names {
			if found[name] != nil {
				return name
			}
		}
	}
	for _, path := range conflict.Paths {
		if p.a.Entries[path].touched() || p.b.Entries[path].touched() {
			return path
		}
	}
	return conflict.Paths[0]
}

// display is a path as people and JSON can take it: a name that is not plain
// text is quoted as git quotes it.
func display(path string) string {
	if plain(path) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case strings.IndexByte("\a\b\t\n\v\f\r", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte("abtnvfr"[c-'\a'])
		case c < 0x20 || c >= 0x7f:
			b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
