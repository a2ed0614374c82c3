package conflict

import (
	"context"
	"path"
	"slices"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/git"
)

// A merge is predicted with the .gitattributes files that hold where the work lands. It lands on the default branch, so these are the files
// of its newest commit, whatever a folder has checked out. Of two worktrees, the second lands on top of what the first changed.

// knownAttributes names the .gitattributes files of a commit.
type knownAttributes struct {
	Commit string
	Digest string // "" for no such file
}

// targetAttributes names the .gitattributes files of the default branch.
func (c *comparison) targetAttributes(ctx context.Context) (string, error) {
	if c.target == "" || c.attributes.Commit == c.target {
		return c.attributes.Digest, nil
	}
	if c.attributes = c.last.Attributes; c.attributes.Commit == c.target {
		return c.attributes.Digest, nil
	}
	files, err := c.common.AttributeFiles(ctx, git.Options{}, c.target)
	if err != nil {
		return "", err
	}
	oids := map[string]string{}
	for _, f := range files {
		oids[f.Path] = f.OID
	}
	c.attributes = knownAttributes{Commit: c.target, Digest: scan.DigestOf(oids)}
	return c.attributes.Digest, nil
}

// broughtAttributes returns the .gitattributes files that a state changes.
func (s *state) broughtAttributes() (files []*entry) {
	if s.tip {
		return nil
	}
	for _, e := range s.touches() {
		if path.Base(e.Path) == ".gitattributes" {
			files = append(files, e)
		}
	}
	return files
}

// attributesOf returns a digest of the .gitattributes files in force in a merge, and notes the commit that has them if one exists already.
func (c *comparison) attributesOf(ctx context.Context, a *mergeAttempt) (digest string, err error) {
	digest, err = c.targetAttributes(ctx)
	a.attributes = c.target
	if err != nil || a.pair.b.tip || c.target != "" && len(a.pair.a.broughtAttributes()) == 0 {
		return digest, err
	}
	a.attributes = "" // see makeAttributes
	if c.target == "" {
		return a.pair.a.Snap.Attributes, nil
	}
	for _, e := range a.pair.a.broughtAttributes() {
		digest += " " + e.Path + "\x00" + e.Now.OID
	}
	return digest, nil
}

// makeAttributes makes commits of the default branch for merges whose first side changes .gitattributes files; each has those files. The
// states are in the store.
func (c *comparison) makeAttributes(ctx context.Context, attempts []*mergeAttempt) error {
	var states []*state
	for _, a := range attempts {
		switch {
		case a.attributes != "":
		case c.target == "":
			a.attributes = a.pair.a.Commit
		default:
			states = including(states, a.pair.a)
		}
	}
	if len(states) == 0 {
		return nil
	}
	commits := make([]mergetree.Commit, len(states))
	for i, s := range states {
		commits[i].Parents = []string{c.target}
		for _, e := range s.broughtAttributes() {
			commits[i].Files = append(commits[i].Files, mergetree.File{Path: e.Path, To: e.Now})
		}
	}
	store, err := c.store.get(ctx)
	if err != nil {
		return err
	}
	made, _, err := store.Import(ctx, commits)
	if err != nil {
		return err
	}
	for _, a := range attempts {
		if a.attributes == "" {
			a.attributes = made[slices.Index(states, a.pair.a)]
		}
	}
	return nil
}
