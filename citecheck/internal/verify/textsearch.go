package verify

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/citecheck/internal/verify/linemap"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
	"golang.org/x/sync/errgroup"
)

const (
	// settled is the score of a suggestion in the cited file that text in other files cannot beat.
	settled = 0.9
	// maxPatterns is the number of texts from which the files are read here, because git would compare each line with each text.
	maxPatterns = 200
	// maxPlaces bounds the equal lines remembered for one citation; a text at that many places identifies nothing.
	maxPlaces = 100
	// distinctive is the weight from which a text that occurs once in the repository is the cited one, without other evidence.
	distinctive = 24
)

// textSearch looks for the text of many jobs in all files.
type textSearch struct {
	c    *Checker
	jobs map[uint64][]*job // by the hash of their text

	mu    sync.Mutex
	spots map[*job][]textPlace
	olds  cache[*textfile.File]
}

// textPlace is a line that is equal to a job's text.
type textPlace struct {
	path string
	line int
	run  int  // the weight of the equal surroundings here and there
	copy bool // it was already there when the citation was right
	sole bool // the text occurred once in the cited file, as far as is known
	out  outcome
	file *textfile.File
}

// byText looks for the text in the whole repository.
func (c *Checker) byText(ctx context.Context, jobs []*job) error {
	h := &textSearch{c: c, jobs: map[uint64][]*job{}, spots: map[*job][]textPlace{}}
	var patterns []string
	for _, j := range jobs {
		if err := h.textAt(ctx, j); err != nil {
			return err
		}
		squeezed := textfile.Squeeze(nil, j.text)
		if textfile.Weight(squeezed) < telling && (j.anchored || j.around().Empty() && j.beside.none()) || j.result.Verdict == Changed && j.result.Score >= settled {
			continue
		}
		hash := textfile.Hash(squeezed)
		h.jobs[hash] = append(h.jobs[hash], j)
		patterns = append(patterns, string(j.text))
	}
	if len(patterns) == 0 {
		return nil
	}
	slices.Sort(patterns)
	paths, err := c.grep(ctx, slices.Compact(patterns))
	if err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(c.workers)
	for _, p := range paths {
		g.Go(func() error { return h.file(gctx, p) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for j, spots := range h.spots {
		h.choose(j, spots)
	}
	return nil
}

// textAt finds the text at the recorded place of a job whose file is gone.
func (h *textSearch) textAt(ctx context.Context, j *job) error {
	if j.anchored || j.commit == "" || j.c.Line == 0 || len(j.snippet.lines) == 0 && !j.known() {
		return nil
	}
	old, err := h.old(ctx, j.commit, j.path)
	if err != nil || old == nil {
		return err
	}
	if a, ok := j.anchorIn(old); ok {
		j.anchored, j.text = true, trimmed(old.Line(a.key()))
	}
	return nil
}

// grep lists the files that contain one of the texts, or more.
func (c *Checker) grep(ctx context.Context, texts []string) ([]string, error) {
	if c.repo == nil || len(texts) > maxPatterns {
		return c.state.files(ctx)
	}
	args := []string{"grep", "-l", "-z", "-F", "-I", "--no-color", "--no-recurse-submodules", "-f", "-"}
	o := git.Options{Stdin: strings.NewReader(strings.Join(texts, "\n") + "\n")}
	switch c.at {
	case WorkingTree:
		args = append(args, "--untracked")
	case Index:
		args = append(args, "--cached")
	default:
		args = append(args, c.at)
	}
	out, err := c.repo.Output(ctx, o, append(args, "--")...)
	if err != nil && git.ExitCode(err) != 1 {
		return nil, err
	}
	paths := git.Records(out)
	if c.at != WorkingTree && c.at != Index {
		for i := range paths {
			paths[i] = strings.TrimPrefix(paths[i], c.at+":")
		}
	}
	return paths, nil
}

// file examines one file for all jobs.
func (h *textSearch) file(ctx context.Context, p string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	got, err := h.c.state.read(ctx, p)
	if err != nil || got.is != present {
		return err
	}
	f := h.c.parse(got.data)
	if f == nil {
		return nil
	}
	places := map[*job][]int{}
	document := isDocument(p)
	for n, hash := range f.Hashes() {
		for _, j := range h.jobs[hash] {
			if (j.path != p || j.absent) && (!document || isDocument(j.path)) { // code in documents is a quotation, not the new place
				places[j] = append(places[j], n)
			}
		}
	}
	for j, lines := range places {
		if j.c.Source.Path != "" && p == h.c.within(j.c.Source.Path) {
			continue // the memory itself contains the snippet
		}
		spots, err := h.judge(ctx, j, p, f, lines)
		if err != nil {
			return err
		}
		h.mu.Lock()
		if len(h.spots[j]) >= maxPlaces || textfile.Weight(j.text) < telling {
			spots = slices.DeleteFunc(spots, func(s textPlace) bool { return s.run < distinctive })
		}
		h.spots[j] = append(h.spots[j], spots...)
		h.mu.Unlock()
	}
	return nil
}

func (h *textSearch) judge(ctx context.Context, j *job, p string, f *textfile.File, lines []int) (spots []textPlace, err error) {
	if !j.anchored {
		return j.spots(p, f), nil
	}
	old, err := h.old(ctx, j.commit, j.path)
	if err != nil || old == nil {
		return nil, err
	}
	a, ok := j.anchorIn(old)
	if !ok {
		return nil, nil
	}
	// A line that was already in that file is not the one that left the other.
	before, err := h.old(ctx, j.commit, p)
	if err != nil {
		return nil, err
	}
	var there *linemap.Map
	if before != nil {
		there = linemap.New(shape(before), shape(f))
	}
	both := apart(old, f)
	sole := count(old.Hashes(), old.Hashes()[a.key()]) == 1
	for _, n := range lines {
		copied := there != nil && there.From[n] >= 0
		spots = append(spots, textPlace{path: p, line: n, file: f, run: both.run(a.key(), n), out: both.whole(a, n), copy: copied, sole: sole})
	}
	return spots, nil
}

// spots returns the places in the file at p with the text of a job whose old file is not known. When its surroundings are known, only those
// that fit them are returned.
func (j *job) spots(p string, f *textfile.File) (spots []textPlace) {
	places, kind := j.snippet.places(f)
	if kind != whole {
		return nil
	}
	if j.around().Empty() {
		for _, n := range places {
			spots = append(spots, textPlace{path: p, line: n, file: f, sole: true, run: j.beside.agree(f, places, n).weight, out: standsAt(n)})
		}
		return spots
	}
	st := surrounded(f, j.around(), places, j.snippet.more())
	if st.removed && len(places) == 1 {
		st.rivals = places // a text that occurs once was not removed, whatever was done around it
	}
	for _, n := range st.rivals {
		spots = append(spots, textPlace{path: p, line: n, file: f, sole: true, run: int(st.best), out: standsAt(n)})
	}
	return spots
}

func standsAt(line int) outcome { return outcome{how: found, line: line, last: line, score: 1} }

// apart returns a pair of unrelated files.
func apart(old, new *textfile.File) *filePair {
	return &filePair{old: old, new: new, m: linemap.Apart(old.Len(), new.Len())}
}

// old returns a file as it was, cached for several jobs.
func (h *textSearch) old(ctx context.Context, commit, p string) (*textfile.File, error) {
	return h.olds.get(commit+":"+p, maxOlds, func() (*textfile.File, error) { return h.c.oldFile(ctx, commit, p) })
}

// maxOlds bounds the old files kept in memory.
const maxOlds = 64

// choose settles a job by the places where its text was found.
func (h *textSearch) choose(j *job, spots []textPlace) {
	slices.SortStableFunc(spots, func(a, b textPlace) int {
		return cmp.Or(compareBool(a.copy, b.copy), compareBool(b.out.how == found, a.out.how == found), cmp.Compare(b.run, a.run),
			cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line))
	})
	all := spots
	if n := slices.IndexFunc(spots, func(s textPlace) bool { return s.copy }); n >= 0 {
		spots = spots[:n]
	}
	weight := textfile.Weight(j.text)
	if best, ok := j.whereSurrounded(spots, weight); ok {
		j.settleAnew(best.out, best.file, best.path, 0)
		return
	}
	if j.result.Verdict != Changed && len(spots) > 0 {
		if best, ok := h.arrived(j, spots, weight); ok {
			j.settleAnew(best.out, best.file, best.path, 0)
			return
		}
		known := !j.anchored && !j.around().Empty() // then only places that fit them are left
		if !j.dead && (known || weight >= telling && (!j.anchored || len(spots) <= maxCandidates && weight >= distinctive)) {
			named := make([]string, len(spots))
			for i, s := range spots {
				named[i] = fmt.Sprintf("%s:%d", h.c.outward(s.path), s.line+1)
			}
			j.finish(Ambiguous, "the text left %s and stands at %s", path.Base(j.path), severalNamed(named))
		}
	}
	if !j.done && j.result.Verdict != Changed && weight >= telling && (j.dead || j.anchored) {
		best := all[0]
		best.out.how, best.out.score, best.out.why = alike, 0.6, "the same text stands there, but nothing says that the cited line went there"
		if best.copy {
			best.out.why = "the cited line was removed; the same text stands there, as it did before"
		}
		j.settle(best.out, best.file, best.path, 0)
	}
	for _, s := range all[:min(len(all), maxCandidates)] {
		j.candidates(s.file, s.path, []int{s.line})
	}
}

// arrived returns the new place of the cited text and whether it is sure: the only place, or the only one with as much of the surroundings,
// or the one in a file of the same name.
func (h *textSearch) arrived(j *job, spots []textPlace, weight int) (textPlace, bool) {
	best := spots[0]
	alone := len(spots) == 1
	ahead := alone || best.run >= spots[1].run+telling
	switch {
	case best.out.how != found || weight < telling && best.run < distinctive:
		return best, false
	case j.anchored && ahead && best.run >= distinctive && (best.sole || !j.dead),
		!j.anchored && ahead && best.run >= telling && weight+best.run >= convincing,
		alone && best.sole && weight >= distinctive,
		alone && best.sole && j.absent && weight >= convincing && best.run > 0:
		return best, true
	}
	if !j.absent || !best.sole || weight < telling || weight < distinctive && best.run == 0 {
		return best, false // text of low weight may be unrelated, unless a neighbour came with it
	}
	named := those(spots, func(s textPlace) bool { return path.Base(s.path) == path.Base(j.path) })
	if len(named) == 0 || named[0].out.how != found {
		return best, false
	}
	return named[0], len(named) == 1 || !j.anchored && named[0].run >= named[1].run+telling
}

func count(hashes []uint64, hash uint64) (n int) {
	for _, h := range hashes {
		if h == hash {
			n++
		}
	}
	return n
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// isDocument reports whether a file is text for people, by its name.
func isDocument(p string) bool {
	ending := strings.ToLower(path.Ext(p))
	return slices.Contains(documents, ending) || ending == "" && !slices.Contains(buildFiles, path.Base(p))
}

var (
	documents  = []string{".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".org", ".log", ".html", ".ipynb", ".patch", ".diff", ".jsonl"}
	buildFiles = []string{"Makefile", "Dockerfile", "Gemfile", "Rakefile", "Jenkinsfile"}
)

// within turns a path of the Checker's folder into one of the repository.
func (c *Checker) within(p string) string {
	cleaned, _, _ := clean(c.prefix, p)
	return cleaned
}
