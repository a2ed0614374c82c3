package conflict

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Repo is what the engine needs to know about a repository.
type Repo struct {
	ID            int64  // registry row; 0 outside the registry
	ProjectID     int64  // registry row; 0 outside the registry
	UID           string // names the cache of this repository; when empty, CommonDir does
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
	Maker  string // maker of a worktree that agit did not make
	Main   bool   // the main checkout: it takes part once something in it has changed
	// Commit is set for a party without files, a branch of a remote: its commit. Pushed is the time of that commit.
	Commit string
	Pushed timestamp.Time
	// Clone is the git directory of the other clone that the worktree belongs to, "" for the repository's own. CloneName is the name under
	// which that clone is registered.
	Clone, CloneName string
	Unread           string // why that clone cannot be read
}

// Options narrow a scan. The zero value asks for everything.
type Options struct {
	Depth    Depth  // the deepest level to look for; empty is DepthMerge
	NoCache  bool   // scan worktrees again that look unchanged
	Worktree string // only conflicts this worktree (ref) takes part in
	Share    bool   // share branches with other machines first, where the repository is configured so
	noUses   bool   // for a benchmark: what DepthUses costs
	With     string // a branch that takes part even without a sign of work on it; reports only its conflicts
}

// Report is the result of a scan. It is the JSON of `agit conflicts`.
type Report struct {
	Repo             string         `json:"repo"`
	Depth            Depth          `json:"depth"`                       // what was looked for
	MergeUnavailable string         `json:"merge_unavailable,omitempty"` // why merge depth could not be computed
	Conflicts        []Conflict     `json:"conflicts"`                   // by file; never nil
	ScannedWorktrees int            `json:"scanned_worktrees"`           // how many are in this report
	ScannedBranches  int            `json:"scanned_branches,omitempty"`  // number of remote branches that no worktree has
	ReusedWorktrees  int            `json:"reused_worktrees"`            // how many of them had not changed since the last scan
	Skipped          []Skipped      `json:"skipped,omitempty"`           // worktrees that could not be scanned
	Failures         []Failure      `json:"failures,omitempty"`          // merges that git could not try
	NoDefaultBranch  string         `json:"no_default_branch,omitempty"` // why nothing was compared with it
	ScannedAt        timestamp.Time `json:"scanned_at"`
	Remote           string         `json:"-"` // whose default branch was compared, "" for the one here
	Touched          []Touched      `json:"-"` // all files touched by each worktree, for status
}

// Conflict is a set of worktrees that meet in a file, every two of them at the same depth and on the same lines; or one worktree that
// conflicts with the default branch in the file. A file has one Conflict for each such set.
type Conflict struct {
	File          string   `json:"file"` // as named in the common base, slash-separated
	Depth         Depth    `json:"depth"`
	DefaultBranch string   `json:"default_branch,omitempty"` // the default branch's name, when that is the other side
	Lines         []Lines  `json:"lines,omitempty"`          // lines of the base that both sides touch
	Kinds         []string `json:"kinds,omitempty"`          // at merge depth: contents, modify/delete, rename/rename, add/add, …; at depth uses: the rules
	Uses          []Use    `json:"uses,omitempty"`           // at depth uses: what one side uses and the other changed, the certain ones first
	Worktrees     []Side   `json:"worktrees"`
	Pairs         []Pair   `json:"pairs"` // which worktrees meet; empty when the default branch is the other side
}

// Side is a worktree in a conflict.
type Side struct {
	ID     string `json:"worktree_id"` // the worktree's ref
	Branch string `json:"branch"`
	Agent  string `json:"agent,omitempty"`
	Maker  string `json:"maker,omitempty"`         // maker of a worktree that agit did not make
	Main   bool   `json:"main_checkout,omitempty"` // it is the main checkout
	// PushedAt is the time of the last commit of a remote branch that no worktree has.
	PushedAt  *timestamp.Time `json:"pushed_at,omitempty"`
	Clone     string          `json:"clone,omitempty"` // the other clone that the worktree belongs to
	Change    Change          `json:"change"`
	Path      string          `json:"path,omitempty"`  // the file's name in this worktree, when renamed
	Lines     []Lines         `json:"lines,omitempty"` // changed lines of the base, when lines were looked at
	Committed bool            `json:"committed"`       // the whole change is committed
}

// Label returns the name of a side, followed by the agent that works there or else its maker.
func (s Side) Label() string {
	switch {
	case s.Agent != "":
		return s.ID + " (" + s.Agent + ")"
	case s.Main:
		return s.ID + " (main checkout)"
	case s.Maker != "":
		return s.ID + " (" + s.Maker + ")"
	}
	return s.ID
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

// Why returns the sentences of a row of DepthUses: what is used where, and who changed it.
func (c Conflict) Why() []string {
	why := make([]string, len(c.Uses))
	for i, u := range c.Uses {
		if why[i] = u.Text; !u.Certain {
			why[i] += " (likely)"
		}
	}
	return why
}

// UsedAt returns the lines of a row of DepthUses, as numbered in the version of the worktree that uses.
func (c Conflict) UsedAt() string {
	lines := make([]Lines, len(c.Uses))
	for i, u := range c.Uses {
		lines[i] = Lines{u.Line, u.Line}
	}
	slices.SortFunc(lines, func(a, b Lines) int { return a.First - b.First })
	return FormatLines(slices.Compact(lines))
}

// OnlyDefault returns the report reduced to the conflicts with the default branch.
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

// unread returns the worktrees of a list of which the scan knows nothing. One whose folder is gone is in no one's way.
func (r *Report) unread(list []Worktree) []Skipped {
	return slices.DeleteFunc(slices.Clone(r.Skipped), func(s Skipped) bool {
		return slices.ContainsFunc(list, func(w Worktree) bool { return w.Ref == s.ID && checkout.Gone(w.Path) })
	})
}

// Failure is a merge that git could not try: of two worktrees, or of the default branch and one.
type Failure struct {
	A      string `json:"a"` // refs, or the default branch's name
	B      string `json:"b"`
	Reason string `json:"reason"`
}

// Touched lists the files that one worktree changes.
type Touched struct {
	Worktree   Worktree
	Files      []Touch
	Head, Base string   // its commit, and the merge base with the default branch
	Digest     [32]byte // of all that was seen of it
	// Uncommitted is how many files differ from its commit. Files lacks the ones among them that are as in Base again.
	Uncommitted int
}

// Touch is a file that a worktree changes, against its merge base with the
// default branch.
type Touch struct {
	Path      string
	OldPath   string // its name in the base, when renamed
	Change    Change
	Committed bool // the whole change is committed
}

// Change is the kind of a file's change.
type Change string

// The kinds of change.
const (
	Added      Change = "added"
	Modified   Change = "modified"
	Deleted    Change = "deleted"
	Renamed    Change = "renamed"
	ModeChange Change = "mode" // only the executable bit
	TypeChange Change = "type" // file, symbolic link or submodule became another
	// Inherited is a file that the worktree itself does not change, but whose folder it moved or made at another place.
	Inherited Change = "inherited"
)

// Depth is how deeply two worktrees interfere with each other.
type Depth string

// The depths, each including the one before it.
const (
	DepthFile  Depth = "file"  // both touch the file
	DepthLines Depth = "lines" // both touch the same lines, or lines that touch
	DepthUses  Depth = "uses"  // git merges them, and one uses what the other removed, renamed or changed
	DepthMerge Depth = "merge" // git's three-way merge of the two states conflicts
)

// Depths lists all depths from shallow to deep. A scan down to DepthMerge finds DepthUses too.
func Depths() []Depth { return []Depth{DepthFile, DepthLines, DepthUses, DepthMerge} }

// ParseDepth reads a depth to scan down to, as a person types it. Empty is DepthMerge, and so is "uses": what breaks without a conflict is
// found among what git has merged.
func ParseDepth(s string) (Depth, error) {
	switch d := Depth(strings.ToLower(strings.TrimSpace(s))); d {
	case "", DepthUses:
		return DepthMerge, nil
	case DepthFile, DepthLines, DepthMerge:
		return d, nil
	default:
		return "", fault.Validation("depth", "depth %q is not known", s).WithHint("use file, lines or merge")
	}
}

func (d Depth) rank() int { return slices.Index(Depths(), d) }

// AtLeast reports whether d goes as deep as other.
func (d Depth) AtLeast(other Depth) bool { return d.rank() >= other.rank() }

// Lines is a range of line numbers from 1, both ends included. A pure insertion
// after line n of the base is the empty range {n+1, n}.
type Lines struct{ First, Last int }

// String returns "12", "12-20", or "+13" for an insertion before line 13.
func (l Lines) String() string {
	switch {
	case l.Last < l.First:
		return "+" + strconv.Itoa(l.First)
	case l.First == l.Last:
		return strconv.Itoa(l.First)
	default:
		return fmt.Sprintf("%d-%d", l.First, l.Last)
	}
}

// MarshalJSON returns the range as String does.
func (l Lines) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// FormatLines joins ranges with commas, as stored in the registry.
func FormatLines(all []Lines) string {
	parts := make([]string, len(all))
	for i, l := range all {
		parts[i] = l.String()
	}
	return strings.Join(parts, ",")
}

// plain reports whether a path can be shown as it is.
func plain(path string) bool {
	if !utf8.ValidString(path) || strings.HasPrefix(path, `"`) {
		return false
	}
	return strings.IndexFunc(path, unicode.IsControl) < 0
}
