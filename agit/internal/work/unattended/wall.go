package unattended

import (
	"encoding/json"

	"github.com/agit-suite/agit/agit/internal/run/outside"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// putInside puts the client's command behind the wall, if there is one, with a door to the registry. file is the brief's. The caller calls
// done when the client has ended.
func (t *on) putInside(main *git.Repo, run string, line worker.Line, file string, env []string) (in wall.Inside, done func(), err error) {
	w := t.crew.o.Wall
	room := wall.Room{Run: run, Dir: t.w.Path, Client: t.client.Name, Env: env, Cache: w.Cache(t.crew.o.Repo.UID + "-agents")}
	if w == nil {
		in, err = w.Put(room, line.Command)
		return in, in.Close, err
	}
	tree, err := checkout.Open(main, t.w.Path)
	if err != nil {
		return in, nil, err
	}
	if room.Git, err = wall.GitOf(tree, t.w.Branch); err != nil {
		return in, nil, err
	}
	if line.File {
		room.Show = append(room.Show, file)
	}
	for _, s := range suiteServers(nil) {
		room.Show = append(room.Show, s.Command)
	}
	k, err := outside.Open(outside.Agent{Dir: t.w.Path, Env: t.outsideEnv(run), Flags: t.Assign.Flags})
	if err != nil {
		return in, nil, err
	}
	room.Door = k.Folder()
	if in, err = w.Put(room, line.Command); err != nil {
		_ = k.Close()
		return in, nil, err
	}
	return in, func() { in.Close(); _ = k.Close() }, nil
}

// outsideEnv returns the environment of what runs outside the wall for the agent: it belongs to the run, so that it can do no more than an
// agent may, and gates that it asks for are behind the same wall.
func (t *on) outsideEnv(run string) []string {
	env := append(t.w.Environment(), worker.RunVariable+"="+run)
	words, err := json.Marshal(t.crew.o.Wall.Setting())
	if err == nil {
		env = append(env, "AGIT_CFG_WORK_SANDBOX="+string(words))
	}
	return env
}
