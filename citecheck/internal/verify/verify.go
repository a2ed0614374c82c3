package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/textfile"
	"golang.org/x/sync/errgroup"
)

// Verify returns a result for each citation, in their order. A citation that cannot be judged is Unverifiable with the reason; an error
// means that the whole run stopped (cancelled, git broken).
func (c *Checker) Verify(ctx context.Context, citations []Citation) ([]Result, error) {
	jobs := make([]*job, len(citations))
	for i, citation := range c.withoutSecrets(citations) {
		jobs[i] = newJob(c.prefix, citation)
		jobs[i].keeps = c.around
		jobs[i].tried = c.repo == nil || c.Commit() == ""
	}
	if err := c.climb(ctx, jobs); err != nil {
		return nil, git.Fault(err, "verify citations")
	}
	results := make([]Result, len(jobs))
	for i, j := range jobs {
		j.conclude()
		j.quote()
		r := j.result
		r.Citation = citations[i]
		switch r.FoundPath {
		case "":
		case j.path:
			r.FoundPath = j.c.Path
		default:
			r.FoundPath = c.outward(r.FoundPath)
		}
		for k := range r.Candidates {
			r.Candidates[k].Path = c.outward(r.Candidates[k].Path)
		}
		results[i] = r
	}
	return results, nil
}

// climb takes the jobs up the ladder, rung by rung, so that costly steps are done once for all jobs and only for those that need them. When
// git lacks data, as in a partial or damaged clone, only the rung that needs it ends.
func (c *Checker) climb(ctx context.Context, jobs []*job) error {
	for _, j := range open(jobs) {
		if err := tolerate(ctx, c.recorded(ctx, j, j.c.Commit)); err != nil {
			return err
		}
	}
	if err := c.inPlace(ctx, open(jobs)); err != nil {
		return err
	}
	for _, rung := range []func(context.Context, []*job) error{
		c.bySource, c.byVerified, func(ctx context.Context, left []*job) error { return c.byLastRight(ctx, left, jobs) }, c.byTextAlone, c.byDeparture, c.byHistory, c.byNewName, c.byOnceInFile, c.byText,
	} {
		left := open(jobs)
		if len(left) == 0 {
			return nil
		}
		if err := tolerate(ctx, rung(ctx, left)); err != nil {
			return err
		}
	}
	return nil
}

// tolerate passes over an error unless the run was cancelled.
func tolerate(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return ctx.Err()
}

func open(jobs []*job) []*job { return those(jobs, func(j *job) bool { return !j.done }) }

// those returns the items of a list for which is holds.
func those[T any](list []T, is func(T) bool) (some []T) {
	for _, item := range list {
		if is(item) {
			some = append(some, item)
		}
	}
	return some
}

// recorded sets j's commit to the recorded one, or notes why it cannot.
func (c *Checker) recorded(ctx context.Context, j *job, name string) (err error) {
	if name == "" {
		return nil
	}
	if j.commit, err = c.fullName(ctx, name); err == nil && j.commit == "" && c.repo != nil {
		j.why = fmt.Sprintf("commit %s is not in this clone", short(name))
	}
	return err
}

// inPlace judges the jobs by the file that they cite.
func (c *Checker) inPlace(ctx context.Context, jobs []*job) error {
	if err := tolerate(ctx, c.compare(ctx, jobs)); err != nil {
		return err
	}
	return c.eachFile(ctx, jobs, func(j *job) string { return j.path }, c.judgeFile)
}

// eachFile calls judge for each group of jobs with the same key, several groups concurrently.
func (c *Checker) eachFile(ctx context.Context, jobs []*job, key func(*job) string,
	judge func(context.Context, string, []*job) error) error {
	return atOnce(ctx, c.workers, grouped(jobs, key), func(ctx context.Context, p string, group []*job) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return judge(ctx, p, group)
	})
}

// atOnce calls do for each group, at most workers of them concurrently, since a group holds a file in two states.
func atOnce[K comparable, V any](ctx context.Context, workers int, groups map[K]V, do func(ctx context.Context, key K, group V) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for key, group := range groups {
		g.Go(func() error { return do(ctx, key, group) })
	}
	return g.Wait()
}

// grouped returns the items of a list by their keys.
func grouped[T any, K comparable](list []T, key func(T) K) map[K][]T {
	groups := map[K][]T{}
	for _, item := range list {
		groups[key(item)] = append(groups[key(item)], item)
	}
	return groups
}

// keysOf returns the different keys of the items of a list, sorted.
func keysOf[T any](list []T, key func(T) string) []string {
	return slices.Sorted(maps.Keys(grouped(list, key)))
}

// eachText is eachFile for those files that exist and are text.
func (c *Checker) eachText(ctx context.Context, jobs []*job, key func(*job) string,
	judge func(context.Context, string, *textfile.File, []*job) error) error {
	return c.eachFile(ctx, jobs, key, func(ctx context.Context, p string, jobs []*job) error {
		f, err := c.file(ctx, p)
		if err != nil || f == nil {
			return err
		}
		return judge(ctx, p, f, jobs)
	})
}

// file reads a text file of the state looked at, nil when there is none.
func (c *Checker) file(ctx context.Context, p string) (*textfile.File, error) {
	_, got, err := c.read(ctx, p)
	if err != nil || got.is != present {
		return nil, err
	}
	return c.parse(got.data), nil
}

// judgeFile judges all jobs of one file.
func (c *Checker) judgeFile(ctx context.Context, p string, jobs []*job) error {
	at, got, err := c.read(ctx, p)
	if err != nil {
		return err
	}
	var f *textfile.File
	for _, j := range jobs {
		j.path = at
		if f == nil && got.is == present && j.c.Line+len(j.snippet.lines) > 0 {
			if f = c.parse(got.data); f == nil {
				got = content{is: unreadable, why: "is not a text file"}
			} else if lfsPointer(got.data) {
				f, got = nil, content{is: unreadable, why: "is a Git LFS pointer here; `git lfs pull` fetches its content"}
			}
		}
		j.settleUnread(got)
	}
	if f == nil {
		return nil
	}
	for _, j := range jobs {
		if !j.done && j.commit != "" && c.unchanged(j.commit, at) {
			j.confirm(f, at)
		}
	}
	return c.judgeWithOld(ctx, at, open(jobs), f)
}

// confirm judges a job whose file is unchanged since the citation was made.
func (j *job) confirm(f *textfile.File, path string) {
	if j.c.Line == 0 {
		return
	}
	if a, ok := anchorAt(f, j.snippet, j.line(), j.end()); ok {
		last := a.lines[len(a.lines)-1]
		j.keeps = j.keeps && j.c.Surroundings == "" // its surroundings are unchanged too
		j.settle(outcome{how: found, line: a.lines[0], last: last, score: 1}, f, path, j.offset(a))
	}
}

// judgeWithOld judges jobs by the file at p and, where it is known, the file at their recorded commits. Each old file is read once.
func (c *Checker) judgeWithOld(ctx context.Context, p string, jobs []*job, f *textfile.File) error {
	slices.SortStableFunc(jobs, func(a, b *job) int { return cmp.Compare(a.commit, b.commit) })
	var commit string
	var both *filePair
	for _, j := range jobs {
		if j.commit != commit {
			commit, both = j.commit, nil
			old, err := c.oldFile(ctx, commit, p)
			if err != nil {
				return err
			}
			if old != nil {
				both = newFilePair(old, f)
			}
		}
		j.judge(f, both, p)
	}
	return nil
}

// oldFile reads a text file at a commit, nil when it did not exist.
func (c *Checker) oldFile(ctx context.Context, commit, p string) (*textfile.File, error) {
	if commit == "" {
		return nil, nil
	}
	f, err := c.blobFile(ctx, commit+":"+p)
	return f, tolerate(ctx, err)
}

// settleUnread settles jobs that do not need the file's content.
func (j *job) settleUnread(got content) {
	switch got.is {
	case escaping:
		j.finish(Outside, "%s", got.why)
	case unreadable:
		j.finish(Unverifiable, "%s %s", j.path, got.why)
	case absent:
		j.absent = true
	case folder:
		if j.c.Line > 0 || len(j.snippet.lines) > 0 {
			j.finish(Gone, "%s is a folder now", j.path)
		} else {
			j.exists()
		}
	case present:
		if j.c.Line == 0 && len(j.snippet.lines) == 0 {
			j.exists()
		}
	}
}

func (j *job) exists() {
	j.result.FoundPath, j.result.Score = j.path, 1
	j.finish(Valid, "the file is there")
}

// judge climbs the rungs that need only the file at path.
func (j *job) judge(f *textfile.File, p *filePair, path string) {
	if path == j.path {
		j.stands = nowAt(f, j.line())
	}
	if p != nil && j.c.Line > 0 && (!j.traced || j.snippet.alone(p.old)) {
		if a, ok := j.anchorIn(p.old); ok {
			j.anchored = true
			j.text = trimmed(p.old.Line(a.key()))
			o, sure := p.follow(a)
			if sure {
				j.settle(o, f, path, j.offset(a))
			} else {
				j.doubt = &doubtful{o: o, a: a, offset: j.offset(a)}
			}
			return
		}
	}
	if len(j.snippet.lines) == 0 && p != nil && path == j.path && j.known() && blank(p.old, j.line(), j.end()) {
		j.finish(Gone, "line %d was empty when it was cited", j.c.Line)
		return
	}
	if len(j.snippet.lines) == 0 {
		if last := j.end() + 1; last > f.Len() && path == j.path {
			if p != nil && last > p.old.Len() {
				j.finish(Gone, "line %d is beyond the end of the file, which has %d lines, and had %d when it was cited", last, f.Len(), p.old.Len())
				return
			}
			j.why = fmt.Sprintf("line %d is beyond the end of the file, which has %s", last, text.Count(f.Len(), "line", "lines"))
		}
		return
	}
	o := locate(f, j.snippet, j.beside, j.around(), j.line(), j.end())
	if j.waiting = j.unsure(o); j.waiting {
		return
	}
	if places := j.twins(f, o); len(places) > 1 {
		o = outcome{how: several, lines: places, why: "it may not be the one that was cited: nothing says which was meant"}
	}
	if j.within(f, o) {
		o.line = j.line() // any place within the cited range is right
	}
	j.settle(o, f, path, 0)
}

// blank reports whether the lines exist and are blank.
func blank(f *textfile.File, line, end int) bool {
	if line < 0 || max(line, end) >= f.Len() {
		return false
	}
	for i := line; i <= max(line, end); i++ {
		if !f.Blank(i) {
			return false
		}
	}
	return true
}

// unsure reports whether the commit that wrote the citation may settle the job better than the text alone.
func (j *job) unsure(o outcome) bool {
	if j.c.Line == 0 || j.commit != "" {
		return false
	}
	if o.sure {
		return false
	}
	j.inLine = o.how == found && o.line == j.line()
	j.guessed = j.inLine && o.why != ""
	if o.how == found && !o.rivals && j.inLine && !j.quotesLess() {
		return false
	}
	return !j.asked && j.c.Source.Line > 0 || !j.tried && len(j.snippet.lines) > 0
}

// bySource asks git for the commits that wrote the citations themselves.
func (c *Checker) bySource(ctx context.Context, jobs []*job) error {
	var which []*job
	var places []Source
	for _, j := range jobs {
		if j.commit == "" && j.c.Source.Line > 0 && j.c.Line > 0 {
			which, places = append(which, j), append(places, j.c.Source)
		}
	}
	if len(which) == 0 {
		return nil
	}
	oids, err := c.LastTouched(ctx, places)
	if err != nil {
		return err
	}
	for i, j := range which {
		j.commit, j.asked = oids[i], true
	}
	return c.inPlace(ctx, which)
}

// byTextAlone settles the jobs that waited for a history that git does not have.
func (c *Checker) byTextAlone(ctx context.Context, jobs []*job) error {
	left := those(jobs, func(j *job) bool { return j.waiting })
	for _, j := range left {
		j.asked, j.tried = true, true
	}
	return c.inPlace(ctx, left)
}

// quote adds the former text of the line to the reason, when the citation does not quote it.
func (j *job) quote() {
	if v := j.result.Verdict; !v.True() && v.Checkable() && len(j.snippet.lines) == 0 && j.anchored && len(j.text) > 0 {
		j.result.Reason += fmt.Sprintf("; it was %q", text.Cut(strings.ToValidUTF8(string(j.text), ""), maxQuoted))
	}
}

// nowAt returns the clause about the current text of a line, which counts from 0; "" without a line.
func nowAt(f *textfile.File, line int) string {
	switch {
	case line < 0:
		return ""
	case line >= f.Len():
		return fmt.Sprintf(", which has %s", text.Count(f.Len(), "line", "lines"))
	case f.Blank(line):
		return fmt.Sprintf("; line %d is empty", line+1)
	}
	return fmt.Sprintf("; line %d is %q", line+1, text.Cut(strings.ToValidUTF8(string(trimmed(f.Line(line))), ""), maxQuoted))
}

// maxQuoted bounds the text that a reason quotes, in bytes.
const maxQuoted = 80

// conclude sets the verdict of a job that no rung settled.
func (j *job) conclude() {
	if j.done {
		return
	}
	j.done = true
	r := &j.result
	switch {
	case r.Verdict == Changed:
		if j.absent && r.FoundPath != j.path {
			r.Reason = fmt.Sprintf("%s is gone; %s: %s", j.path, r.FoundPath, r.Reason)
		}
	case j.absent && len(r.Candidates) > 0:
		j.finish(Gone, "%s is gone; it may be %s now", j.path, r.Candidates[0].Path)
	case j.absent:
		j.finish(Gone, "%s does not exist", j.path)
	case len(j.snippet.lines) > 0 || j.anchored:
		j.finish(Gone, "neither the text nor anything like it is in %s%s", path.Base(j.path), j.stands)
	case j.why != "" && j.commit == "" && j.c.Commit == "":
		j.finish(Gone, "%s", j.why)
	case j.why != "":
		j.finish(Unverifiable, "there is no snippet to compare with, and %s", j.why)
	default:
		j.finish(Unverifiable, "there is no snippet to compare with, and the commit it was written at is not known")
	}
}

// InPlace reports for each citation whether its text is at its line, without consulting history: each file is read once. A citation without
// a text is in place when its file exists.
func (c *Checker) InPlace(ctx context.Context, citations []Citation) ([]bool, error) {
	there := make([]bool, len(citations))
	byPath := map[string][]int{}
	jobs := make([]*job, len(citations))
	for i, citation := range c.withoutSecrets(citations) {
		jobs[i] = newJob(c.prefix, citation)
		if !jobs[i].done {
			byPath[jobs[i].path] = append(byPath[jobs[i].path], i)
		}
	}
	for path, which := range byPath {
		_, got, err := c.read(ctx, path)
		if err != nil {
			return nil, git.Fault(err, "read %q", path)
		}
		var f *textfile.File
		for _, i := range which {
			j := jobs[i]
			if got.is != present || len(j.snippet.lines) == 0 {
				there[i] = got.is != absent
				continue
			}
			if f == nil {
				f = c.parse(got.data)
			}
			there[i] = f == nil || j.line() < 0 || j.snippet.at(f, j.line()) != none
		}
	}
	return there, nil
}

// withoutSecrets prepares for citations that quote a line with its secrets removed: they fit a file only when its secrets are removed as
// well. Then all citations of the run are compared so. The citations themselves stay as they are.
func (c *Checker) withoutSecrets(citations []Citation) []Citation {
	if !c.redacted.Load() && !slices.ContainsFunc(citations, func(one Citation) bool {
		return strings.Contains(one.Snippet+one.After+one.Before, redact.Mark)
	}) {
		return citations
	}
	c.redacted.Store(true)
	clean := slices.Clone(citations)
	for i := range clean {
		one := &clean[i]
		one.Snippet, one.After, one.Before = redact.Lines(one.Snippet), redact.Lines(one.After), redact.Lines(one.Before)
	}
	return clean
}

// parse reads a file for comparing; nil when it is not text.
func (c *Checker) parse(data []byte) *textfile.File {
	if c.redacted.Load() {
		data = []byte(redact.Lines(string(data)))
	}
	return textfile.Parse(data)
}
