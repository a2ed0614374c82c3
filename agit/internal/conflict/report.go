package conflict

import (
	"slices"

	"github.com/agit-suite/agit/shared/timestamp"
)

// Repo is what the engine needs to know of a repository.
type Repo struct {
	ID            int64  // registry row; 0 outside the registry
	ProjectID     int64  // registry row; 0 outside the registry
	UID           string // names the cache of this repository; empty: CommonDir does
	Name          string
	CommonDir     string // the absolute path of the repository's .git folder
	DefaultBranch string // short name, "main"
	Remote        string // git's name of the remote that work lands on; "" for the branch here
}

// Worktree is one checkout to compare with the others.
type Worktree struct {
	ID     int64  // registry row; 0 outside the registry
	Ref    string // what people type; unique in a call
	Branch string
	Path   string // absolute
	Agent  string // name; empty when none
	Maker  string // who made a worktree that agit did not make
	Main   bool   // the main checkout: a party once something was changed in it
	// Commit is all there is of a party without files: a branch that a remote has. Pushed is when it was made.
	Commit string
	Pushed timestamp.Time
	// Clone is the git directory of another clone of the project whose worktree it is, "" for the repository's own, and CloneName the
	// name by which that is registered.
	Clone, CloneName string
}

// Options narrow a scan. The zero value asks for everything.
type Options struct {
	Depth    Depth  // the deepest level to look for; empty is DepthMerge
	NoCache  bool   // scan worktrees again that look unchanged
	Worktree string // only conflicts this worktree (ref) takes part in
	Share    bool   // share branches with other machines first, where the repository is configured so
	noUses   bool   // for a benchmark: what DepthUses costs
	With     string // a branch that takes part although nothing says that it is worked on; only its conflicts
}

// Report is the answer of a scan. It is the JSON of `agit conflicts`.
type Report struct {
	Repo             string         `json:"repo"`
	Depth            Depth          `json:"depth"`                       // what was looked for
	MergeUnavailable string         `json:"merge_unavailable,omitempty"` // why merge depth could not be computed
	Conflicts        []Conflict     `json:"conflicts"`                   // by file; never nil
	ScannedWorktrees int            `json:"scanned_worktrees"`           // how many are in this report
	ScannedBranches  int            `json:"scanned_branches,omitempty"`  // how many branches of remotes that no worktree has
	ReusedWorktrees  int            `json:"reused_worktrees"`            // how many of them had not changed since the last scan
	Skipped          []Skipped      `json:"skipped,omitempty"`           // worktrees that could not be scanned
	Failures         []Failure      `json:"failures,omitempty"`          // merges that git could not try
	ScannedAt        timestamp.Time `json:"scanned_at"`
	Touched          []Touched      `json:"-"` // everything every worktree touches, for status
}

// Conflict is worktrees that meet in a file, every two of them at the same depth
// and on the same lines; or one worktree that the default branch would conflict
// with in it. A file has as many conflicts as that takes.
type Conflict struct {
	File          string   `json:"file"` // as named in the common base, slash-separated
	Depth         Depth    `json:"depth"`
	DefaultBranch string   `json:"default_branch,omitempty"` // its name, when that is the other side
	Lines         []Lines  `json:"lines,omitempty"`          // lines of the base that both sides touch
	Kinds         []string `json:"kinds,omitempty"`          // at merge depth: contents, modify/delete, rename/rename, add/add, …; at depth uses: the rules
	Uses          []Use    `json:"uses,omitempty"`           // at depth uses: what one side uses and the other changed, the certain ones first
	Worktrees     []Side   `json:"worktrees"`
	Pairs         []Pair   `json:"pairs"` // who with whom; empty where the default branch is the other side
}

// Side is a worktree in a conflict.
type Side struct {
	ID     string `json:"worktree_id"` // the worktree's ref
	Branch string `json:"branch"`
	Agent  string `json:"agent,omitempty"`
	Maker  string `json:"maker,omitempty"`         // who made it, when agit did not
	Main   bool   `json:"main_checkout,omitempty"` // it is the main checkout
	// PushedAt is when the last commit was made of a branch that a remote has and no worktree.
	PushedAt  *timestamp.Time `json:"pushed_at,omitempty"`
	Clone     string          `json:"clone,omitempty"` // the repository that it is a worktree of, where that is another clone
	Change    Change          `json:"change"`
	Path      string          `json:"path,omitempty"`  // what the file is called there, when renamed
	Lines     []Lines         `json:"lines,omitempty"` // changed lines of the base, when lines were looked at
	Committed bool            `json:"committed"`       // nothing of the change is uncommitted
}

// Label is the name of a side with who works there, else who made it, behind it.
func (s Side) Label() string {
	return label(s.ID, s.Agent, s.Maker, s.Main)
}

func label(name, agent, maker string, main bool) string {
	switch {
	case agent != "":
		return name + " (" + agent + ")"
	case main:
		return name + " (main checkout)"
	case maker != "":
		return name + " (" + maker + ")"
	}
	return name
}

// Pair is two worktrees that meet in a file.
type Pair struct {
	A     string   `json:"a"` // refs
	B     string   `json:"b"`
	Depth Depth    `json:"depth"`
	Lines []Lines  `json:"lines,omitempty"` // lines of the base that both touch
	Kinds []string `json:"kinds,omitempty"` // what git's merge says
}

// WillNotMerge reports whether git stops at the conflict.
func (c Conflict) WillNotMerge() bool { return c.Depth == DepthMerge }

// Why are the sentences of a row of DepthUses: what is used where, and who changed it.
func (c Conflict) Why() []string {
	why := make([]string, len(c.Uses))
	for i, u := range c.Uses {
		if why[i] = u.Text; !u.Certain {
			why[i] += " (likely)"
		}
	}
	return why
}

// UsedAt are the lines of a row of DepthUses, in the file as its user has it.
func (c Conflict) UsedAt() string {
	lines := make([]Lines, len(c.Uses))
	for i, u := range c.Uses {
		lines[i] = Lines{u.Line, u.Line}
	}
	slices.SortFunc(lines, func(a, b Lines) int { return a.First - b.First })
	return FormatLines(slices.Compact(lines))
}

// OnlyDefault is the report cut down to what would conflict with the default
// branch.
func (r *Report) OnlyDefault() *Report {
	only := *r
	only.Conflicts = []Conflict{}
	for _, c := range r.Conflicts {
		if c.DefaultBranch != "" {
			only.Conflicts = append(only.Conflicts, c)
		}
	}
	return &only
}

// Skipped is a worktree that could not be scanned and why.
type Skipped struct {
	ID     string `json:"worktree_id"`
	Reason string `json:"reason"`
}

// Failure is two worktrees, or the default branch and one, where git could not say
// whether they merge.
type Failure struct {
	A      string `json:"a"` // refs, or the default branch's name
	B      string `json:"b"`
	Reason string `json:"reason"`
}

// Touched is what one worktree changes.
type Touched struct {
	Worktree   Worktree
	Files      []Touch
	Head, Base string   // its commit, and the merge base with the default branch
	Digest     [32]byte // of all that was seen of it
}

// Touch is a file that a worktree changes, against its merge base with the
// default branch.
type Touch struct {
	Path      string
	OldPath   string // what it was called in the base, when renamed
	Change    Change
	Committed bool // nothing of the change is uncommitted
}

// Change is what happened to a file.
type Change string

// The kinds of change.
const (
	Added      Change = "added"
	Modified   Change = "modified"
	Deleted    Change = "deleted"
	Renamed    Change = "renamed"
	ModeChange Change = "mode" // only the executable bit
	TypeChange Change = "type" // file, symbolic link or submodule became another
	// Inherited is a file that the worktree itself does not change: it moved the
	// folder that the file is in, or made it at another place.
	Inherited Change = "inherited"
)
