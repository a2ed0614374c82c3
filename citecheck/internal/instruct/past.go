package instruct

import (
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/shared/git"
)

// past is git's history of paths that do not exist any more.
type past struct {
	t     *Tree
	trees map[string]*Tree          // the files of commits, by commit
	wrote map[string]map[int]string // the commit of a line, by file
	last  map[string]*farewell      // by path: nil when git never had it
	names map[string]map[string]string
}

// farewell is the last commit that removed a path.
type farewell struct {
	path    string // the full path in git
	commit  string
	before  string // its parent
	date    string
	subject string
	now     string // the name since then; "" when it was deleted
}

// unknown returns why a path that was not found in the history may have been in git all the same, "" when it cannot.
func (p *past) unknown() string {
	switch {
	case p.t.repo == nil:
		return whyNoGit
	case p.t.repo.Shallow():
		return whyShallow
	}
	return ""
}

// lastOf returns the first of the paths' removals that are known, nil for none.
func (p *past) lastOf(paths []string) *farewell {
	for _, name := range paths {
		if f := p.last[name]; f != nil {
			return f
		}
	}
	return nil
}

// maxTrees bounds how many commits' files are listed.
const maxTrees = 24

// written returns the commit that last wrote a line of a source, "" when it is not committed or not known. Call blame first.
func (p *past) written(s spot) string { return p.wrote[s.src.Path][s.ref.Line] }

// blame asks git which commits last wrote the lines of the spots, for several files at once.
func (p *past) blame(ctx context.Context, spots []spot) error {
	lines := map[string][]int{}
	for _, s := range spots {
		if known := lines[s.src.Path]; !s.src.outside && p.t.repo != nil && !slices.Contains(known, s.ref.Line) && p.written(s) == "" {
			lines[s.src.Path] = append(known, s.ref.Line)
		}
	}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for name, wanted := range lines {
		g.Go(func() error {
			out, err := p.t.repo.Output(ctx, git.Options{Dir: p.t.root.Name()}, git.BlameArgs("", name, wanted)...)
			if err != nil {
				return ctx.Err() // it is not committed
			}
			blamed, err := git.ParseBlame(out)
			mu.Lock()
			defer mu.Unlock()
			if p.wrote[name] == nil {
				p.wrote[name] = map[int]string{}
			}
			for _, b := range blamed {
				if b.Committed() {
					p.wrote[name][b.Line] = b.OID
				}
			}
			return err
		})
	}
	return g.Wait()
}

// then returns the files of a commit, nil when they are not known.
func (p *past) then(ctx context.Context, commit string) *Tree {
	t, known := p.trees[commit]
	if known || commit == "" || len(p.trees) >= maxTrees {
		return t
	}
	out, err := p.t.repo.Output(ctx, git.Options{Dir: p.t.root.Name()}, "ls-tree", "-r", "-z", "--name-only", commit)
	if err == nil {
		t = &Tree{repo: p.t.repo}
		t.index(git.Records(out))
	}
	p.trees[commit] = t
	return t
}

// ask looks up in one run of git when the paths were removed last.
func (p *past) ask(ctx context.Context, paths []string) error {
	var fresh []string
	for _, name := range paths {
		if _, known := p.last[name]; !known && !slices.Contains(fresh, name) {
			fresh = append(fresh, name)
			p.last[name] = nil
		}
	}
	if p.t.repo == nil || len(fresh) == 0 {
		return nil
	}
	if err := p.uncommitted(ctx, fresh); err != nil {
		return err
	}
	for part := range slices.Chunk(fresh, 400) {
		args := append(git.DeletionArgs(200+2*len(part)), "--relative", "HEAD", "--")
		out, err := p.t.repo.Output(ctx, git.Options{Dir: p.t.root.Name()}, append(args, part...)...)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return nil // no commit yet
		}
		deletions, err := git.ParseDeletions(out)
		if err != nil {
			return err
		}
		for _, d := range deletions { // newest first
			for name := d.Path; name != "."; name = path.Dir(name) {
				if slices.Contains(part, name) && p.last[name] == nil {
					p.last[name] = &farewell{path: name, commit: d.Commit, before: d.Parent}
				}
			}
		}
	}
	return nil
}

// uncommitted notes the paths that the last commit still has: their removal is not committed yet.
func (p *past) uncommitted(ctx context.Context, paths []string) error {
	head := p.then(ctx, "HEAD")
	if head == nil {
		return ctx.Err()
	}
	for _, name := range paths {
		if (head.known[name] || head.dirs[name]) && name != "." {
			p.last[name] = &farewell{path: name, before: "HEAD"}
		}
	}
	return nil
}

// complete finds the new name of a removed path and the date of the removal, following its names from commit to commit.
func (p *past) complete(ctx context.Context, f *farewell) error {
	if f.date == "" && f.commit != "" {
		out, err := p.t.repo.Output(ctx, git.Options{}, "-c", "log.showSignature=false", "log", "-1", "--format=%cI%x00%s", f.commit, "--")
		if err != nil {
			return git.Fault(err, "look at %s", f.commit)
		}
		date, subject, _ := strings.Cut(strings.TrimSpace(string(out)), "\x00")
		if at, err := time.Parse(time.RFC3339, date); err == nil {
			date = at.UTC().Format(time.DateOnly)
		}
		f.date, f.subject = date, subject
	}
	from, at := f.path, f
	for range 8 {
		renames, err := p.renames(ctx, at)
		if err != nil {
			return err
		}
		to := renames[from]
		if to == "" {
			to = folderOf(renames, from)
		}
		switch {
		case to == "" || to == from:
			return nil
		case p.t.Has(to):
			f.now = to
			return nil
		}
		if err := p.ask(ctx, []string{to}); err != nil {
			return err
		}
		if at = p.last[to]; at == nil {
			return nil
		}
		from = to
	}
	return nil
}

// renames returns the files that git sees renamed in the commit of f, by their old names.
func (p *past) renames(ctx context.Context, f *farewell) (map[string]string, error) {
	if names, known := p.names[f.commit]; known || f.before == "" {
		return names, nil
	}
	args := []string{"diff-tree", "-r", "-z", "--relative", "--name-status", "-M60%", "--diff-filter=R", f.before, f.commit, "--"}
	if f.commit == "" {
		args = []string{"diff-index", "-z", "--cached", "--relative", "--name-status", "-M60%", "--diff-filter=R", f.before, "--"}
	}
	out, err := p.t.repo.Output(ctx, git.Options{Dir: p.t.root.Name()}, args...)
	names := map[string]string{}
	if err != nil { // a partial clone lacks the files to compare
		p.names[f.commit] = names
		return names, ctx.Err()
	}
	changes, err := git.ParseNameStatus(out)
	for _, c := range changes {
		names[c.OldPath] = c.Path
	}
	p.names[f.commit] = names
	return names, err
}

// folderOf returns the folder that a folder's files moved to, "" when they moved to several. Some of them may have got other names there.
func folderOf(renames map[string]string, folder string) string {
	to, kept := "", false
	for old, now := range renames {
		rest, ok := strings.CutPrefix(old, folder+"/")
		if !ok {
			continue
		}
		dir := path.Dir(now)
		if sub := path.Dir(rest); sub != "." {
			if dir, ok = strings.CutSuffix(dir, "/"+sub); !ok {
				return ""
			}
		}
		if dir == "." || to != "" && to != dir {
			return ""
		}
		to, kept = dir, kept || path.Base(old) == path.Base(now)
	}
	if !kept {
		return "" // files of other names in another folder are not this folder
	}
	return to
}
