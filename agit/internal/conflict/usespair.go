package conflict

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/uses"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// Use is one pair of changes that git merges and that may break: one side begins to use something that the other removed, renamed or
// changed, or both define or number the same.
type Use struct {
	Rule        uses.Rule `json:"rule"`    // removed, renamed, file, dependency, parameters, duplicate, number
	Certain     bool      `json:"certain"` // else it is likely
	Name        string    `json:"name"`    // of the definition, file or dependency; or the number
	What        string    `json:"what"`    // the kind of the name: function, type, file, dependency, migration, …
	To          string    `json:"to,omitempty"`
	File        string    `json:"file"` // where it is used
	Line        int       `json:"line"`
	By          string    `json:"by"`           // the side that uses it: a worktree's ref, or the default branch
	ChangedFile string    `json:"changed_file"` // where it was defined, or is now
	ChangedLine int       `json:"changed_line,omitempty"`
	ChangedBy   string    `json:"changed_by"`
	Commit      string    `json:"commit,omitempty"` // short; "" while the change is not committed
	Text        string    `json:"text"`             // all of it in words
}

// foundUse is what the cache keeps for a pair.
type foundUse struct {
	Finding uses.Finding
	Commit  string
}

// usesJob is a pair to judge.
type usesJob struct {
	*pair
	key   string
	found []foundUse
}

// findUses looks for breakage that git's merge cannot see, in all pairs in which both sides changed something.
func (c *comparison) findUses(ctx context.Context) error {
	if c.options.Depth != DepthMerge || c.options.noUses {
		return nil
	}
	keys := map[*state]string{}
	var unknown []*usesJob
	var need []*state
	for _, p := range c.both {
		for _, s := range []*state{p.a, p.b} {
			if keys[s] == "" {
				keys[s] = s.sideKey()
			}
		}
		job := &usesJob{pair: p, key: keys[p.a] + keys[p.b]}
		c.usesJobs = append(c.usesJobs, job)
		if known, ok := c.last.Uses[job.key]; ok {
			job.found, c.usedUses[job.key] = known, known
			continue
		}
		unknown = append(unknown, job)
		for _, s := range []*state{p.a, p.b} {
			need = including(need, s)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sides, err := c.sides(ctx, need)
	if err != nil {
		return err
	}
	for _, job := range unknown {
		if err := c.judge(ctx, job, sides); err != nil {
			return err
		}
		c.usedUses[job.key] = job.found
	}
	return nil
}

// judge compares the sides of a pair; a state that changed too much has none.
func (c *comparison) judge(ctx context.Context, job *usesJob, sides map[*state]*uses.Side) error {
	a, b := sides[job.a], sides[job.b]
	if a == nil || b == nil {
		return ctx.Err()
	}
	found, err := uses.Judge(a, b, baseTree{ctx, c, job.a}, baseTree{ctx, c, job.b})
	if err != nil {
		return err
	}
	for _, f := range found {
		_, changer := job.sidesOf(f)
		commit, err := c.commitOf(ctx, changer, f)
		if err != nil {
			return err
		}
		job.found = append(job.found, foundUse{f, commit})
	}
	return ctx.Err()
}

// sidesOf returns the side that uses the name of a finding, and the other, which changed it.
func (p *pair) sidesOf(f uses.Finding) (user, changer *state) {
	if f.Swapped {
		return p.b, p.a
	}
	return p.a, p.b
}

// commitOf returns the short name of the commit in which a state made the change; "" when it is not committed.
func (c *comparison) commitOf(ctx context.Context, s *state, f uses.Finding) (string, error) {
	head := cmp.Or(c.target, s.Commit)
	if !s.tip {
		head = s.head()
	}
	if head == "" || s.Base == head {
		return "", nil
	}
	if e := s.Entries[f.OldFile]; e != nil && e.Head == e.Base {
		return "", nil
	}
	args := []string{"log", "-1", "--format=%h", "--no-renames"}
	switch f.Rule {
	case uses.MovedFile, uses.Taken:
	default:
		args = append(args, "-G"+regexp.QuoteMeta(f.Name))
	}
	args = append(args, s.Base+".."+head, "--", f.OldFile)
	asked := strings.Join(args, "\x00")
	if known, ok := c.commits[asked]; ok {
		return known, nil
	}
	out, err := c.common.Output(ctx, git.Options{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, args...)
	if err != nil {
		return "", git.Fault(err, "find the commit that changed %q", f.OldFile)
	}
	c.commits[asked] = strings.TrimSpace(string(out))
	return c.commits[asked], nil
}

// usesConflicts returns the findings as conflicts, by file. It leaves out files that git reports as a conflict anyway.
func (c *comparison) usesConflicts() map[string][]Conflict {
	all := map[string][]Conflict{}
	for _, job := range c.usesJobs {
		byFile := map[string]*Conflict{}
		for _, u := range job.found {
			if job.conflictsIn(u.Finding.File) {
				continue
			}
			by, other := job.sidesOf(u.Finding)
			row := byFile[u.Finding.File]
			if row == nil {
				row = &Conflict{File: display(u.Finding.File), Depth: DepthUses, Pairs: []Pair{}}
				for _, side := range []struct {
					s    *state
					file string
				}{{by, u.Finding.File}, {other, u.Finding.OldFile}} {
					if side.s.tip {
						row.DefaultBranch = side.s.worktree.Ref
						continue
					}
					at := side.s.sideAt(side.file)
					if side.file != u.Finding.File {
						at.Path = display(side.file)
					}
					row.Worktrees = append(row.Worktrees, at)
				}
				if row.DefaultBranch == "" {
					row.Pairs = append(row.Pairs, Pair{A: job.a.worktree.Ref, B: job.b.worktree.Ref, Depth: DepthUses})
				}
				byFile[u.Finding.File] = row
			}
			row.Uses = append(row.Uses, u.use(by, other))
		}
		for file, row := range byFile {
			slices.SortStableFunc(row.Uses, func(x, y Use) int { return cmp.Compare(likely(x), likely(y)) })
			for _, u := range row.Uses {
				row.Kinds = including(row.Kinds, string(u.Rule))
			}
			all[file] = append(all[file], *row)
		}
	}
	return all
}

func likely(u Use) int {
	if u.Certain {
		return 0
	}
	return 1
}

// conflictsIn reports whether git's merge of the pair stops at a file.
func (p *pair) conflictsIn(file string) bool {
	return p.merge != nil && slices.ContainsFunc(p.merge.Conflicts, func(c mergetree.Conflict) bool { return slices.Contains(c.Paths, file) })
}

// sideAt returns a worktree as a side of a conflict in a file.
func (s *state) sideAt(file string) Side {
	w := s.worktree
	side := Side{ID: w.Ref, Branch: w.Branch, Agent: w.Agent, Maker: w.Maker, Main: w.Main, Clone: w.CloneName, Change: Inherited, Committed: true}
	if w.Commit != "" {
		side.PushedAt = &w.Pushed
	}
	if e := s.Entries[file]; e.touched() {
		side.Change, side.Committed = e.change(), e.Head == e.Now
	}
	return side
}

// who returns the name of a state in a sentence.
func (s *state) who() string {
	w := s.worktree
	switch {
	case s.tip:
		return w.Ref
	case w.Agent != "":
		return w.Agent
	case w.Main:
		return "main checkout"
	}
	return w.Ref
}

func (u foundUse) use(by, other *state) Use {
	f := u.Finding
	made := Use{Rule: f.Rule, Certain: f.Certain, Name: f.Name, What: f.What, To: f.To, File: display(f.File), Line: f.Line, By: by.worktree.Ref,
		ChangedFile: display(f.OldFile), ChangedLine: f.OldLine, ChangedBy: other.worktree.Ref, Commit: u.Commit}
	made.Text = made.sentence(by.who(), other.who())
	return made
}

// sentence describes a finding with both places.
func (u Use) sentence(by, other string) string {
	at := fmt.Sprintf("`%s:%d` (%s)", u.File, u.Line, by)
	where := u.ChangedFile
	if u.ChangedLine > 0 {
		where = fmt.Sprintf("%s:%d", u.ChangedFile, u.ChangedLine)
	}
	place := "(`" + where + "`, " + cmp.Or(u.Commit, "not committed") + ")"
	verb := "uses"
	if u.What == string(uses.Function) || u.What == string(uses.Method) {
		verb = "calls"
	}
	switch u.Rule {
	case uses.Renamed:
		return fmt.Sprintf("%s %s `%s`, which %s renamed to `%s` %s", at, verb, u.Name, other, u.To, place)
	case uses.Removed:
		return fmt.Sprintf("%s %s `%s`, which %s removed %s", at, verb, u.Name, other, place)
	case uses.MovedFile:
		if u.To != "" {
			return fmt.Sprintf("%s names the file `%s`, which %s moved to `%s` (%s)", at, u.Name, other, u.To, cmp.Or(u.Commit, "not committed"))
		}
		return fmt.Sprintf("%s names the file `%s`, which %s removed (%s)", at, u.Name, other, cmp.Or(u.Commit, "not committed"))
	case uses.Dropped:
		return fmt.Sprintf("%s imports `%s`, which %s dropped from the dependencies %s", at, u.Name, other, place)
	case uses.Parameters:
		return fmt.Sprintf("%s calls `%s`, which takes `%s` since %s changed it %s", at, u.Name, u.To, other, place)
	case uses.Duplicate:
		return fmt.Sprintf("%s defines the %s `%s`, and so does %s %s", at, u.What, u.Name, other, place)
	}
	return fmt.Sprintf("%s takes the %s %s, and so does %s %s", at, u.What, u.Name, other, place)
}

// KnownUses returns what the last scan found that git merges and that may break. of keeps the findings of one worktree, by its ref or
// folder, and file those of one path as git has it; "" keeps all. It looks at no worktree.
func (s *Store) KnownUses(ctx context.Context, repoID int64, of, file string) ([]Use, error) {
	if repoID == 0 {
		return nil, nil // a branch that no worktree has
	}
	r, list, err := s.load(ctx, repoID)
	if err != nil {
		return nil, err
	}
	return s.engine().knownUses(ctx, r, list, of, file)
}

func (e *Engine) knownUses(ctx context.Context, repo Repo, list []Worktree, of, file string) ([]Use, error) {
	last, err := e.lastReport(ctx, repo)
	if err != nil || last == nil {
		return nil, err
	}
	ref := of
	for _, w := range list {
		if w.Ref == of || of != "" && checkout.SameFolder(w.Path, of) {
			ref = w.Ref
		}
	}
	var found []Use
	for _, c := range last.Conflicts {
		for _, u := range c.Uses {
			if of != "" && u.By != ref && u.ChangedBy != ref || file != "" && u.File != display(file) && u.ChangedFile != display(file) {
				continue
			}
			found = including(found, u)
		}
	}
	return found, nil
}

// UsesBetween returns what git would not see in a merge of two commits: what one of them uses and the other removed,
// renamed or changed since their merge base. Refs of a Use are "a" and "b". merges is false when git stops at a conflict,
// or when the commits have no base in common.
func UsesBetween(ctx context.Context, repo *git.Repo, a, b string) (found []Use, merges bool, err error) {
	r := &run{repo: Repo{CommonDir: repo.CommonDir}, common: repo, last: newCache(), options: Options{Depth: DepthMerge}}
	c := newComparison(r, nil)
	defer c.store.close()
	base, err := repo.Run(ctx, "merge-base", a, b)
	if err != nil {
		return nil, false, nil
	}
	store, err := c.store.get(ctx)
	if err != nil {
		return nil, false, err
	}
	tried, err := store.Merges(ctx, repo, a, [][2]string{{a, b}})
	if err != nil || !tried[0].Clean {
		return nil, false, err
	}
	diffs, err := mergetree.Diffs(ctx, repo, nil, [][2]string{{base, a}, {base, b}}, true)
	if err != nil {
		return nil, false, err
	}
	p := &pair{bases: strings.Fields(base)}
	p.a, p.b = committedState("a", base, a, diffs[0]), committedState("b", base, b, diffs[1])
	sides, err := c.sides(ctx, []*state{p.a, p.b})
	if err != nil {
		return nil, false, err
	}
	job := &usesJob{pair: p}
	if err := c.judge(ctx, job, sides); err != nil {
		return nil, false, err
	}
	for _, u := range job.found {
		found = append(found, u.use(p.sidesOf(u.Finding)))
	}
	return found, true, nil
}

// committedState is a commit as a state, as if it were the tip of a branch that left at base.
func committedState(name, base, commit string, diffs []mergetree.Diff) *state {
	s := &state{tip: true, worktree: Worktree{Ref: name}}
	s.Base, s.Commit, s.Entries = base, commit, map[string]*entry{}
	for _, d := range diffs {
		e := &entry{Path: d.Path, Base: d.From, Head: d.To, Now: d.To, From: d.OldPath}
		if d.OldPath != "" {
			s.Entries[d.OldPath] = &entry{Path: d.OldPath, Base: d.From, To: d.Path}
			e.Base.Mode, e.Base.OID = 0, ""
		}
		s.Entries[d.Path] = e
	}
	return s
}
