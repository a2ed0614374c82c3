package tries

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Group is the tries of one task, side by side.
type Group struct {
	TaskID string `json:"task_id"`
	Task   string `json:"task"`
	Repo   string `json:"repo"`
	Tries  []Row  `json:"tries"`
}

// Row is a try with its work.
type Row struct {
	Try
	Worktree   string  `json:"worktree_id,omitempty"`
	Branch     string  `json:"branch,omitempty"`
	Tip        string  `json:"commit,omitempty"`
	Files      int     `json:"files_changed"`
	Insertions int     `json:"insertions"`
	Deletions  int     `json:"deletions"`
	Seconds    int64   `json:"duration_seconds"` // that the client ran, in all attempts
	Tokens     int64   `json:"tokens"`           // read anew and written
	Micros     int64   `json:"cost_micros"`      // millionths of the currency
	Currency   string  `json:"currency,omitempty"`
	Shares     []Share `json:"shares,omitempty"`

	paths map[string]string // the content of each changed file, by its hash
}

// Share is what a try has in common with another one.
type Share struct {
	With  int `json:"with"`  // the other's number
	Files int `json:"files"` // that both change
	Same  int `json:"same"`  // how many of these both leave with the same content
}

// Groups returns the tries of a repository that a person can choose among: of tasks with a try that has a folder, and none that
// landed.
func Groups(tx *registry.Tx, repoID int64) (groups []Group, err error) {
	type found struct {
		Row
		of Group
	}
	all, err := registry.Collect(tx, func(row registry.Scanner) (f found, err error) {
		t := &f.Row
		return f, row.Scan(&t.ID, &t.ProjectID, &t.ItemID, &t.WorktreeID, &t.Number, &t.Client, &t.State, &t.Gate, &t.Why, &t.Worktree, &t.Branch,
			&f.of.TaskID, &f.of.Task, &f.of.Repo)
	}, `SELECT `+columns+`,
		CASE WHEN w.`+repo.LiveWorktree+` THEN w.ref ELSE '' END, CASE WHEN w.`+repo.LiveWorktree+` THEN w.branch ELSE '' END, i.ref, i.title, r.name
		FROM tries t`+joins+`JOIN items i ON i.id = t.item_id JOIN repos r ON r.id = ?
		WHERE t.item_id IN (SELECT o.item_id FROM tries o JOIN worktrees ow ON ow.id = o.worktree_id WHERE ow.repo_id = ? AND ow.status NOT IN ('completed', 'trashed'))
		AND NOT EXISTS (SELECT 1 FROM tries o JOIN landings l ON l.worktree_id = o.worktree_id WHERE o.item_id = t.item_id AND l.state = 'landed')
		ORDER BY t.item_id, t.number`, repoID, repoID)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if err := f.measure(tx); err != nil {
			return nil, err
		}
		if n := len(groups); n == 0 || groups[n-1].Tries[0].ItemID != f.ItemID {
			groups = append(groups, f.of)
		}
		g := &groups[len(groups)-1]
		g.Tries = append(g.Tries, f.Row)
	}
	return groups, nil
}

// measure sums the costs of a try's attempts.
func (r *Row) measure(tx *registry.Tx) error {
	type attempt struct {
		from     timestamp.Time
		to       *timestamp.Time
		in, out  int64
		cost     int64
		currency string
	}
	attempts, err := registry.Collect(tx, func(row registry.Scanner) (a attempt, err error) {
		return a, row.Scan(&a.from, &a.to, &a.in, &a.out, &a.cost, &a.currency)
	}, `SELECT started_at, ended_at, tokens_in, tokens_out, cost, currency FROM attempts WHERE worktree_id = ? AND item_id = ?`, r.WorktreeID, r.ItemID)
	for _, a := range attempts {
		end := tx.Now()
		if a.to != nil {
			end = a.to.Time
		}
		r.Seconds += int64(max(0, end.Sub(a.from.Time)) / time.Second)
		r.Tokens += a.in + a.out
		if a.currency != "" && (r.Currency == "" || r.Currency == a.currency) {
			r.Micros, r.Currency = r.Micros+a.cost, a.currency
		}
	}
	return err
}

// Compare reads from git how much each try of a group changes, and what the tries have in common.
func (g *Group) Compare(ctx context.Context, r repo.Repo, set worktree.Settings) error {
	main, err := r.Open()
	if err != nil {
		return err
	}
	_, target, err := checkout.DefaultBranch(ctx, main, set.DefaultBranch, set.Remote)
	if err != nil {
		return err
	}
	for i := range g.Tries {
		if err := g.Tries[i].read(ctx, main, target); err != nil {
			return err
		}
	}
	for i := range g.Tries {
		for j := range g.Tries {
			if i != j {
				g.Tries[i].share(g.Tries[j])
			}
		}
	}
	return nil
}

func (r *Row) read(ctx context.Context, main *git.Repo, target string) (err error) {
	if r.Branch == "" || target == "" {
		return nil
	}
	if r.Tip, err = main.Resolve(ctx, "refs/heads/"+r.Branch); err != nil || r.Tip == "" {
		return err
	}
	base, err := main.Run(ctx, "merge-base", target, r.Tip)
	if err != nil {
		return nil //nolint:nilerr // they have nothing in common, and so no size
	}
	out, err := main.Output(ctx, git.Options{}, "diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", base, r.Tip, "--")
	if err != nil {
		return git.Fault(err, "measure what branch %q changes", r.Branch)
	}
	files, err := git.ParseNumstat(out)
	if err != nil {
		return fault.Operation(err, "measure what branch %q changes", r.Branch)
	}
	r.Files = len(files)
	for _, f := range files {
		r.Insertions, r.Deletions = r.Insertions+f.Insertions, r.Deletions+f.Deletions
	}
	raw, err := main.Output(ctx, git.Options{}, "diff-tree", "-r", "-z", "--no-renames", "--full-index", base, r.Tip, "--")
	if err != nil {
		return git.Fault(err, "measure what branch %q changes", r.Branch)
	}
	r.paths = contents(git.Records(raw))
	return nil
}

// contents reads the records of git diff-tree -z: ":MODE MODE OID OID STATUS" and a path, in turns.
func contents(records []string) map[string]string {
	paths := map[string]string{}
	for i := 0; i+1 < len(records); i += 2 {
		if words := strings.Fields(records[i]); len(words) == 5 {
			paths[records[i+1]] = words[1] + " " + words[3]
		}
	}
	return paths
}

func (r *Row) share(other Row) {
	s := Share{With: other.Number}
	for path, content := range r.paths {
		if theirs, both := other.paths[path]; both {
			s.Files++
			if theirs == content {
				s.Same++
			}
		}
	}
	if s.Files > 0 {
		r.Shares = append(r.Shares, s)
	}
}
