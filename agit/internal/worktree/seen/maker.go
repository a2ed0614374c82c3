package seen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// Maker is the program that made a worktree.
type Maker string

// Git made a worktree that bears no client's mark: a person typed `git worktree add`.
const Git Maker = "git"

// The makers whose own clean-up takes worktrees, see sweep.go.
const (
	ClaudeCode Maker = "claude-code"
	Codex      Maker = "codex"
)

// maker describes how to recognise the worktrees of one program.
type maker struct {
	name    Maker
	marks   []string // files that it leaves in git's entry of the worktree
	lock    string   // a word of its reason for locking one, in lower case
	folders []string // folders that it puts them in, as parts of a path; * at the beginning stands for any characters
	inside  string   // a folder that it puts them in, directly inside the main checkout
	branch  []string // beginnings of the branches that it makes
}

// makers are tried in this order: marks of all, then reasons of locks, folders and branches. The order among them matters only where one's
// folder is another's name.
var makers = []maker{
	{name: ClaudeCode, marks: []string{"CLAUDE_BASE"}, lock: "claude", folders: []string{".claude/worktrees"}, branch: []string{"worktree-agent-", "claude/"}},
	{name: Codex, marks: []string{"codex-thread.json"}, lock: "codex", folders: []string{".codex/worktrees"}, branch: []string{"codex/"}},
	{name: "cursor", lock: "cursor", folders: []string{".cursor/worktrees"}, branch: []string{"cursor/"}},
	{name: "copilot", folders: []string{"copilot-worktrees"}, branch: []string{"copilot-worktree", "copilot/"}},
	{name: "conductor", folders: []string{"conductor/workspaces", ".conductor"}, branch: []string{"conductor/"}},
	{name: "grok", folders: []string{".grok/worktrees"}, branch: []string{"grok/"}},
	{name: "opencode", folders: []string{"opencode/worktree"}, branch: []string{"opencode/"}},
	{name: "vibe-kanban", folders: []string{"vibe-kanban/worktrees"}, branch: []string{"vk/"}},
	{name: "claude-squad", folders: []string{".claude-squad/worktrees"}},
	{name: "emdash", folders: []string{"emdash/worktrees"}, branch: []string{"emdash/"}},
	{name: "gastown", folders: []string{"polecats"}, branch: []string{"polecat/"}},
	{name: "crystal", inside: "worktrees"},
	{name: "jules", branch: []string{"jules/"}},
	{name: "devin", branch: []string{"devin/"}},
	{name: "vscode", folders: []string{"*.worktrees"}}, // REPO.worktrees beside the repository
}

// makerOf returns the maker of a worktree of the repository at main; entry is the worktree's entry in the git directory. A mark that a
// program left on purpose counts more than the place of the folder. The name of a branch counts least, because anyone may check it out.
func makerOf(w git.Worktree, entry, main string) Maker {
	reason, parents := strings.ToLower(w.LockReason), strings.Split(filepath.ToSlash(filepath.Dir(w.Path)), "/")
	for _, made := range []func(maker) bool{
		func(m maker) bool {
			return slices.ContainsFunc(m.marks, func(mark string) bool { _, err := os.Lstat(filepath.Join(entry, mark)); return err == nil })
		},
		func(m maker) bool { return m.lock != "" && strings.Contains(reason, m.lock) },
		func(m maker) bool {
			return slices.ContainsFunc(m.folders, func(folder string) bool { return lies(parents, strings.Split(folder, "/")) })
		},
		func(m maker) bool { return m.inside != "" && filepath.Dir(w.Path) == filepath.Join(main, m.inside) },
	} {
		if i := slices.IndexFunc(makers, made); i >= 0 {
			return makers[i].name
		}
	}
	return OfBranch(strings.TrimPrefix(w.Branch, "refs/heads/"))
}

// OfBranch returns the program that makes branches of such a name; Git when none does.
func OfBranch(branch string) Maker {
	for _, m := range makers {
		for _, prefix := range m.branch {
			if strings.HasPrefix(branch, prefix) {
				return m.name
			}
		}
	}
	return Git
}

// lies reports whether want are consecutive folders of a path. A name that begins with * stands for any longer name with that ending.
func lies(parents, want []string) bool {
	for i := 0; i+len(want) <= len(parents); i++ {
		all := true
		for j, name := range want {
			ending, any := strings.CutPrefix(name, "*")
			all = all && (parents[i+j] == name || any && len(parents[i+j]) > len(ending) && strings.HasSuffix(parents[i+j], ending))
		}
		if all {
			return true
		}
	}
	return false
}
