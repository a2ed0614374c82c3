package conflict

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/timestamp"
)

// buildReport makes the report of what was compared.
func (c *comparison) buildReport() *Report {
	b := &reportBuilder{comparison: c, files: map[string]*file{}}
	report := &Report{
		Repo: c.repo.Name, Depth: c.options.Depth, MergeUnavailable: c.noMerge, Conflicts: []Conflict{},
		ScannedAt: timestamp.Of(c.start), Remote: c.repo.Remote,
	}
	for _, p := range c.pairs {
		b.pair(p)
		if p.merge != nil && p.merge.Failed != "" {
			report.Failures = append(report.Failures, Failure{A: p.a.worktree.Ref, B: p.b.worktree.Ref, Reason: p.merge.Failed})
		}
	}
	found := c.usesConflicts()
	for name := range found {
		b.file(name)
	}
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		report.Conflicts = append(report.Conflicts, b.files[name].conflicts(display(name), c.states)...)
		report.Conflicts = append(report.Conflicts, found[name]...)
	}
	for _, s := range c.states {
		if len(s.touches())+s.uncommitted() == 0 && (s.worktree.Main || s.worktree.Commit != "" || s.worktree.Clone != "") {
			continue // no one works there, or it is a merged branch, or another clone's worktree without changes
		}
		if s.worktree.Commit != "" {
			report.ScannedBranches++
		} else {
			report.ScannedWorktrees++
		}
		t := Touched{Worktree: s.worktree, Head: s.head(), Base: s.Base, Digest: s.Snap.Digest, Uncommitted: s.uncommitted()}
		for _, e := range s.touches() {
			if e.To != "" {
				continue // reported under its new name
			}
			t.Files = append(t.Files, Touch{Path: display(e.Path), OldPath: display(e.From), Change: e.change(), Committed: e.Head == e.Now})
		}
		report.Touched = append(report.Touched, t)
	}
	return report
}

type reportBuilder struct {
	*comparison
	files map[string]*file // by path
}

// meeting is how a pair meets in one file.
type meeting struct {
	depth Depth
	lines []Lines
	kinds []string
}

func (b *reportBuilder) pair(p *pair) {
	found := map[string]*meeting{}
	at := func(key string) *meeting {
		if found[key] == nil {
			found[key] = &meeting{depth: DepthFile}
		}
		return found[key]
	}
	for _, path := range p.shared {
		key := p.key(path)
		m := at(key)
		base, _ := p.va.at(path)
		if b.options.Depth.AtLeast(DepthLines) && len(p.bases) > 0 {
			ours, theirs := b.set(p.a, path, base.from), b.set(p.b, path, base.from)
			b.side(p.a, key, ours)
			b.side(p.b, key, theirs)
			if lines, meet := overlapping(ours, theirs); meet {
				m.depth = DepthLines
				m.lines = append(m.lines, lines...)
			}
		}
	}
	if p.merge != nil {
		for _, conflict := range p.merge.Conflicts {
			if !p.bothTakePart(conflict) {
				continue
			}
			m := at(p.conflictKey(conflict, found))
			m.depth = DepthMerge
			m.kinds = including(m.kinds, conflict.Kind)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if m := found[key]; !p.a.tip || m.depth == DepthMerge {
			b.add(p, key, m)
		}
	}
}

func (b *reportBuilder) add(p *pair, key string, m *meeting) {
	f := b.file(key)
	b.side(p.b, key, changedLines{})
	if p.a.tip {
		f.withDefault = append(f.withDefault, Conflict{
			Depth: m.depth, DefaultBranch: p.a.worktree.Ref, Lines: m.lines, Kinds: m.kinds, Worktrees: []Side{{ID: p.b.worktree.Ref}}, Pairs: []Pair{},
		})
		return
	}
	b.side(p.a, key, changedLines{})
	f.pairs = append(f.pairs, Pair{A: p.a.worktree.Ref, B: p.b.worktree.Ref, Depth: m.depth, Lines: m.lines, Kinds: m.kinds})
}

func (b *reportBuilder) file(key string) *file {
	f := b.files[key]
	if f == nil {
		f = &file{sides: map[string]Side{}}
		b.files[key] = f
	}
	return f
}

// side adds a worktree to a file, with the lines it changes there.
func (b *reportBuilder) side(s *state, key string, set changedLines) {
	if s.tip {
		return
	}
	all, w := b.file(key).sides, s.worktree
	side, known := all[w.Ref]
	if !known {
		side = s.sideAt(key)
		if e := s.Entries[key]; e.touched() && e.To != "" {
			side.Path = display(e.To)
			moved := s.Entries[e.To]
			side.Committed = side.Committed && moved.Head == moved.Now
		}
	}
	if len(side.Lines) == 0 {
		side.Lines = set.lines
	}
	all[w.Ref] = side
}

// bothTakePart reports whether both states themselves changed what a conflict of git's is about. When they come from different commits of
// the default branch, git also finds conflicts with changes that one of them merely took over from there. Those are reported for the
// default branch, not between the two.
func (p *pair) bothTakePart(conflict mergetree.Conflict) bool {
	if p.a.tip || p.va.between == nil && p.vb.between == nil {
		return true
	}
	return p.va.own.takesPart(p.a, conflict, conflict.Ours) && p.vb.own.takesPart(p.b, conflict, conflict.Theirs)
}

// takesPart reports whether the state changed what the conflict is about: a file by one of the conflict's names, a file that the default
// branch has renamed meanwhile, or a folder.
func (l *changeset) takesPart(s *state, conflict mergetree.Conflict, blobs []string) bool {
	for _, path := range conflict.Paths {
		if s.Entries[path].touched() {
			return true
		}
		if strings.Contains(conflict.Kind, "dir") && (l.addedIn[path] || l.movesAbove(path)) {
			return true
		}
	}
	for _, e := range s.Entries {
		if e.touched() && (e.Now.Mode != 0 && slices.Contains(blobs, e.Now.OID) || e.Base.Mode != 0 && slices.Contains(conflict.Base, e.Base.OID)) {
			return true
		}
	}
	return false
}

// movesAbove reports whether a folder above path lost files or became a file.
func (l *changeset) movesAbove(path string) bool {
	for dir := range folders(path) {
		if l.deletedIn[dir] || l.added[dir] {
			return true
		}
	}
	return false
}

// key returns the name that a shared path is reported under. It is the name in the base when one side renamed the file and the other
// touches it under the old name.
func (p *pair) key(path string) string {
	for _, s := range []*state{p.a, p.b} {
		if e := s.Entries[path]; e != nil && e.From != "" && slices.Contains(p.shared, e.From) {
			return e.From
		}
	}
	return path
}

// conflictKey finds the file that a conflict of git's belongs to: one already found, else one that either side touches, else its first
// path.
func (p *pair) conflictKey(conflict mergetree.Conflict, found map[string]*meeting) string {
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

// display makes a path fit for people and JSON: a name that is not plain text is quoted as git quotes it.
func display(path string) string {
	if plain(path) {
		return path
	}
	return git.Quote(path)
}

// file is what was found in one file.
type file struct {
	pairs       []Pair
	withDefault []Conflict      // each names only the one worktree, by its ref
	sides       map[string]Side // by ref
}

// conflicts groups pairs that meet alike: every two worktrees of a conflict meet at its depth, on its lines. Conflicts with the default
// branch come first, then the deepest; worktrees are in the order of states.
func (f *file) conflicts(name string, states []*state) []Conflict {
	order := map[string]int{}
	for i, s := range states {
		order[s.worktree.Ref] = i
	}
	all := f.withDefault
	for _, alike := range f.alike() {
		all = append(all, cliques(alike, order)...)
	}
	for i := range all {
		c := &all[i]
		c.File = name
		for k, side := range c.Worktrees {
			c.Worktrees[k] = f.sides[side.ID]
		}
	}
	return all
}

// alike groups the pairs by depth, kinds and lines.
func (f *file) alike() [][]Pair {
	byKey := map[string]int{}
	var groups [][]Pair
	for _, p := range f.pairs {
		key := string(p.Depth) + "\x00" + detail(p.Kinds, p.Lines)
		i, ok := byKey[key]
		if !ok {
			i = len(groups)
			byKey[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	slices.SortStableFunc(groups, func(a, b []Pair) int { return cmp.Compare(b[0].Depth.rank(), a[0].Depth.rank()) })
	return groups
}

// cliques covers pairs that are alike with conflicts whose worktrees all meet each other. Each conflict starts with a pair that is not
// covered yet and takes in as many other worktrees as fit.
func cliques(pairs []Pair, order map[string]int) []Conflict {
	type edge [2]string
	meet := map[edge]Pair{}
	seen := map[string]bool{}
	var refs []string
	for _, p := range pairs {
		meet[edge{p.A, p.B}], meet[edge{p.B, p.A}] = p, p
		for _, ref := range []string{p.A, p.B} {
			if !seen[ref] {
				seen[ref] = true
				refs = append(refs, ref)
			}
		}
	}
	inOrder := func(a, b string) int { return cmp.Compare(order[a], order[b]) }
	slices.SortFunc(refs, inOrder)
	covered := map[edge]bool{}
	var all []Conflict
	for _, p := range pairs {
		if covered[edge{p.A, p.B}] {
			continue
		}
		members := []string{p.A, p.B}
		for _, ref := range refs {
			if ref == p.A || ref == p.B || !slices.ContainsFunc(members, func(m string) bool { return !covered[edge{m, ref}] }) {
				continue
			}
			if !slices.ContainsFunc(members, func(m string) bool { _, ok := meet[edge{m, ref}]; return !ok }) {
				members = append(members, ref)
			}
		}
		slices.SortFunc(members, inOrder)
		c := Conflict{Depth: p.Depth, Lines: p.Lines, Kinds: p.Kinds, Pairs: []Pair{}}
		for i, a := range members {
			c.Worktrees = append(c.Worktrees, Side{ID: a})
			for _, b := range members[i+1:] {
				covered[edge{a, b}], covered[edge{b, a}] = true, true
				c.Pairs = append(c.Pairs, meet[edge{a, b}])
			}
		}
		all = append(all, c)
	}
	return all
}
