package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type conflictsInput struct {
	Repo     string `json:"repo,omitempty" is:"name"`
	Depth    string `json:"depth,omitempty" enum:"file,lines,uses,merge"`
	Worktree string `json:"worktree_id,omitempty" desc:"Only its conflicts" is:"name"`
	File     string `json:"file,omitempty" desc:"Only this, in full"`
	After    string `json:"after,omitempty" desc:"next of the page before"`
}

// conflictsOutput is a page of a conflict.Report, under the same names.
type conflictsOutput struct {
	Repo             string             `json:"repo"`
	Depth            conflict.Depth     `json:"depth"`
	MergeUnavailable string             `json:"merge_unavailable,omitempty"`
	Conflicts        []fileConflict     `json:"conflicts"` // the deepest first
	Total            int                `json:"total"`
	Next             string             `json:"next,omitempty"`
	ScannedWorktrees int                `json:"scanned_worktrees"`
	Skipped          []conflict.Skipped `json:"skipped,omitempty"`
}

// fileConflict is a conflict.Conflict. The changes of each side, and the pairs, which grow with the square of the worktrees, are set only
// when one file was asked for.
type fileConflict struct {
	File          string           `json:"file"`
	Depth         conflict.Depth   `json:"depth"`
	DefaultBranch string           `json:"default_branch,omitempty"` // the other side
	Lines         []conflict.Lines `json:"lines,omitempty"`
	Kinds         []string         `json:"kinds,omitempty"`
	Why           []string         `json:"why,omitempty"` // at depth uses: sentences
	Worktrees     []conflict.Side  `json:"worktrees"`     // every two of them meet so
	Pairs         []conflict.Pair  `json:"pairs,omitempty"`
}

func addCheckConflicts(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_check_conflicts", ReadOnly: true,
		Description: "Conflicts between worktrees and with the default branch, uncommitted work too. depth: file or lines both touch, or merge (default): conflicts of git, and uses.",
	}, func(ctx context.Context, c *mcpkit.Call, in conflictsInput) (conflictsOutput, error) {
		return s.conflicts(ctx, c, in, conflictsPage)
	})
}

func (s *service) conflicts(ctx context.Context, c *mcpkit.Call, in conflictsInput, limit int) (out conflictsOutput, err error) {
	if in.Repo, err = s.repoOf(ctx, c, in.Repo); err != nil {
		return out, err
	}
	depth, err := conflict.ParseDepth(cmp.Or(in.Depth, s.stores.Config.Conflicts.Depth))
	if err != nil {
		return out, err
	}
	r, err := s.stores.Repos.Get(ctx, in.Repo)
	if err != nil {
		return out, err
	}
	if in.Worktree != "" {
		w, err := s.stores.Worktrees.Get(ctx, r.UID, in.Worktree)
		if err != nil {
			return out, err
		}
		in.Worktree = w.Ref
	}
	report, err := s.stores.Conflicts.Scan(ctx, r.ID, conflict.Options{Depth: depth, Worktree: in.Worktree, Share: true})
	if err != nil {
		return out, err
	}
	if depth != conflict.DepthMerge || in.Worktree != "" {
		s.partly.Store(r.ID, true)
	}
	if out, err = conflictsOf(report, in, limit); err != nil {
		return out, err
	}
	c.Summarize(fmt.Sprintf("%d conflicts", out.Total))
	return out, nil
}

// conflictsOf cuts a report down to what was asked for.
func conflictsOf(report *conflict.Report, in conflictsInput, limit int) (conflictsOutput, error) {
	out := conflictsOutput{
		Repo: report.Repo, Depth: report.Depth, MergeUnavailable: cmp.Or(report.MergeUnavailable, report.NoDefaultBranch),
		ScannedWorktrees: report.ScannedWorktrees, Skipped: report.Skipped,
	}
	found := matching(report.Conflicts, in.File)
	out.Total = len(found)
	from := 0
	if in.After != "" {
		last, ok := parsePlace(in.After)
		if !ok {
			return out, fault.Validation("after", "%q is not the end of a page of this list", cut(in.After, 60)).
				WithHint("give the `next` of the page before")
		}
		// The list may have changed since: the next page begins behind that place.
		from, _ = slices.BinarySearchFunc(found, last, func(c conflict.Conflict, last place) int {
			if placeOf(c).compare(last) <= 0 {
				return -1
			}
			return 1
		})
	}
	bytes := 0
	for _, c := range found[from:] {
		one := listed(c, in.File != "")
		bytes += size(one)
		if n := len(out.Conflicts); n > 0 && (n == limit || bytes > pageBytes) {
			out.Next = placeOf(found[from+n-1]).String()
			break
		}
		out.Conflicts = append(out.Conflicts, one)
	}
	if out.Conflicts == nil {
		out.Conflicts = []fileConflict{}
	}
	return out, nil
}

// matching returns the conflicts asked for, the deepest first.
func matching(all []conflict.Conflict, file string) []conflict.Conflict {
	found := slices.DeleteFunc(slices.Clone(all), func(c conflict.Conflict) bool { return file != "" && c.File != file })
	slices.SortFunc(found, func(a, b conflict.Conflict) int { return placeOf(a).compare(placeOf(b)) })
	return found
}

// place is where a conflict stands in the list: the deepest first, then by file
// and by who is in it.
type place struct {
	depth conflict.Depth
	sides string
	file  string
}

func placeOf(c conflict.Conflict) place {
	refs := make([]string, len(c.Worktrees))
	for i, side := range c.Worktrees {
		refs[i] = side.ID
	}
	sides := strings.Join(refs, ",")
	if c.DefaultBranch != "" {
		sides = "+" + sides
	}
	return place{c.Depth, sides, c.File}
}

func (p place) compare(o place) int {
	depths := conflict.Depths()
	return cmp.Or(
		cmp.Compare(slices.Index(depths, o.depth), slices.Index(depths, p.depth)),
		strings.Compare(p.file, o.file), strings.Compare(p.sides, o.sides))
}

// String is the end of a page, as the next one is asked for.
func (p place) String() string { return string(p.depth) + ":" + p.sides + ":" + p.file }

func parsePlace(text string) (p place, ok bool) {
	depth, rest, _ := strings.Cut(text, ":")
	sides, file, ok := strings.Cut(rest, ":")
	p = place{conflict.Depth(depth), sides, file}
	return p, ok && slices.Contains(conflict.Depths(), p.depth)
}

// listed returns a conflict as a page shows it. The report may be shared: it is copied.
func listed(c conflict.Conflict, whole bool) fileConflict {
	f := fileConflict{File: c.File, Depth: c.Depth, DefaultBranch: c.DefaultBranch, Lines: c.Lines, Kinds: c.Kinds, Why: c.Why(), Worktrees: c.Worktrees, Pairs: c.Pairs}
	if whole {
		return f
	}
	f.Pairs, f.Worktrees = nil, slices.Clone(c.Worktrees)
	for i := range f.Worktrees {
		f.Worktrees[i].Lines = nil
	}
	return f
}
