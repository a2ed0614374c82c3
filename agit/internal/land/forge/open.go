package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Request describes a pull request to open, or to bring up to date with the branch.
type Request struct {
	Repo      string // name or id; may be empty
	Worktree  string // whatever names it
	Title     string // "" is the task's name, else the commit's subject
	Body      string // "" is made of the task, its criteria and the commits
	Base      string // branch that it is for; "" is the default branch
	Remote    string // git's name of where the branch is pushed; "" is the one that stands for the repository
	Draft     bool
	Rewritten bool // the branch was rewritten: replace it at the remote if that still is as it was last seen
	DryRun    bool // only return what would be pushed and opened
	// Tip is the commit of the branch to push; the branch's newest when empty.
	Tip string
}

// Opened is the result of Open.
type Opened struct {
	PullRequest
	Pushed  string `json:"pushed"` // the remote and its address
	Commits int    `json:"commits"`
	// Uncommitted is how many files are changed in the worktree but not committed, and so not in the pull request.
	Uncommitted int    `json:"uncommitted,omitempty"`
	New         bool   `json:"new"` // this call opened it
	Title       string `json:"title,omitempty"`
	Body        string `json:"body,omitempty"` // of a dry run and a new one
}

// limits of what is sent to a forge, in bytes; GitHub takes 256 and 65,536.
const (
	maxTitle   = 200
	maxBody    = 60_000
	maxCommits = 50
)

// Open pushes a worktree's branch and opens a pull request for it; an open pull request gets the new commits. It overwrites nothing at the
// remote unless Rewritten is set, and then only what was last seen there. Uncommitted changes are not included.
func (s *Store) Open(ctx context.Context, o Request) (out Opened, err error) {
	r, w, g, err := s.Trees.Open(ctx, o.Repo, o.Worktree)
	pushed := false
	defer func() {
		if !pushed {
			err = s.Trees.Undo(ctx, w, err)
		}
	}()
	if err == nil {
		w, err = s.Trees.Branched(ctx, g, r, w)
	}
	if err == nil {
		err = obstacle.Present(ctx, s.Trees, obstacle.Subject{Git: g, Repo: r, Worktree: w}, "pushed")
	}
	if err != nil {
		return out, err
	}
	base := cmp.Or(o.Base, s.Trees.Settings(r).DefaultBranch)
	to, err := remoteOf(g, o.Remote)
	if err != nil {
		return out, err
	}
	kind, err := kindOf(to.Host, s.Kind)
	if err != nil {
		return out, err
	}
	commits, err := commitsOf(ctx, g, to, w, base)
	if err != nil {
		return out, err
	}
	if len(commits) == 0 {
		return out, fault.Conflict("worktree", w.Ref, "branch %s has no commits that %s lacks", w.Branch, base).WithHint("commit the work in %q first", w.Path)
	}
	d := draft{Branch: w.Branch, Base: base, Draft: o.Draft}
	if d.Title, d.Body, err = s.words(ctx, w, o, to, commits); err != nil {
		return out, err
	}
	out = Opened{Pushed: to.Name + " (" + to.URL + ")", Commits: len(commits), Title: d.Title, Body: d.Body, PullRequest: PullRequest{
		Worktree: w.Ref, Name: filepath.Base(w.Path), Repo: r.Name, Branch: w.Branch, Agent: w.Agent, Forge: kind, Target: base, Draft: o.Draft, State: Open}}
	if out.Uncommitted, err = uncommitted(ctx, g, w); err != nil || o.DryRun {
		return out, err
	}
	p := s.programOf(kind, to, w.Path)
	found, err := p.find(ctx, w.Branch) // before anything is pushed: it fails without a login
	if err != nil {
		return out, err
	}
	s.Notice(fmt.Sprintf("pushing branch %s (%s) to %s", w.Branch, text.Count(len(commits), "commit", "commits"), out.Pushed))
	pushed = true
	if err := push(ctx, g, to, w.Branch, o.Tip, o.Rewritten); err != nil {
		return out, err
	}
	var said PullRequest
	if out.New = found == nil; out.New {
		said, err = p.create(ctx, d)
	} else {
		out.Title, out.Body = "", ""
		said, err = p.view(ctx, found.Number)
	}
	if err != nil {
		return out, err
	}
	said.Forge, said.Target = kind, cmp.Or(said.Target, base)
	if o.Tip != "" && said.Head != o.Tip { // the forge has not looked at the push yet: its checks and its merge are of an earlier commit
		said.Head, said.Checks, said.Mergeable = o.Tip, "", ""
	}
	out.PullRequest, err = s.keep(ctx, w, said, nil)
	return out, err
}

// commitsOf returns the subjects of the commits of a branch that its base lacks, the oldest first; the base is the remote's where it was seen.
func commitsOf(ctx context.Context, g *git.Repo, to remote, w worktree.Worktree, base string) (subjects []string, err error) {
	since, err := g.Resolve(ctx, "refs/remotes/"+to.Name+"/"+base)
	if err == nil && since == "" {
		since, err = g.Resolve(ctx, "refs/heads/"+base)
	}
	if err != nil {
		return nil, err
	}
	if since == "" {
		return nil, fault.NotFound("branch", base).WithHint("name the branch that the pull request is for with --base")
	}
	out, err := g.Run(ctx, "log", "--no-show-signature", "--reverse", "--max-count=1000", "--format=%H %s", "refs/heads/"+w.Branch, "--not", since, "--")
	if err != nil {
		return nil, git.Fault(err, "list the commits of %s", w.Branch)
	}
	for line := range strings.Lines(out) {
		_, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		subjects = append(subjects, subject)
	}
	return subjects, nil
}

// push sends a branch to the remote under its own name, and changes no other ref; tip is the commit to push, "" for the branch's newest.
func push(ctx context.Context, g *git.Repo, to remote, branch, tip string, rewritten bool) error {
	ref := "refs/heads/" + branch
	from := cmp.Or(tip, ref)
	args := []string{"push", "--porcelain"}
	if rewritten {
		seen, err := g.Resolve(ctx, "refs/remotes/"+to.Name+"/"+branch)
		if err != nil {
			return err
		}
		args = append(args, "--force-with-lease="+ref+":"+seen)
	}
	said, err := g.Output(ctx, git.Options{}, append(args, "--", to.Name, from+":"+ref)...)
	failed, is := errors.AsType[*git.Error](err)
	if !is {
		return err
	}
	for _, sign := range []string{"non-fast-forward", "fetch first", "stale info", "[rejected]"} {
		if strings.Contains(failed.Stderr+string(said), sign) {
			return fault.Conflict("branch", branch, "branch %s at %s has commits that are not here, or was rewritten here", branch, to.Name).
				WithHint("`git fetch %s` and compare the two; nothing was pushed", text.ShellWord(to.Name))
		}
	}
	return fault.Provider(failed, "push branch %s to %s", branch, to.Name).WithHint("check that `git push --dry-run %s` works there", text.ShellWord(to.Name))
}

// words returns the title and the text of a pull request. Both become public.
func (s *Store) words(ctx context.Context, w worktree.Worktree, o Request, to remote, commits []string) (title, body string, err error) {
	about, err := s.about(ctx, w)
	if err != nil {
		return "", "", err
	}
	title, body = text.Visible(redact.Clean(cmp.Or(o.Title, w.Task, commits[len(commits)-1])), maxTitle), o.Body
	if title == "" {
		return "", "", fault.Validation("title", "the title is empty").WithHint("give --title TEXT")
	}
	if body == "" {
		body = about.body(w, title, to, commits)
	}
	return title, text.Cut(redact.Clean(body), maxBody), nil
}

// subject is the description of a worktree's task in a pull request.
type subject struct {
	description string
	criteria    []task.Criterion
	issues      []string // the addresses of the GitHub issues that the task is for
}

func (s *Store) about(ctx context.Context, w worktree.Worktree) (t subject, err error) {
	if w.ItemID == 0 {
		return t, nil
	}
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		var origin registry.Null[int64]
		if err := tx.QueryRow(`SELECT description, origin_id FROM items WHERE id = ?`, w.ItemID).Scan(&t.description, &origin); err != nil {
			return err
		}
		if t.criteria, err = task.Criteria(tx, w.ItemID, origin.V); err != nil {
			return err
		}
		t.issues, err = registry.Collect(tx, registry.One[string], `SELECT url FROM ticket_details WHERE provider = 'github' AND url <> '' AND item_id IN (?, ?) ORDER BY item_id`, w.ItemID, origin.V)
		return err
	})
	return t, err
}

func (t subject) body(w worktree.Worktree, title string, to remote, commits []string) string {
	var b strings.Builder
	if d := strings.TrimSpace(t.description); d != "" && d != title {
		b.WriteString(d + "\n\n")
	}
	if len(t.criteria) > 0 {
		b.WriteString("Done means:\n\n")
		for _, c := range t.criteria {
			mark := " "
			if c.Status == "verified" {
				mark = "x"
			}
			fmt.Fprintf(&b, "- [%s] %s\n", mark, strings.Join(strings.Fields(c.Text), " "))
		}
		b.WriteByte('\n')
	}
	b.WriteString("Commits:\n\n")
	for i, c := range commits {
		if i == maxCommits {
			fmt.Fprintf(&b, "- and %d more\n", len(commits)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", c)
	}
	for _, address := range t.issues {
		if name := issueName(address, to.Into); name != "" {
			b.WriteString("\nCloses " + name + "\n") // which GitHub does when it merges
		}
	}
	var by []string
	if w.TaskID != "" {
		by = append(by, "task "+w.TaskID)
	}
	if w.Agent != "" {
		by = append(by, "agent "+w.Agent)
	}
	if len(by) > 0 {
		fmt.Fprintf(&b, "\n(%s)\n", strings.Join(by, ", "))
	}
	return b.String()
}

// issueName returns the name by which a pull request refers to a GitHub issue, from its address: #12 in the repository that the pull
// request is for (into), else owner/name#12. It returns "" for another address.
func issueName(address, into string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) != 4 || parts[2] != "issues" {
		return ""
	}
	if n, err := strconv.Atoi(parts[3]); err != nil || n <= 0 {
		return ""
	}
	repo := parts[0] + "/" + parts[1]
	if strings.EqualFold(u.Host+"/"+repo, into) {
		return "#" + parts[3]
	}
	return repo + "#" + parts[3]
}

// uncommitted counts the files of a worktree that are not part of its pull request.
func uncommitted(ctx context.Context, g *git.Repo, w worktree.Worktree) (int, error) {
	tree, err := checkout.Open(g, w.Path)
	if err != nil {
		return 0, err
	}
	entries, err := tree.Status(ctx)
	if err != nil {
		return 0, git.Fault(err, "look for changes in %q", w.Path)
	}
	return len(entries), nil
}
