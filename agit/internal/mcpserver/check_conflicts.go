package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type conflictsInput struct {
	Repo     string `json:"repo" is:"name"`
	Depth    string `json:"depth,omitempty" enum:"file,lines,merge"`
	Worktree string `json:"worktree_id,omitempty" desc:"Only its conflicts" is:"name"`
	File     string `json:"file,omitempty" desc:"Only this file, in full"`
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

// fileConflict is a conflict.Conflict; lines and pairs, which grow with the
// square of the worktrees, are there only when one file was asked for.
type fileConflict struct {
	File      string          `json:"file"`
	Depth     conflict.Depth  `json:"depth"`
	Worktrees []conflict.Side `json:"worktrees"`
	Kinds     []string        `json:"kinds,omitempty"`
	Pairs     []conflict.Pair `json:"pairs,omitempty"`
}

func addCheckConflicts(s *service) {
	add(s, mcpkit.Tool{
		Name: "agit_check_conflicts", ReadOnly: true,
		Description: "Conflicts between worktrees now, uncommitted work included. depth: file (both touch it), lines (same lines), merge (git would conflict; default).",
	}, func(ctx context.Context, c *mcpkit.Call, in conflictsInput) (conflictsOutput, error) {
		return s.conflicts(ctx, c, in, conflictsPage)
	})
}

func (s *service) conflicts(ctx context.Context, c *mcpkit.Call, in conflictsInput, limit int) (out conflictsOutput, err error) {
	if in.Depth == "" {
		in.Depth = s.stores.Config.Conflicts.Depth
	}
	depth, err := conflict.ParseDepth(in.Depth)
	if err != nil {
		return out, err
	}
	r, err := s.stores.Repos.Get(ctx, in.Repo)
	if err != nil {
		return out, err
	}
	if in.Worktree != "" {
		w, err := s.stores.Worktrees.Get(ctx, r.Name, in.Worktree)
		if err != nil {
			return out, err
		}
		in.Worktree = w.Ref
	}
	report, err := s.stores.Conflicts.Scan(ctx, r.ID, conflict.Options{Depth: depth})
	if err != nil {
		return out, err
	}
	if depth != conflict.DepthMerge {
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
		Repo: report.Repo, Depth: report.Depth, MergeUnavailable: report.MergeUnavailable,
		ScannedWorktrees: report.ScannedWorktrees, Skipped: report.Skipped,
	}
	found := matching(report.Conflicts, in)
	out.Total = len(found)
	from := 0
	if in.After != "" {
		depth, file, ok := strings.Cut(in.After, ":")
		if !ok || !slices.Contains(conflict.Depths(), conflict.Depth(depth)) {
			return out, fault.Validation("after", "%q is not the end of a page of this list", cut(in.After, 60)).
				WithHint("give the `next` of the page before")
		}
		// The list may have changed since: the next page begins behind that place.
		last := conflict.Conflict{Depth: conflict.Depth(depth), File: file}
		from, _ = slices.BinarySearchFunc(found, last, func(c, last conflict.Conflict) int {
			if deepestFirst(c, last) <= 0 {
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
			last := out.Conflicts[n-1]
			out.Next = string(last.Depth) + ":" + last.File
			break
		}
		out.Conflicts = append(out.Conflicts, one)
	}
	if out.Conflicts == nil {
		out.Conflicts = []fileConflict{}
	}
	return out, nil
}

// pageBytes ends a page of many worktrees in each conflict before clients refuse
// to show it: 50 kB are about 12,000 tokens, half of what the strictest takes.
const pageBytes = 50_000

// matching gives the conflicts asked for, the deepest first.
func matching(all []conflict.Conflict, in conflictsInput) []conflict.Conflict {
	var found []conflict.Conflict
	for _, c := range all {
		concerned := in.Worktree == "" || slices.ContainsFunc(c.Worktrees, func(side conflict.Side) bool { return side.ID == in.Worktree })
		if concerned && (in.File == "" || c.File == in.File) {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, deepestFirst)
	return found
}

func deepestFirst(a, b conflict.Conflict) int {
	depths := conflict.Depths()
	return cmp.Or(
		cmp.Compare(slices.Index(depths, b.Depth), slices.Index(depths, a.Depth)),
		strings.Compare(a.File, b.File))
}

// listed is a conflict as a page has it. The report may be shared: it is copied.
func listed(c conflict.Conflict, whole bool) fileConflict {
	f := fileConflict{File: c.File, Depth: c.Depth, Worktrees: c.Worktrees, Kinds: c.Kinds, Pairs: c.Pairs}
	if whole {
		return f
	}
	f.Pairs, f.Worktrees = nil, slices.Clone(c.Worktrees)
	for i := range f.Worktrees {
		f.Worktrees[i].Lines = nil
	}
	return f
}

func size(c fileConflict) int {
	encoded, _ := json.Marshal(c)
	return len(encoded)
}
