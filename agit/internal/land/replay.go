package land

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// commitText is the content of a commit object.
type commitText struct {
	OID      string
	Parents  []string
	Tree     string
	Author   string // "Name <mail>"
	Date     string // the author's, as git stores it: "1700000000 +0100"
	Encoding string
	Message  string // as it is stored
}

// line is the first line of its message.
func (c commitText) line() string { return text.FirstLine(c.Message, 200) }

// newCommits returns the commits that the branch to land has and the target lacks, the oldest first.
func (m *merging) newCommits(ctx context.Context) ([]commitText, error) {
	out, err := m.g.Output(ctx, git.Options{}, "rev-list", "--reverse", "--topo-order", "--end-of-options", m.tip, "^"+m.j.Old)
	if err != nil {
		return nil, git.Fault(err, "list the commits of %q", m.w.Branch)
	}
	if len(out) == 0 {
		return nil, nil
	}
	raw, err := m.g.Output(ctx, git.Options{Stdin: bytes.NewReader(out)}, "cat-file", "--batch")
	if err != nil {
		return nil, git.Fault(err, "read the commits of %q", m.w.Branch)
	}
	commits, err := parseCommits(raw)
	if err != nil {
		return nil, fault.Operation(err, "read the commits of %q", m.w.Branch)
	}
	return commits, nil
}

// parseCommits reads the commits that `git cat-file --batch` prints.
func parseCommits(out []byte) (commits []commitText, err error) {
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		var c commitText
		var kind string
		var size int
		if _, err := fmt.Sscan(string(head), &c.OID, &kind, &size); err != nil || kind != "commit" || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("%q is not a commit of cat-file", head)
		}
		c.read(string(rest[:size]))
		commits = append(commits, c)
		out = rest[size+1:]
	}
	return commits, nil
}

func (c *commitText) read(content string) {
	header, message, _ := strings.Cut(content, "\n\n")
	c.Message = message
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch name {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "encoding":
			c.Encoding = value
		case "author":
			if end := strings.LastIndexByte(value, '>'); end > 0 {
				c.Author, c.Date = value[:end+1], strings.TrimSpace(value[end+1:])
			}
		}
	}
}

// as returns the options by which commit-tree writes a commit with this one's author, date and encoding.
func (c commitText) as() git.Options {
	name, mail, _ := strings.Cut(strings.TrimSuffix(c.Author, ">"), "<")
	o := git.Options{Env: []string{"GIT_AUTHOR_NAME=" + strings.TrimSpace(name), "GIT_AUTHOR_EMAIL=" + mail, "GIT_AUTHOR_DATE=@" + c.Date}}
	if c.Encoding != "" {
		o.Config = []string{"i18n.commitEncoding=" + c.Encoding}
	}
	return o
}

// squash writes one commit of all. Its author is that of the first commit; the other authors become co-authors, with those that the commits
// name themselves.
func (m *merging) squash(ctx context.Context, tree string) (string, error) {
	commits, err := m.newCommits(ctx)
	if err != nil {
		return "", err
	}
	commits = slices.DeleteFunc(commits, func(c commitText) bool { return len(c.Parents) > 1 })
	var o git.Options
	if len(commits) > 0 {
		o = commits[0].as()
		o.Config = nil
		o.Env = o.Env[:2] // the squash is made now
	}
	return m.commitTree(ctx, o, tree, m.squashMessage(commits), m.j.Old)
}

// squashMessage returns the message given, else that of the only commit, else one of the task's name and the commits' messages.
func (m *merging) squashMessage(commits []commitText) string {
	message := strings.TrimSpace(m.o.Message)
	switch {
	case message != "":
	case len(commits) == 1:
		message = strings.TrimSpace(commits[0].Message)
	default:
		if message = text.FirstLine(strings.TrimSpace(m.w.Task), 100); message == "" {
			message = fmt.Sprintf("Squash branch '%s'", m.w.Branch)
		}
		if len(commits) > 0 {
			message += "\n\n" + strings.Join(text.Each(commits, func(c commitText) string { return "* " + c.line() }), "\n")
		}
	}
	if trailers := coAuthors(message, commits); trailers != "" {
		if !endsInTrailers(message) {
			message += "\n"
		}
		message += "\n" + trailers
	}
	return strings.ToValidUTF8(message, "?") + "\n"
}

const coAuthored = "Co-authored-by:"

// coAuthors returns trailers for the others who worked on the commits, unless the message has them.
func coAuthors(message string, commits []commitText) string {
	seen := map[string]bool{}
	if len(commits) > 0 {
		seen[mailOf(commits[0].Author)] = true
	}
	for line := range strings.Lines(message) {
		if who, ok := cutPrefixFold(strings.TrimSpace(line), coAuthored); ok {
			seen[mailOf(who)] = true
		}
	}
	var trailers []string
	add := func(who string) {
		if mail := mailOf(who); mail != "" && !seen[mail] {
			seen[mail] = true
			trailers = append(trailers, coAuthored+" "+strings.TrimSpace(who))
		}
	}
	for _, c := range commits {
		add(c.Author)
		for line := range strings.Lines(c.Message) {
			if who, ok := cutPrefixFold(strings.TrimSpace(line), coAuthored); ok {
				add(who)
			}
		}
	}
	return strings.Join(trailers, "\n")
}

func mailOf(who string) string {
	_, mail, _ := strings.Cut(who, "<")
	mail, _, _ = strings.Cut(mail, ">")
	return strings.ToLower(strings.TrimSpace(mail))
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// endsInTrailers reports whether the last of several paragraphs of a message has co-authors already.
func endsInTrailers(message string) bool {
	at := strings.LastIndex(message, "\n\n")
	if at < 0 {
		return false
	}
	_, ok := cutPrefixFold(message[at+2:], coAuthored)
	return ok || strings.Contains(strings.ToLower(message[at:]), "\n"+strings.ToLower(coAuthored))
}

// rebase makes each commit again on top of the branch, with its author, date and message. It leaves out commits that add nothing there, and
// returns "" when all do. It leaves out merges among the commits too, as git does, unless work would be lost with them.
func (m *merging) rebase(ctx context.Context) (top, tree string, err error) {
	commits, err := m.newCommits(ctx)
	if err != nil {
		return "", "", err
	}
	top = m.j.Old
	if tree, err = checkout.TreeOf(ctx, m.g, top); err != nil {
		return "", "", err
	}
	merges := false
	for _, c := range commits {
		switch {
		case len(c.Parents) > 1:
			merges = true
		case len(c.Parents) == 0:
			return "", "", m.refusal("commit %.12s begins a history of its own, which cannot be rebased", c.OID).
				WithHint("try again without --rebase")
		default:
			if top, tree, err = m.replay(ctx, c, top, tree); err != nil {
				return "", "", err
			}
		}
	}
	if merges {
		if err := m.provesWhole(ctx, tree); err != nil {
			return "", "", err
		}
	}
	if top == m.j.Old {
		return "", "", nil
	}
	return top, tree, nil
}

// replay makes one commit again on top of another.
func (m *merging) replay(ctx context.Context, c commitText, top, tree string) (newTop, newTree string, err error) {
	if c.Parents[0] == top {
		return c.OID, c.Tree, nil // the target has it already
	}
	// A commit with the new content and the old parent makes the parent the merge base.
	ours, err := m.g.Output(ctx, git.Options{Env: append(checkout.Committer(), m.objects.Env...)}, "commit-tree", tree, "-p", c.Parents[0], "-m", "the branch so far")
	if err != nil {
		return "", "", git.Fault(err, "rebase commit %s", c.OID)
	}
	merged, files, err := m.mergeOf(ctx, strings.TrimSpace(string(ours)), c.OID)
	if err != nil {
		return "", "", err
	}
	if len(files) > 0 {
		m.at = fmt.Sprintf("commit %.12s (%s)", c.OID, c.line())
		return "", "", m.conflict(ctx, files)
	}
	if merged == tree {
		return top, tree, nil // the target has it already
	}
	made, err := m.commitTree(ctx, c.as(), merged, c.Message, top)
	return made, merged, err
}

// provesWhole proves that the commits without the merges among them have the same result as a merge.
func (m *merging) provesWhole(ctx context.Context, tree string) error {
	whole, files, err := m.mergeOf(ctx, m.j.Old, m.tip)
	if err == nil && (len(files) > 0 || whole != tree) {
		err = m.refusal("branch %s has merges, and what was resolved in them would be lost by a rebase", m.w.Branch).
			WithHint("try again without --rebase")
	}
	return err
}
