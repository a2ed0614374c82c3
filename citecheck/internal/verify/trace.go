package verify

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// trace follows a line from the commit where it was recorded to the state looked at, through each version of its file and from file to
// file. Small steps distinguish an edited line from a deleted one, and equal lines from each other, which one long comparison cannot.
type trace struct {
	j      *job
	a      anchor
	start  *textfile.File // where the snippet was recorded
	commit string         // how far it got
	path   string
	line   int
	edited bool // the line was edited
	turned bool // it moved to a file that is not its file's new name
	adrift bool // in some step no neighbour confirmed it
	end    ending
	// The last file that contained it, when it was lost.
	last *textfile.File
}

// ending is how far a trace got.
type ending int

const (
	going   ending = iota
	left           // it left its file in commit
	arrived        // it is in the state looked at
	died           // it was deleted in commit
	unknown        // history does not show it
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
			end(unended(active), unknown)
		}
		active = nil
		leaving := grouped(those(traces, func(t *trace) bool { return t.end == left }), func(t *trace) string { return t.commit })
		for commit, group := range leaving {
			if err := c.followOut(ctx, commit, group); err != nil {
				if ctx.Err() != nil {
					return err
				}
				end(group, unknown)
			}
			active = append(active, unended(group)...)
		}
	}
	return c.settleTraces(ctx, traces, jobs)
}

func end(traces []*trace, how ending) {
	for _, t := range traces {
		t.end = how
	}
}

func unended(traces []*trace) []*trace {
	return those(traces, func(t *trace) bool { return t.end == going })
}

// begin makes a trace for each job that needs one and can have one.
func (c *Checker) begin(ctx context.Context, jobs []*job) ([]*trace, error) {
	var traces []*trace
	olds := map[string]*textfile.File{}
	for _, j := range jobs {
		if j.commit == "" || j.doubt == nil && !j.absent || j.c.Line == 0 || len(j.snippet.lines) == 0 && !j.known() {
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
			if a, ok = j.anchorIn(old); !ok {
				continue
			}
			if j.traced && !j.snippet.alone(old) {
				continue // another line may have been there by then
			}
			j.anchored, j.text = true, trimmed(old.Line(a.key()))
		}
		traces = append(traces, &trace{j: j, a: a, start: old, commit: j.commit, path: j.path, line: a.key()})
	}
	return traces, nil
}

// advance takes the traces through the later versions of their files.
func (c *Checker) advance(ctx context.Context, traces []*trace) error {
	l, err := c.log(ctx, traces)
	if err != nil {
		return err
	}
	type place struct{ commit, path string }
	groups := grouped(traces, func(t *trace) place { return place{t.commit, t.path} })
	return atOnce(ctx, c.workers, groups, func(ctx context.Context, at place, group []*trace) error {
		versions, known, err := c.versions(ctx, l, at.commit, at.path)
		if err != nil || !known || c.walk(ctx, at.commit, at.path, versions, group) != nil {
			end(group, unknown)
		}
		return ctx.Err()
	})
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
		if !stepAll(traces, at, next, v.Commit) {
			return nil
		}
		at = next
	}
	f, err := c.file(ctx, p)
	if err != nil {
		return err
	}
	stepAll(traces, at, f, "")
	end(unended(traces), arrived)
	return nil
}

// stepAll takes the active traces from one version to the next, which may be nil, and reports whether any are left.
func stepAll(traces []*trace, at, next *textfile.File, commit string) bool {
	some := false
	var step *filePair
	for _, t := range traces {
		if t.end != going {
			continue
		}
		if at != nil && next != nil {
			if step == nil {
				step = newFilePair(at, next)
			}
			if t.step(step) {
				some = true
				continue
			}
		}
		t.end, t.last = left, at
		if at == nil {
			t.end = unknown
		}
		t.commit = commit // "": what is not committed
	}
	return some
}

// blobFile reads a text file by the name of its object, nil when it is none.
func (c *Checker) blobFile(ctx context.Context, name string) (*textfile.File, error) {
	object, err := c.objects.Read(ctx, name, maxFile)
	if err != nil || object.Type != "blob" || object.Data == nil {
		return nil, err
	}
	return c.parse(object.Data), nil
}

// step takes the line through one change of its file, and reports whether it still exists.
func (t *trace) step(p *filePair) bool {
	if n := p.m.To[t.line]; n >= 0 {
		t.adrift = t.adrift || p.adrift(t.line, n)
		t.line = n
		return true
	}
	here := anchor{snippet: snippetOf(p.old, []int{t.line}), lines: []int{t.line}, whole: true}
	if t.partial() {
		part := here
		part.snippet = t.a.snippet
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

// adrift reports whether only its few letters suggest that old line o is new line n: most of the file was rewritten, and the neighbours
// above and below are gone, with nothing similar in their place.
func (p *filePair) adrift(o, n int) bool {
	if lineWeight(p.old, o) >= telling || p.run(o, n) > 0 || p.share() >= mostly {
		return false
	}
	for _, by := range []int{-1, 1} {
		before, here := step(p.old, o, by), step(p.new, n, by)
		if before < 0 || here < 0 || fuzzy.Similarity(p.old.Head(before), p.new.Head(here)) >= likeness {
			return false
		}
	}
	return true
}

// partial reports whether the snippet is a part of one line.
func (t *trace) partial() bool { return len(t.a.lines) == 1 && !t.a.whole }

// successor returns the new line that replaced old line o, or -1.
func (p *filePair) successor(o int) int {
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

// doubtful is the result of one comparison that history must still confirm.
type doubtful struct {
	o      outcome
	a      anchor
	offset int
}

// settleTraces settles the jobs whose lines were followed, and the doubtful ones whose lines could not be.
func (c *Checker) settleTraces(ctx context.Context, traces []*trace, jobs []*job) error {
	where := map[*job]*trace{}
	for _, t := range traces {
		where[t.j] = t
		t.j.dead = t.end == died
	}
	there := func(j *job) bool { return where[j] != nil && where[j].end == arrived }
	ready := those(jobs, func(j *job) bool { return there(j) || j.doubt != nil })
	at := func(j *job) string {
		if there(j) {
			return where[j].path
		}
		return j.path
	}
	return c.eachText(ctx, ready, at, func(_ context.Context, p string, f *textfile.File, jobs []*job) error {
		for _, j := range jobs {
			if there(j) {
				where[j].finish(f)
			} else {
				if t := where[j]; t != nil && t.end == died {
					j.doubt.refute()
				}
				j.settle(j.doubt.o, f, p, j.doubt.offset)
			}
		}
		return nil
	})
}

// finish settles the job by the end of its trace.
func (t *trace) finish(end *textfile.File) {
	key := t.a.key()
	same := t.start.Hashes()[key] == end.Hashes()[t.line]
	if !same && t.partial() {
		same = t.a.snippet.at(end, t.line) != none
	}
	both := apart(t.start, end)
	o := both.whole(t.a, t.line)
	if t.a.ranged && o.how == alike { // its first and last line were not followed
		if direct := newFilePair(t.start, end); direct.m.To[key] == t.line {
			o.line, o.last = direct.extent(t.a, t.line, o.line, o.last)
		}
	}
	if !same {
		text, now := t.start.Head(key), end.Head(t.line)
		o.how, o.why = alike, "the text there was edited"
		o.score = 0.6*fuzzy.Similarity(text, now) + 0.4*both.around(key, t.line)
	}
	if same && t.adrift && o.how == found {
		if all, _ := t.a.snippet.places(end); len(all) > 1 {
			o = outcome{how: several, lines: all, why: "what stood around the cited one was rewritten"}
		}
	}
	t.j.settleAnew(o, end, t.path, t.j.offset(t.a))
	if !t.turned && o.how == found {
		t.j.renamedTo(t.path)
	}
}
