package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
	"github.com/agit-suite/agit/citecheck/internal/verify/textfile"
	"github.com/agit-suite/agit/shared/git"
)

// byHistory follows the lines that one comparison leaves in doubt through each
// version of their file: small steps tell an edited line from a deleted one,
// and equal lines from each other.
func (c *Checker) byHistory(ctx context.Context, jobs []*job) error {
	byCommit := map[string][]*job{}
	for _, j := range jobs {
		if j.doubt != nil {
			byCommit[j.commit] = append(byCommit[j.commit], j)
		}
	}
	for commit, group := range byCommit {
		trails, err := c.trails(ctx, commit, group)
		if err != nil {
			return err
		}
		err = c.eachFile(ctx, group, func(j *job) string { return j.path }, func(ctx context.Context, p string, jobs []*job) error {
			return c.confirm(ctx, p, commit, trails[p], jobs)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// doubt is what one comparison says of a job, until history confirms it.
type doubt struct {
	o      outcome
	a      anchor
	offset int
}

// confirm settles the jobs of one file by its versions, where there are any.
func (c *Checker) confirm(ctx context.Context, p, commit string, trail []string, jobs []*job) error {
	_, got, err := c.read(ctx, p)
	if err != nil || got.is != present {
		return err
	}
	f := textfile.Parse(got.data)
	if f == nil {
		return nil
	}
	f.Hashes()
	if len(trail) > 0 {
		if err := c.walk(ctx, p, commit, trail, f, jobs); err != nil {
			return err
		}
	}
	for _, j := range jobs {
		j.settle(j.doubt.o, f, p, j.doubt.offset)
	}
	return nil
}

// maxVersions bounds the versions of a file that are stepped through; of more,
// evenly chosen ones are.
const maxVersions = 64

// trails gives, for each path, the blobs that it was after the commit, oldest
// first and without the last, which is the state looked at or close to it.
func (c *Checker) trails(ctx context.Context, from string, jobs []*job) (map[string][]string, error) {
	tip := c.Commit()
	if tip == "" || tip == from {
		return nil, nil
	}
	args := append(git.VersionArgs(), from+".."+tip, "--")
	for _, j := range jobs {
		if !slices.Contains(args[len(args)-min(len(jobs), len(args)):], j.path) {
			args = append(args, j.path)
		}
	}
	out, err := c.repo.Output(ctx, git.Options{}, args...)
	if err != nil {
		return nil, err
	}
	versions, err := git.ParseVersions(out)
	if err != nil {
		return nil, err
	}
	slices.Reverse(versions)
	trails := map[string][]string{}
	first := map[string]string{}
	for _, v := range versions {
		if first[v.Path] == "" {
			first[v.Path] = v.Old
		}
		if strings.Trim(v.New, "0") != "" {
			trails[v.Path] = append(trails[v.Path], v.New)
		} else {
			delete(trails, v.Path) // it was deleted, and came back or not
			first[v.Path] = "gone"
		}
	}
	for p, trail := range trails {
		object, err := c.objects.Read(ctx, from+":"+p, 0)
		if err != nil {
			return nil, err
		}
		if object.OID != first[p] {
			delete(trails, p) // the commit is on a branch that these versions are not
			continue
		}
		if n := len(trail); n > maxVersions {
			chosen := make([]string, 0, maxVersions)
			for i := range maxVersions {
				chosen = append(chosen, trail[i*(n-1)/(maxVersions-1)])
			}
			trails[p] = chosen
		}
	}
	return trails, nil
}

// walker is a job's line on its way through the versions.
type walker struct {
	j      *job
	a      anchor
	line   int
	edited bool
	lost   bool
}

// walk takes the jobs of one file through its versions.
func (c *Checker) walk(ctx context.Context, p, commit string, trail []string, f *textfile.File, jobs []*job) error {
	old, err := c.oldFile(ctx, commit, p)
	if err != nil || old == nil {
		return err
	}
	walkers := make([]*walker, len(jobs))
	for i, j := range jobs {
		walkers[i] = &walker{j: j, a: j.doubt.a, line: j.doubt.a.key()}
	}
	start, at := old, old
	for i := 0; i <= len(trail); i++ {
		next := f
		if i < len(trail) {
			object, err := c.objects.Read(ctx, trail[i], maxFile)
			if err != nil {
				return err
			}
			if next = textfile.Parse(object.Data); object.Data == nil || next == nil {
				return nil
			}
		}
		if !slices.Equal(at.Hashes(), next.Hashes()) {
			step := newPair(at, next)
			for _, w := range walkers {
				w.step(step)
			}
		}
		at = next
	}
	for _, w := range walkers {
		w.arrive(start, at)
	}
	return nil
}

// step takes the line through one change of the file.
func (w *walker) step(p *pair) {
	if w.lost {
		return
	}
	if n := p.m.To[w.line]; n >= 0 {
		w.line = n
		return
	}
	here := anchor{claim: claimOf(p.old, []int{w.line}), lines: []int{w.line}, whole: true}
	if len(w.a.lines) == 1 && !w.a.whole {
		part := here
		part.claim = w.a.claim
		if o := p.kept(part); o.how == found {
			w.line = o.line
			return
		}
	}
	if o := p.elsewhere(here); o.how == found {
		w.line = o.line
		return
	}
	if n := p.successor(w.line); n >= 0 {
		w.line, w.edited = n, true
		return
	}
	w.lost = true
}

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
	text := textfile.Squeeze(nil, p.old.Line(o))
	best, bestScore := -1, 0.0
	for n := first; n < after; n++ {
		if p.m.From[n] >= 0 || p.new.Blank(n) {
			continue
		}
		new := textfile.Squeeze(nil, p.new.Line(n))
		paired := after-first == oldAfter-oldFirst && n-first == o-oldFirst
		least := 0.5
		if paired {
			least = 0.35
		}
		if max(fuzzy.Bound(text, new), bestScore) < least {
			continue
		}
		score := p.likeness(text, new, n)
		if score >= least && score > bestScore {
			best, bestScore = n, score
		}
	}
	return best
}

// arrive settles the job by where its line ended.
func (w *walker) arrive(start, end *textfile.File) {
	d := w.j.doubt
	key := w.a.key()
	if w.lost {
		if d.o.how == found || d.o.how == several {
			// Equal text is there, but history says that it is another line.
			if d.o.how == several {
				d.o.line = d.o.lines[0]
				d.o.last = d.o.line
			}
			d.o.how, d.o.score = alike, 0.6
			d.o.why = "the same text is there, but git says that the cited line was removed"
		} else if d.o.score < farLikeness {
			d.o = outcome{}
		}
		return
	}
	same := start.Hashes()[key] == end.Hashes()[w.line]
	if !same && len(w.a.lines) == 1 && !w.a.whole {
		same = w.a.claim.at(end, w.line) != none
	}
	both := apart(start, end)
	switch {
	case same:
		d.o = both.whole(w.a, w.line)
	default:
		text, now := textfile.Squeeze(nil, start.Line(key)), textfile.Squeeze(nil, end.Line(w.line))
		d.o = outcome{how: alike, line: w.line, last: w.line, why: "the text there was edited",
			score: 0.6*fuzzy.Similarity(text, now) + 0.4*both.around(key, w.line)}
		if len(w.a.lines) > 1 {
			o := both.whole(w.a, w.line)
			d.o.line, d.o.last = o.line, o.last
		}
	}
}
