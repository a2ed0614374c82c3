package verify

import (
	"cmp"
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/textfile"
)

// byOnceInFile settles jobs whose line history lost, or took for edited, by counting: a text that was in its file once, and is there once
// now, is the cited one, however it got there. It does not choose among several places.
func (c *Checker) byOnceInFile(ctx context.Context, jobs []*job) error {
	which := those(jobs, func(j *job) bool { return j.anchored && j.commit != "" && (!j.absent || j.result.FoundPath != "") })
	at := func(j *job) string { return cmp.Or(j.result.FoundPath, j.path) }
	return c.eachText(ctx, which, at, func(ctx context.Context, p string, f *textfile.File, jobs []*job) (err error) {
		var old *textfile.File
		commit, from := "", ""
		for _, j := range jobs {
			if j.commit != commit || j.path != from {
				commit, from = j.commit, j.path
				if old, err = c.oldFile(ctx, commit, from); err != nil {
					return err
				}
			}
			if old != nil {
				j.stand(newFilePair(old, f), p)
			}
		}
		return nil
	})
}

// stand judges a job by the places of its text in the file at path.
func (j *job) stand(p *filePair, path string) {
	a, ok := j.anchorIn(p.old)
	if !ok {
		return
	}
	key := a.key()
	hash, weight := p.old.Hashes()[key], lineWeight(p.old, key)
	var then, now, fresh []int // the equal lines; fresh ones belong to no other old line
	spare := 0
	for o, h := range p.old.Hashes() {
		if h == hash {
			then = append(then, o)
			if p.m.To[o] < 0 || o == key {
				spare++
			}
		}
	}
	for n, h := range p.new.Hashes() {
		if h == hash && p.whole(a, n).how == found {
			now = append(now, n)
			if p.m.From[n] < 0 || p.m.From[n] == key {
				fresh = append(fresh, n)
			}
		}
	}
	edited := j.result.Verdict == Changed && j.result.Score < 1 && !j.equalText(p.new)
	switch {
	case len(now) == 0:
		return
	case len(then) == 1 && len(now) == 1 && (!j.dead && !edited || weight >= telling),
		spare == 1 && len(fresh) == 1 && !j.dead && !edited && weight >= telling:
		n := now[0]
		if len(fresh) == 1 {
			n = fresh[0]
		}
		j.settleAnew(p.whole(a, n), p.new, path, j.offset(a))
		j.renamedTo(path)
	case edited:
	case len(fresh) > 1 && (!j.dead || weight >= telling):
		j.settleAnew(outcome{how: several, lines: fresh}, p.new, path, 0)
	case j.result.Verdict == Changed:
	case weight >= telling:
		n := p.nearest(a.key(), now)
		o := p.whole(a, n)
		o.how, o.score = alike, 0.6
		o.why = "the cited line was removed; the same text stands there"
		j.settle(o, p.new, path, j.offset(a))
		j.candidates(p.new, path, now)
	}
}

// equalText reports whether the job's suggestion is the cited text itself.
func (j *job) equalText(f *textfile.File) bool {
	n := j.result.FoundLine - 1
	return n >= 0 && n < f.Len() && textfile.Hash(textfile.Squeeze(nil, f.Line(n))) == textfile.Hash(textfile.Squeeze(nil, j.text))
}

// nearest returns the line, among new lines, that is nearest to the place of old line o.
func (p *filePair) nearest(o int, lines []int) int {
	first, after := p.m.Gap(o)
	return slices.MinFunc(lines, func(a, b int) int { return distance(a, first, after) - distance(b, first, after) })
}

// distance returns how far line n is from the range from first up to after.
func distance(n, first, after int) int { return max(first-n, n-after+1, 0) }
