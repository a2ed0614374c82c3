package checkout

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
)

// Hosts is the name under which git keeps shared branches of hosts here. It looks like a remote's name: agit-hosts/HOST/BRANCH.
const Hosts = "agit-hosts"

// SharedRef is the ref of a remote under which a host shares a branch. Characters of the host's name that git does not allow in a ref
// become hyphens.
func SharedRef(host, branch string) string { return "refs/agit/" + refName(host) + "/" + branch }

// SharedBy is the beginning of the names here of the branches that a host shares.
func SharedBy(host string) string { return Hosts + "/" + refName(host) + "/" }

func refName(host string) string {
	name := strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f && !strings.ContainsRune(`~^:?*[\@{/`, r) {
			return r
		}
		return '-'
	}, host)
	name = strings.ReplaceAll(name, "..", "--")
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, ".lock") {
		return "host-" + strings.Trim(name, ".") + "-"
	}
	return name
}

// Share fetches the branches that hosts share through a remote, pushes those of this host that are new or have moved, and removes from the
// remote those that this host shared before and no longer has. limit bounds the wait for an answer to the fetch; the push may take ten
// times as long. The error is a Validation fault for a remote that git does not know, a Provider fault for one that did not answer, and a
// *Refused with the remote's words.
func Share(ctx context.Context, g *git.Repo, remote, host string, branches []string, limit time.Duration) error {
	if err := Knows(g, remote); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	end, err := fetchTurn(bounded, g)
	if err != nil {
		return late(ctx, err, remote, limit)
	}
	defer end()
	err = fetch(bounded, g, "--prune", "--", remote, "+refs/agit/*:refs/remotes/"+Hosts+"/*")
	if err != nil {
		return late(ctx, err, remote, limit)
	}
	moves, err := toShare(ctx, g, host, branches)
	if err != nil || len(moves) == 0 {
		return err
	}
	pushing, stop := context.WithTimeout(ctx, longer*limit)
	defer stop()
	if _, err := g.Run(pushing, append([]string{"push", "--quiet", "--no-follow-tags", "--", remote}, moves...)...); err != nil {
		if strings.Contains(Stderr(err), "[remote rejected]") || !strings.Contains(Stderr(err), "fatal: ") && pushing.Err() == nil {
			return &Refused{words(err, nil)} // by the remote, or by a hook before the push
		}
		return late(ctx, err, remote, longer*limit)
	}
	return nil
}

// toShare returns the refspecs that bring the branches a host shares to where its local branches are.
func toShare(ctx context.Context, g *git.Repo, host string, branches []string) (specs []string, err error) {
	all, err := g.RemoteBranches(ctx)
	if err != nil {
		return nil, err
	}
	shared := map[string]string{}
	for _, b := range all {
		if branch, own := strings.CutPrefix(b.Name, SharedBy(host)); own {
			shared[branch] = b.OID
			if !slices.Contains(branches, branch) {
				specs = append(specs, ":"+SharedRef(host, branch))
			}
		}
	}
	for _, branch := range branches {
		oid, err := g.Resolve(ctx, "refs/heads/"+branch)
		if err != nil {
			return nil, err
		}
		if oid != "" && oid != shared[branch] {
			specs = append(specs, "+"+oid+":"+SharedRef(host, branch))
		}
	}
	return specs, nil
}
