package outside

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/door"
)

// commands lists the allowed commands by program: the first words of the arguments. citecheck and classify are missing because their
// tools read any folder that they are given.
var commands = map[string][]string{
	"agit": {
		"serve", "hook", "check", "begin", "finish", "next", "status", "tasks", "progress", "conflicts", "diff", "log", "logs", "queue", "review", "claim-files",
		"agents list", "agents heartbeat", "bug", "epic list", "project list", "project status", "scenario", "graph query", "graph show", "graph path", "graph schema", "repos",
	},
	"memoryd": {
		"serve", "hook session-start", "hook session-end", "hook tool", "hook sheet", "hook post-commit", "recall", "prior-art", "session", "stats", "history", "agent list", "agent status", "agent bug", "agent log", "remember",
	},
	"pmsync":    {"serve", "ready", "status", "me", "ac status", "ac update", "ticket show", "ticket list", "sprint", "dep"},
	"citecheck": {"hook run"},
	"classify":  {"show", "search", "similar"},
}

// refused lists flags with effects elsewhere: another registry or configuration, commands of the caller, files, or the network.
var refused = []string{"db", "config", "log-level", "gate", "exec", "transport", "port", "dir", "root", "package", "force"}

// allowed reports whether a request may run.
func allowed(q door.Request) bool {
	fits := slices.ContainsFunc(commands[q.Program], func(c string) bool {
		words := strings.Fields(c)
		return len(q.Args) >= len(words) && slices.Equal(q.Args[:len(words)], words)
	})
	return fits && !slices.ContainsFunc(q.Args, func(arg string) bool {
		name, long := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		return long && slices.Contains(refused, name)
	})
}

// isHook reports whether the request comes from a hook of a client or of git.
func isHook(q door.Request) bool {
	return len(q.Args) > 0 && (q.Args[0] == "hook" || q.Args[0] == "worktree-hook") || slices.Contains(q.Args, "--hook")
}

// leading returns up to two arguments before the first flag.
func leading(args []string) (words []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") || len(words) == 2 {
			break
		}
		words = append(words, arg)
	}
	return words
}
