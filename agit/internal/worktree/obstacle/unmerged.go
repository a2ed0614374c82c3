package obstacle

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// checkMerged looks for commits of the worktree that no default branch has, neither the local one nor the one last seen at the remote.
// Commits taken over by squashing, rebasing or picking count as merged.
func (p *Proof) checkMerged(ctx context.Context, branch, remote string) error {
	g, w := p.Git, p.Worktree
	targets, err := checkout.DefaultTips(ctx, g, branch, remote)
	if err != nil {
		return err
	}
	tips := []struct{ oid, name string }{{p.BranchOID, w.Branch}, {p.Head.OID, "HEAD"}}
	for i, t := range tips {
		tip, name := t.oid, t.name
		if w.Foreign() && (i == 0 || p.Head.Ref != "") {
			continue // its branch stays, see remove
		}
		if tip == "" || tip == w.Base || i > 0 && tip == p.BranchOID {
			continue // nothing was committed here, or it was looked at
		}
		merged, err := checkout.Landed(ctx, g, tip, targets)
		if err != nil {
			return err
		}
		if merged {
			continue
		}
		args := []string{"log", "--no-show-signature", "--format=%h %s", tip}
		if len(targets) > 0 {
			args = append(append(args, "--not"), targets...)
		}
		out, err := g.Run(ctx, append(args, "--")...)
		if err != nil {
			return git.Fault(err, "list the commits of %s", tip)
		}
		commits := strings.Split(out, "\n")
		if name == "HEAD" && p.Head.Ref != "" {
			name = p.Head.Branch()
		}
		p.Add(Unmerged, nil, "%s of %s not in %s: %s", text.Count(len(commits), "commit", "commits"), name, branch, text.Few(commits))
	}
	return nil
}
