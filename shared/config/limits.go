package config

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
)

// Bounds of the registry's size limit.
const (
	MinDatabaseSize Size = 1 << 20
	MaxDatabaseSize Size = 2 << 30
)

// ranges are the bounds of numbers that have an upper one.
var ranges = map[string]struct{ low, high int64 }{
	"server.port": {0, 65535}, "worktree.port_base": {1024, 65535}, "worktree.port_count": {1, 1000},
	"work.attempts": {1, 100}, "conflicts.workers": {0, 256}, "memory.decay_threshold": {1, 1_000_000},
}

// limit checks a typed value against the sensible range of its key. The error is a phrase that continues the name of the key.
func limit(name string, v any) error {
	switch name {
	case "max_database_size":
		if size := v.(Size); size < MinDatabaseSize || size > MaxDatabaseSize {
			return fmt.Errorf("is %s and must be between 1MB and 2GB", size)
		}
	case "agent.stale_after", "files.claim_ttl", "hooks.timeout", "remote_timeout":
		if v.(time.Duration) <= 0 {
			return fmt.Errorf("must be longer than 0")
		}
	case "forge.interval":
		if v.(time.Duration) < 10*time.Second {
			return fmt.Errorf("is %s and must be at least 10s", v)
		}
	case "server.flush_after":
		if d := v.(time.Duration); d < 0 || d > 5*time.Second {
			return fmt.Errorf("is %s and must be between 0s and 5s", d)
		}
	case "worktree.dir":
		if v.(string) == "" {
			return fmt.Errorf("must name a folder")
		}
	case "remote":
		return remoteName(v.(string))
	case "worktree.branch_prefix":
		return branchPrefix(v.(string))
	}
	n, isNumber := v.(int64)
	r, limited := ranges[name]
	switch {
	case limited && (n < r.low || n > r.high):
		return fmt.Errorf("is %d and must be between %d and %d", n, r.low, r.high)
	case isNumber && n < 0:
		return fmt.Errorf("is %d and must not be negative", n)
	}
	return nil
}

// useless returns why an element of a list never has an effect, as a phrase that continues the element; "" when it may have one.
func useless(name, element string) string {
	switch name {
	case "aliases":
		if alias, command, ok := strings.Cut(element, "="); !ok || len(strings.Fields(alias)) != 1 || strings.TrimSpace(command) == "" {
			return "is not NAME=COMMAND"
		}
	case "conflicts.parties":
		if _, err := path.Match(element, ""); err != nil {
			return "is not a pattern of branches"
		}
	case "gate", "hooks.pre_merge", "hooks.post_spawn":
		if strings.TrimSpace(element) == "" {
			return "is not a command"
		}
	}
	return ""
}

// remoteName refuses texts that cannot be git's name of a remote, above all addresses.
func remoteName(name string) error {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || strings.Contains(name, "..") || strings.Contains(name, "//") ||
		strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\@{`, r) }) {
		return fmt.Errorf("is %q, which is not git's name of a remote; `git remote` lists them", name)
	}
	return nil
}

// branchPrefix refuses a text that git would refuse as the start of a branch name.
func branchPrefix(p string) error {
	if !git.ValidBranch(p+"x") || strings.HasPrefix(p, "refs/") {
		return fmt.Errorf("is %q, which cannot begin the name of a branch", p)
	}
	return nil
}

// insideProject reports whether a project may choose this folder for its worktrees: a clone must not make spawn write outside of the
// project, nor into git's own folder.
func insideProject(dir string) bool {
	clean := filepath.ToSlash(filepath.Clean(dir))
	first, _, _ := strings.Cut(clean, "/")
	return filepath.IsLocal(dir) && clean != "." && !strings.EqualFold(first, ".git") && dir[0] != '~'
}
