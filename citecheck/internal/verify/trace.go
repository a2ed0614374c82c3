package verify

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
	"github.com/agit-suite/agit/citecheck/internal/verify/textfile"
	"github.com/agit-suite/agit/shared/git"
	"golang.org/x/sync/errgroup"
)

// trace is a line on its way from the commit it was recorded at to the state
// looked at, through each version of its file and from file to file. Small
// steps tell an edited line from a deleted one, and equal lines from each other,
// where one comparison over a long time cannot.
type trace struct {
	j      *job
	a      anchor
	start  *textfile.File // where the claim was recorded
	commit string         // how far it got
	path   string
	line   int
	edited bool // the line is no longer what it was
	turned bool // it went from one file to another that is not its new name
	end    ending
	// What it was last, where it was lost.
	last *textfile.File
}

// ending says how far a trace got.
type ending int

const (
	going   ending = iota
	left           // it left its file in commit
	arrived        // it is in the state looked at
	died           // it was deleted in commit
	unknown        // history does not tell
)

// maxHops bounds the files that one line is followed through.
const maxHops = 10

// byHistory follows the lines that one comparison leaves in doubt, and those
// whose file is gone.
func (c *Checker) byHistory(ctx context.Context, jobs []*job) error {
	traces, err := c.begin(ctx, jobs)
	if err != nil {
		return err
	}
	active := traces
	for hop := 0; hop < maxHops && len(active) > 0; hop++ {
		if err := c.advance(ctx, active); err != nil {
			if ctx.Err() != nil {
				return err
			}
			for _, t := range active {
				if t.end == going {
					t.end = unknown
				}
			}
		}
		leaving := map[string][]*trace{}
		active = nil
		for _, t := range traces {
			if t.end == left {
				leaving[t.commit] = append(leaving[t.commit], t)
			}
		}
		for commit, group := range leaving {
			if err := c.depart(ctx, commit, group); err != nil {
				if ctx.Err() != nil {
					return err
				}
				end(group, unknown)
			}
			for _, t := range group {
				if t.end == going {
					active = append(active, t)
				}
			}
		}
	}
	return c.settleTraces(ctx, traces, jobs)
}

func end(traces []*trace, how ending) {
	for _, t := range traces {
		t.end = how
	}
}

// begin makes a trace for each job that needs one and can have one.
func (c *Checker) begin(ctx context.Context, jobs []*job) ([]*trace, error) {
	var traces []*trace
	olds := map[string]*textfile.File{}
	for _, j := range jobs {
		if j.commit == "" || j.doubt == nil && !j.absent || j.c.Line == 0 || len(j.claim.lines) == 0 && !j.known() {
			continue
		}
		key := j.commit + ":" + j.path
		old, read := olds[key]
		if !read {
			var err error
			if old, err = c.oldFile(ctx, j.commit, j.path); err != nil {
				return nil, err
			}
			olds[key] = old
		}
		if old == nil {
			continue
		}
		var a anchor
		if j.doubt != nil {
			a = j.doubt.a
		} else {
			var ok bool
			if a, ok = anchorAt(old, j.claim, j.line(), j.end()); !ok {
				continue
			}
			if j.traced && !j.claim.alone(old) {
				continue // the line may have been another one by then
			}
			j.anchored, j.text = true, trimmed(old.Line(a.key()))
		}
		traces = append(traces, &trace{j: j, a: a, start: old, commit: j.commit, path: j.path, line: a.key()})
	}
	return traces, nil
}

// advance takes the traces through the versions of their files after the commits
// that they stand at.
func (c *Checker) advance(ctx context.Context, traces []*trace) error {
	l, err := c.log(ctx, traces)
	if err != nil {
		return err
	}
	type place struct{ commit, path string }
	groups := map[place][]*trace{}
	for _, t := range traces {
		groups[place{t.commit, t.path}] = append(groups[place{t.commit, t.path}], t)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(c.workers) // a group holds a file in two states
	for at, group := range groups {
		g.Go(func() error {
			versions, known, err := c.versions(ctx, l, at.commit, at.path)
			if err != nil || !known {
				end(group, unknown)
				return ctx.Err()
			}
			if err := c.walk(ctx, at.commit, at.path, versions, group); err != nil {
				end(group, unknown)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// log is the history of some files, as far back as traces need it: asking git once
// for all of them costs about as much as for one.
type log struct {
	from  map[string]string            // by commit: where it joined the first parents of tip; "" nowhere
	age   map[string]int               // by first parent: how many commits tip is ahead of it
	files map[string][]git.FileVersion // by path, oldest first
}

// log asks for what happened to the files of the traces since.
func (c *Checker) log(ctx context.Context, traces []*trace) (*log, error) {
	l := &log{from: map[string]string{}, age: map[string]int{}, files: map[string][]git.FileVersion{}}
	tip := c.Commit()
	commits, paths := startsOf(traces, tip)
	if tip == "" || len(commits) == 0 {
		return l, nil
	}
	chain, err := c.mainline(ctx, commits, tip)
	if err != nil {
		return nil, err
	}
	for i, oid := range chain {
		l.age[oid] = i
	}
	if err := c.toForks(ctx, l, chain, traces); err != nil {
		return nil, err
	}
	commits, _ = startsOf(traces, tip)
	oldest := tip
	for _, commit := range commits {
		from, err := c.joined(ctx, chain, l.age, commit, tip)
		if err != nil {
			return nil, err
		}
		if l.from[commit] = from; from != "" && l.age[from] > l.age[oldest] {
			oldest = from
		}
	}
	args := append(append(git.VersionArgs(), oldest+".."+tip, "--"), paths...)
	out, err := c.repo.Output(ctx, git.Options{}, args...)
	if err != nil {
		return nil, err
	}
	list, err := git.ParseVersions(out)
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	for _, v := range list {
		l.files[v.Path] = append(l.files[v.Path], v)
	}
	return l, nil
}

// startsOf lists the commits that traces stand at, the tip left out, and their
// files.
func startsOf(traces []*trace, tip string) (commits, paths []string) {
	for _, t := range traces {
		if t.commit != tip && !slices.Contains(commits, t.commit) {
			commits = append(commits, t.commit)
		}
		if t.commit != tip && !slices.Contains(paths, t.path) {
			paths = append(paths, t.path)
		}
	}
	return commits, paths
}

// toForks takes traces that stand at a commit of a merged branch back to where the
// branch left the first parents of tip, if the line was there already. What
// happened to its file between there and the merge would be missed else.
func (c *Checker) toForks(ctx context.Context, l *log, chain []string, traces []*trace) error {
	forks := map[string]string{}
	for _, t := range traces {
		if _, on := l.age[t.commit]; on || t.commit == c.Commit() {
			continue
		}
		fork, known := forks[t.commit]
		if !known {
			// The first parents that the commit does not hold are the newest ones.
			out, err := c.repo.Run(ctx, "rev-list", "--first-parent", "--count", c.Commit(), "^"+t.commit)
			if err != nil {
				return err
			}
			if n, err := strconv.Atoi(out); err == nil && n < len(chain) {
				fork = chain[n]
			}
			forks[t.commit] = fork
		}
		if fork == "" {
			continue
		}
		old, err := c.oldFile(ctx, fork, t.path)
		if err != nil {
			return err
		}
		here, err := c.oldFile(ctx, t.commit, t.path)
		if err != nil {
			return err
		}
		if old == nil || here == nil {
			continue
		}
		if n := newPair(here, old).m.To[t.line]; n >= 0 {
			t.commit, t.line = fork, n
		}
	}
	return nil
}

// versions returns the changes of a path after a commit, oldest first. Not known:
// the commit is not in the history of the state looked at.
func (c *Checker) versions(ctx context.Context, l *log, commit, p string) ([]git.FileVersion, bool, error) {
	switch tip := c.Commit(); tip {
	case "":
		return nil, false, nil
	case commit:
		return nil, true, nil
	}
	from := l.from[commit]
	if from == "" {
		return nil, false, nil
	}
	var versions []git.FileVersion
	if from != commit {
		// The commit is on a branch: one step to where that was merged.
		object, err := c.objects.Read(ctx, from+":"+p, 0)
		if err != nil {
			return nil, false, err
		}
		versions = append(versions, git.FileVersion{Commit: from, Path: p, New: object.OID})
	}
	for _, v := range l.files[p] {
		if age, ok := l.age[v.Commit]; ok && age < l.age[from] {
			versions = append(versions, v)
		}
	}
	return versions, true, nil
}

// mainline returns the first parents of tip, newest first, back to what all the
// commits have in common.
func (c *Checker) mainline(ctx context.Context, commits []string, tip string) ([]string, error) {
	base := commits[0]
	if len(commits) > 1 {
		out, err := c.repo.Run(ctx, append([]string{"merge-base", "--octopus"}, commits...)...)
		if err != nil && git.ExitCode(err) != 1 {
			return nil, err
		}
		base, _, _ = strings.Cut(out, "\n") // "": they have nothing in common
	}
	args := []string{"rev-list", "--first-parent", "--parents", tip}
	if base != "" {
		args = append(args, "^"+base)
	}
	out, err := c.repo.Run(ctx, args...)
	if err != nil || out == "" {
		return nil, err
	}
	var chain []string
	last := ""
	for line := range strings.SplitSeq(out, "\n") {
		oid, parents, _ := strings.Cut(line, " ")
		last, _, _ = strings.Cut(parents, " ")
		chain = append(chain, oid)
	}
	if last != "" {
		chain = append(chain, last)
	}
	return chain, nil
}

// joined returns the commit itself when it is among the first parents of tip, else
// the merge by which it got there, "" when it did not.
func (c *Checker) joined(ctx context.Context, chain []string, age map[string]int, commit, tip string) (from string, err error) {
	if _, ok := age[commit]; ok {
		return commit, nil
	}
	path, err := c.repo.Run(ctx, "rev-list", "--ancestry-path", commit+".."+tip)
	if err != nil {
		return "", err
	}
	descends := map[string]bool{}
	for oid := range strings.SplitSeq(path, "\n") {
		descends[oid] = true
	}
	for _, oid := range chain {
		if descends[oid] {
			from = oid // the oldest of them is the last
		}
	}
	return from, nil
}

// maxVersions bounds the versions of a file that are stepped through; of more,
// evenly chosen ones are.
const maxVersions = 100

// thin chooses among many versions. Those that begin or end the file stay.
func thin(versions []git.FileVersion) []git.FileVersion {
	if len(versions) <= maxVersions {
		return versions
	}
	var chosen []git.FileVersion
	for i, v := range versions {
		if i == len(versions)-1 || i*maxVersions/len(versions) != (i+1)*maxVersions/len(versions) || git.ZeroName(v.New) || git.ZeroName(v.Old) {
			chosen = append(chosen, v)
		}
	}
	return chosen
}

// walk takes the traces of one file through its versions up to the state.
func (c *Checker) walk(ctx context.Context, commit, p string, versions []git.FileVersion, traces []*trace) error {
	at, err := c.oldFile(ctx, commit, p)
	if err != nil {
		return err
	}
	for _, v := range thin(versions) {
		var next *textfile.File
		if v.New != "" && !git.ZeroName(v.New) {
			if next, err = c.blobFile(ctx, v.New); err != nil {
				return err
			}
		}
		if !stepAll(traces, at, next, v.Commit, left) {
			return nil
		}
		at = next
	}
	_, got, err := c.read(ctx, p)
	if err != nil {
		return err
	}
	var f *textfile.File
	if got.is == present {
		f = c.parse(got.data)
	}
	stepAll(traces, at, f, "", left)
	for _, t := range traces {
		if t.end == going {
			t.end = arrived
		}
	}
	return nil
}

// stepAll takes the traces that are still going from one version to the next,
// which may be nil, and reports whether any are left.
func stepAll(traces []*trace, at, next *textfile.File, commit string, ended ending) bool {
	some := false
	var step *pair
	for _, t := range traces {
		if t.end != going {
			continue
		}
		if at != nil && next != nil {
			if step == nil {
				step = newPair(at, next)
			}
			if t.step(step) {
				some = true
				continue
			}
		}
		t.end, t.last = ended, at
		if at == nil {
			t.end = unknown
		}
		t.commit = commit // "": what is not committed
	}
	return some
}

func (c *Checker) blobFile(ctx context.Context, oid string) (*textfile.File, error) {
	object, err := c.objects.Read(ctx, oid, maxFile)
	if err != nil || object.Type != "blob" || object.Data == nil {
		return nil, err
	}
	return c.parse(object.Data), nil
}

// step takes the line through one change of its file, and reports whether it is
// still there.
func (t *trace) step(p *pair) bool {
	if n := p.m.To[t.line]; n >= 0 {
		t.line = n
		return true
	}
	here := anchor{claim: claimOf(p.old, []int{t.line}), lines: []int{t.line}, whole: true}
	if t.partial() {
		part := here
		part.claim = t.a.claim
		if o := p.kept(part); o.how == found {
			t.line = o.line
			return true
		}
	}
	if o := p.elsewhere(here); o.how == found {
		t.line = o.line
		return true
	}
	if n := p.successor(t.line); n >= 0 {
		t.line, t.edited = n, true
		return true
	}
	return false
}

// partial reports whether the claim is a part of one line.
func (t *trace) partial() bool { return len(t.a.lines) == 1 && !t.a.whole }

// successor is the new line that took the place of old line o, or -1.
func (p *pair) successor(o int) int {
	first, after := p.m.Gap(o)
	oldFirst, oldAfter := o, o+1
	for oldFirst > 0 && p.m.To[oldFirst-1] < 0 {
		oldFirst--
	}
	for oldAfter < p.old.Len() && p.m.To[oldAfter] < 0 {
		oldAfter++
	}
	text := p.old.Head(o)
	best, bestScore := -1, 0.0
	for n := first; n < after; n++ {
		if p.m.From[n] >= 0 || p.new.Blank(n) {
			continue
		}
		new := p.new.Head(n)
		least := 0.5
		if after-first == oldAfter-oldFirst && n-first == o-oldFirst {
			least = 0.35
		}
		if fuzzy.Bound(text, new) < least && len(new) >= len(text) && !holds(new, text, false, false, false) {
			continue
		}
		if score := p.likeness(text, new, n); score >= least && score > bestScore {
			best, bestScore = n, score
		}
	}
	return best
}
