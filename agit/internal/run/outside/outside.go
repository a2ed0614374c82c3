// Package outside runs the suite's programs outside of the sandbox for an agent inside it. Programs in the sandbox have no registry;
// they pass their command to a socket (shared/door) and it runs here, in the agent's name. So the sandbox does not expose the registry,
// and the agent's hooks, MCP servers and commands work as usual.
//
// A list has the allowed commands. An agent can request any program with any arguments, so everything else
// is refused: above all commands that run the caller's commands, read files by a path, or change configuration.
package outside

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/door"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// Agent is the agent that sends requests.
type Agent struct {
	Dir   string   // the worktree
	Env   []string // the environment of the programs that run for it
	Flags []string // the global flags of the worker, such as --db
}

// Open opens a door for an agent. The caller must close it.
func Open(a Agent) (*door.Keeper, error) {
	k := &door.Keeper{Run: a.run}
	if err := k.Open(); err != nil {
		return nil, fault.Operation(err, "make the socket by which programs in the sandbox reach the registry")
	}
	return k, nil
}

// run runs one program and returns its exit status. A refusal is reported on errs, except for a hook: a client would show it as an
// error of its own.
func (a Agent) run(ctx context.Context, q door.Request, in io.Reader, out, errs io.Writer) int {
	refuse := func(f *fault.Fault) int {
		if len(q.Args) > 0 && (q.Args[0] == "hook" || q.Args[0] == "worktree-hook") || slices.Contains(q.Args, "--hook") {
			return fault.ExitOK
		}
		fmt.Fprintf(errs, "%s: %s\n", q.Program, f.Message)
		return f.Kind.ExitCode()
	}
	if !allowed(q) {
		return refuse(fault.Conflict("command", q.Program, "`%s` does not run from inside the sandbox", strings.Join(append([]string{q.Program}, leading(q.Args)...), " ")))
	}
	path, err := sibling.Find(q.Program)
	if err != nil {
		return refuse(fault.From(err))
	}
	args := append(append([]string{}, a.Flags...), q.Args...)
	status, err := sibling.Stream{Program: path, Args: args, Dir: a.folder(q.Dir), Env: a.Env, In: in, Out: out, Err: errs}.Run(ctx)
	if err != nil {
		return refuse(fault.From(err))
	}
	return status
}

// folder returns the folder in which a program was started if it lies in the worktree; otherwise the worktree.
func (a Agent) folder(dir string) string {
	root, err := filepath.EvalSymlinks(a.Dir)
	if err != nil {
		return a.Dir
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || real != root && !strings.HasPrefix(real, root+string(filepath.Separator)) {
		return root
	}
	return real
}

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
