package verify

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
	"github.com/agit-suite/agit/shared/textfile"
)

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

// refute withdraws the result of a comparison for a line that was deleted in history.
func (d *doubtful) refute() {
	switch d.o.how {
	case several:
		d.o = outcome{how: alike, line: d.o.lines[0], last: d.o.lines[0], score: 0.6,
			why: "the same text is there, but git says that the cited line was removed"}
	case found:
		d.o.how, d.o.score = alike, 0.6
		d.o.why = "the same text is there, but git says that the cited line was removed"
	case alike:
		if d.o.score < 0.55 {
			d.o = outcome{}
		}
	}
}
