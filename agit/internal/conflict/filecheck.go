package conflict

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// FileCheck lists the others that work on a file. It is the JSON of `agit check`.
type FileCheck struct {
	Repo    string         `json:"repo"`
	File    string         `json:"file"`
	Free    bool           `json:"free"`    // no other agent touches it, announced it or changed what it uses
	Touched []Toucher      `json:"touched"` // never nil
	Claims  []Announcement `json:"claims"`  // never nil
	// Uses are what the last scan found between the caller's worktree and others at this file: git merges it, and it may break.
	Uses []Use `json:"uses,omitempty"`
}

// Toucher is a worktree whose version of a file differs from its base.
type Toucher struct {
	ID        string `json:"worktree_id"`
	Branch    string `json:"branch"`
	Agent     string `json:"agent,omitempty"`
	Maker     string `json:"maker,omitempty"`         // maker of a worktree that agit did not make
	Main      bool   `json:"main_checkout,omitempty"` // it is the main checkout
	Change    Change `json:"change"`
	Committed bool   `json:"committed"`
}

// By is the agent that works in the worktree, or else its maker.
func (t Toucher) By() string {
	switch {
	case t.Agent != "":
		return t.Agent
	case t.Main:
		return "main checkout"
	}
	return cmp.Or(t.Maker, "no agent")
}

// Caller is the worktree and the agent that ask. Their own touches and announcements are left out.
type Caller struct {
	Worktree string // ref, or the absolute path of the worktree
	Agent    string // name; "" for the one that the session or the worktree has
	Session  string // id of the client's session, if that asks
}

// agent returns the name of the agent that asks: the one that is named, else that of the session, else that of its worktrees, else the only
// one whose client is in them; "" when it is not known.
func (by Caller) agent(own []Worktree, places []place) string {
	if by.Agent != "" {
		return by.Agent
	}
	here := map[string]bool{}
	for _, p := range places {
		if by.Session != "" && p.session == by.Session {
			return p.agent
		}
		if slices.ContainsFunc(own, func(w Worktree) bool { return w.Path == p.folder }) {
			here[p.agent] = true
		}
	}
	for _, w := range own {
		if w.Agent != "" {
			return w.Agent
		}
	}
	if len(here) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(here))[0]
}

// place is where the client of an agent is at work.
type place struct{ folder, agent, session string }

func places(tx *registry.Tx, repoID int64) ([]place, error) {
	return registry.Collect(tx, func(row registry.Scanner) (p place, err error) {
		err = row.Scan(&p.folder, &p.agent, &p.session)
		return p, err
	}, `SELECT folder, agent, session FROM session_places WHERE repo_id = ? AND host = ?`, repoID, registry.Host())
}

// CheckFile finds the other worktrees that touch file (relative to the root of the
// work tree, slash-separated) right now, uncommitted changes included, and the
// active announcements of others that cover it. It looks at that one file in each worktree
// and is meant for editor and agent hooks: no scan, and two or three runs of git
// however many worktrees there are. A renamed file shows as deleted.
func (s *Store) CheckFile(ctx context.Context, repoID int64, file string, by Caller) (*FileCheck, error) {
	file, err := cleanPath(file)
	if err != nil {
		return nil, err
	}
	var a Around
	var held []Announcement
	var at []place
	bases := map[int64]scanned{}
	err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		return tx.Together(
			func() (err error) { a, err = s.Around(tx, repoID); return err },
			func() (err error) { held, err = announcements(tx, repoID, ""); return err },
			func() error { return lastBases(tx, repoID, bases) },
			func() (err error) { at, err = places(tx, repoID); return err },
		)
	})
	if err != nil {
		return nil, err
	}
	r := a.in.repo
	list, err := s.trees(ctx, a)
	if err != nil {
		return nil, err
	}
	check := &FileCheck{Repo: r.Name, File: display(file), Touched: []Toucher{}, Claims: []Announcement{}}
	if check.Uses, err = s.engine().knownUses(ctx, r, list, by.Worktree, file); err != nil {
		return nil, err
	}
	var own []Worktree
	list = slices.DeleteFunc(list, func(w Worktree) bool {
		is := w.Ref == by.Worktree || by.Worktree != "" && checkout.SameFolder(w.Path, by.Worktree)
		if is {
			own = append(own, w)
		}
		return is
	})
	if check.Touched, err = touchers(ctx, r, list, file, bases); err != nil {
		return nil, err
	}
	asks := by.agent(own, at)
	for _, c := range held {
		if !strings.EqualFold(c.Agent, asks) && c.covers(file) {
			check.Claims = append(check.Claims, c)
		}
	}
	check.Free = len(check.Touched)+len(check.Claims)+len(check.Uses) == 0
	return check, nil
}

// scanned is the merge base of a worktree as of its last scan. It is valid while the worktree's commit is the same.
type scanned struct{ head, base string }

func lastBases(tx *registry.Tx, repoID int64, bases map[int64]scanned) error {
	_, err := registry.Collect(tx, func(row registry.Scanner) (s scanned, err error) {
		var id int64
		err = row.Scan(&id, &s.head, &s.base)
		bases[id] = s
		return s, err
	}, `SELECT s.worktree_id, s.head_oid, s.base_oid FROM worktree_scans s JOIN worktrees w ON w.id = s.worktree_id WHERE w.repo_id = ?`, repoID)
	return err
}

// cleanPath turns a path into that of a file in a work tree.
func cleanPath(file string) (string, error) {
	clean := path.Clean(file)
	if file == "" || strings.ContainsRune(file, 0) || path.IsAbs(file) || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fault.Validation("file", "%q is not a file inside the repository", file).WithHint("give its path from the root of the work tree")
	}
	return clean, nil
}

// touchers looks at one file in every worktree.
func touchers(ctx context.Context, r Repo, list []Worktree, file string, bases map[int64]scanned) ([]Toucher, error) {
	found := []Toucher{}
	if len(list) == 0 {
		return found, nil
	}
	common, err := commonRepo(r.CommonDir)
	if err != nil {
		return nil, err
	}
	run := &run{repo: r, common: withClones(common, list), last: newCache()}
	if run.target, err = run.defaultTip(ctx); err != nil {
		return nil, err
	}
	looks := make([]*state, len(list)) // each without more of a snapshot than its commit
	err = run.each(ctx, len(list), func(ctx context.Context, i int) error {
		looks[i] = run.look(ctx, list[i], bases[list[i].ID])
		return nil
	})
	if err != nil {
		return nil, err
	}
	looks = slices.DeleteFunc(looks, func(s *state) bool { return s == nil })
	if run.findBases(ctx, looks) != nil {
		for _, s := range looks {
			if run.findBases(ctx, []*state{s}) != nil { // damaged: any difference from the default branch counts
				s.Base = run.target
			}
		}
	}
	before, err := run.blobs(ctx, looks, file)
	if err != nil {
		return nil, err
	}
	touched := make([]*Toucher, len(looks))
	err = run.each(ctx, len(looks), func(ctx context.Context, i int) (err error) {
		touched[i], err = looks[i].touch(ctx, file, before)
		return err
	})
	for _, t := range touched {
		if t != nil {
			found = append(found, *t)
		}
	}
	return found, err
}

// look opens a worktree in which one file is checked; it returns nil when the worktree does not exist any more.
func (r *run) look(ctx context.Context, w Worktree, last scanned) *state {
	if w.Commit != "" {
		return r.committedState(w)
	}
	tree, err := r.openTree(w)
	if err != nil {
		return nil
	}
	head, err := tree.Repo.Head(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil { // damaged: as the last scan saw it, if one did
		head.OID = cmp.Or(last.head, r.target)
	}
	s := &state{worktree: w, repo: tree.Repo}
	s.Snap = &scan.Snapshot{}
	if head.OID != "" {
		s.Snap.Commits = []string{head.OID}
	}
	switch head.OID {
	case "", r.target:
		s.Base = head.OID
	case last.head:
		s.Base = last.base
	}
	return s
}

// findBases finds the merge bases that are not known from a scan.
func (r *run) findBases(ctx context.Context, looks []*state) error {
	var commits []string
	for _, s := range looks {
		if s.Base == "" {
			commits = append(commits, s.Snap.Commits...)
		}
	}
	if len(commits) == 0 {
		return nil
	}
	var past *ancestry
	if r.target != "" {
		var err error
		if past, err = newAncestry(ctx, r.common, append(commits, r.target)); err != nil {
			return err
		}
	}
	for _, s := range looks {
		if s.Base != "" {
			continue
		}
		var err error
		if s.Base, err = past.base(s.Snap.Commits, r.target); err != nil {
			return err
		}
	}
	return nil
}

// blobs reads the file's blob in every base and head.
func (r *run) blobs(ctx context.Context, looks []*state, file string) (map[string]scan.Blob, error) {
	var commits []string
	for _, s := range looks {
		for _, c := range []string{s.Base, s.head()} {
			if c != "" {
				commits = including(commits, c)
			}
		}
	}
	return mergetree.BlobsAt(ctx, r.common, commits, file)
}

// touch returns how the worktree changes the file, or nil when it does not.
func (s *state) touch(ctx context.Context, file string, before map[string]scan.Blob) (*Toucher, error) {
	base, head := before[s.Base], before[s.head()]
	if s.worktree.Commit != "" {
		return s.toucher(base, head, head), nil
	}
	now, ignored, err := scan.FileNow(ctx, s.repo, scan.HashOf(s.head()), file, base)
	if _, known := errors.AsType[*fault.Fault](err); known && ctx.Err() == nil {
		return nil, nil // an unreadable file counts as untouched
	}
	if err != nil || ignored {
		return nil, err
	}
	return s.toucher(base, head, now), nil
}

// toucher reports a worktree whose version of the file differs from its base; it returns nil when the two are equal.
func (s *state) toucher(base, head, now scan.Blob) *Toucher {
	if now == base {
		return nil
	}
	e := entry{Base: base, Head: head, Now: now}
	w := s.worktree
	return &Toucher{ID: w.Ref, Branch: w.Branch, Agent: w.Agent, Maker: w.Maker, Main: w.Main, Change: e.change(), Committed: head == now}
}
