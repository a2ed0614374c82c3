package verdict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
)

// Gate is a set of commands that judges a tree.
type Gate struct {
	Commands []string      // for the shell; each must succeed
	Limit    time.Duration // of each; 0 is none
	Env      []string      // their whole environment
	Wall     *wall.Wanted  // that they run behind; nil without a wall
}

// passing are variables that name the caller and its place, or that differ from login to login. The verdict on a tree does not depend on
// them. A name that ends with * is a beginning.
var passing = []string{"AGIT_*", "GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_SSH*", "XDG_SESSION_*", "XDG_RUNTIME_DIR", "XDG_SEAT*", "XDG_VTNR"}

// Key returns a hash of everything but the tree that the gate's verdict depends on: its commands, its environment, the machine, and what
// more names, such as files beside the tree. The hash reveals none of them.
func (g Gate) Key(more string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n%q\n%q\n", g.Commands, registry.Host(), more)
	if name := g.Wall.Name(); name != "" {
		fmt.Fprintf(sum, "wall %q\n", name)
	}
	env := slices.Clone(g.Env)
	slices.Sort(env)
	for _, setting := range env {
		name, _, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(passing, func(p string) bool { ok, err := path.Match(p, name); return err == nil && ok }) {
			fmt.Fprintf(sum, "%q\n", setting)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Job is one run of a gate.
type Job struct {
	Run     string    // name of the run that its processes belong to
	Dir     string    // the checkout
	Git     *git.Repo // its repository
	Repo    string    // the repository's UID
	What    string    // what is judged, for the log
	Log     *runlog.Log
	Gentle  bool                 // with low priority
	Running func(command string) // called with each command that begins; may be nil
	Between func() error         // called after each command that succeeded; may be nil
}

// Outcome is how a run of a gate ended.
type Outcome struct {
	Green   bool
	Command string // the command that failed
	Exit    int    // its exit status, -1 after a signal or when it took too long
	How     string // how it ended
	Lines   []string
}

// grace is how long a command that is being stopped has to end by itself.
const grace = 3 * time.Second

// Run runs the commands one after the other up to the first that fails. Each is a run of its own: no process that it started outlives it,
// its time limit or ctx. Run returns an error when the gate could not be run, or ctx ended.
func (g Gate) Run(ctx context.Context, j Job) (Outcome, error) {
	for _, command := range g.Commands {
		j.Log.Note("%s, on %s", command, j.What)
		if j.Running != nil {
			j.Running(command)
		}
		outcome, err := g.command(ctx, j, command)
		switch {
		case err != nil:
			return Outcome{}, err
		case ctx.Err() != nil:
			j.Log.Note("cancelled")
			return Outcome{}, ctx.Err()
		case outcome.Ending != worker.Exited || outcome.Status != 0:
			j.Log.Note("red: %s", outcome.String())
			return Outcome{Command: command, Exit: outcome.Status, How: outcome.String(), Lines: outcome.Last}, nil
		}
		if j.Between != nil {
			if err := j.Between(); err != nil {
				return Outcome{}, err
			}
		}
	}
	j.Log.Note("green")
	return Outcome{Green: true}, nil
}

// command runs one of the commands, behind the wall if there is one, because it runs what agents wrote.
func (g Gate) command(ctx context.Context, j Job, command string) (worker.Outcome, error) {
	w, err := g.Wall.Get(ctx)
	if err != nil {
		return worker.Outcome{}, err
	}
	room := wall.Room{Run: j.Run, Dir: j.Dir, Env: g.Env, Cache: w.Cache(j.Repo + "-gates")}
	if j.Git != nil {
		room.Git = wall.ReadOnly(j.Git, j.Dir)
	}
	in, err := w.Put(room, sibling.ShellCommand(command))
	if err != nil {
		return worker.Outcome{}, err
	}
	defer in.Close()
	return worker.Job{
		ID: j.Run, Dir: j.Dir, Command: in.Command, Limit: g.Limit, Grace: grace, Log: j.Log, Env: in.Env, Gentle: j.Gentle, Files: in.Files, Maker: in.Maker,
	}.Run(ctx)
}
