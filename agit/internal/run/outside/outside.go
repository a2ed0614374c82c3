// Package outside runs the suite's programs for an agent behind a wall. There they have no registry; they hand themselves over at a door
// (shared/door), and run here, outside, in the name of the agent. So the wall needs no hole for the registry, and the agent's hooks, its MCP servers
// and the commands of its brief work as without one.
//
// outside.go runs them, allowed.go says which. An agent can ask for any program with any arguments, so that what is not named there does not run:
// nothing that starts commands of the caller's, reads files by a path, or changes configuration.
package outside

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/door"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// Agent is who asks.
type Agent struct {
	Dir   string   // the worktree
	Env   []string // the environment of what runs for it
	Flags []string // the global flags of the worker, such as --db
}

// Open opens a door for an agent. The caller closes it.
func Open(a Agent) (*door.Keeper, error) {
	k := &door.Keeper{Run: a.run}
	if err := k.Open(); err != nil {
		return nil, fault.Operation(err, "make the socket that programs behind the sandbox reach the registry by")
	}
	return k, nil
}

// run runs one program. It returns its exit status; what is refused is told on errs, but hooks are silent: a client takes their errors for its own.
func (a Agent) run(ctx context.Context, q door.Request, in io.Reader, out, errs io.Writer) int {
	refuse := func(f *fault.Fault) int {
		if isHook(q) {
			return fault.ExitOK
		}
		fmt.Fprintf(errs, "%s: %s\n", q.Program, f.Message)
		return f.Kind.ExitCode()
	}
	if !allowed(q) {
		return refuse(fault.Conflict("command", q.Program, "`%s` does not run from behind the sandbox", strings.Join(append([]string{q.Program}, leading(q.Args)...), " ")))
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

// folder is where a program was started, when that lies in the worktree; else the worktree.
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
