package unattended

import (
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// putInside puts the client's command behind the wall, where there is one. file is that of the brief.
func (t *on) putInside(main *git.Repo, run string, line worker.Line, file string, env []string) (in wall.Inside, err error) {
	w := t.crew.o.Wall
	room := wall.Room{Run: run, Dir: t.w.Path, Client: t.client.Name, Env: env, Cache: w.Cache(t.crew.o.Repo.UID + "-agents")}
	if w == nil {
		return w.Put(room, line.Command)
	}
	tree, err := checkout.Open(main, t.w.Path)
	if err != nil {
		return in, err
	}
	if room.Git, err = wall.GitOf(tree, t.w.Branch); err != nil {
		return in, err
	}
	if line.File {
		room.Show = append(room.Show, file)
	}
	return w.Put(room, line.Command)
}
