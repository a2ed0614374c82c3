package session

import (
	"path/filepath"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Who is the owner of a session, and the place of its work.
type Who struct {
	// Agent is the agent's name or id; "" without one.
	Agent string
	// Made means that Agent was made up for a client that did not name one.
	Made bool
	// Folder is where the agent works; "" when that is not known.
	Folder string
	// Client is the client's own name for its session; "" when unknown.
	Client string
}

// lane returns the key within which one session at a time is open: the agent, else the folder.
func (w Who) lane(agent, root string) string {
	switch {
	case agent != "":
		return "agent:" + text.Key(agent)
	case root != "":
		return "folder:" + registry.Host() + ":" + root
	}
	return "no agent"
}

// tree is the working tree that contains a folder.
type tree struct {
	root string    // of the working tree, else the folder itself; "" for no folder
	repo *git.Repo // nil outside repositories
}

// treeAt finds the working tree of a folder without starting a process. A missing folder, or one without a repository, does not prevent a
// session.
func treeAt(folder string) tree {
	if folder == "" {
		return tree{}
	}
	repo, err := git.Find(folder)
	if err == nil && repo.WorkTree != "" {
		return tree{root: repo.WorkTree, repo: repo}
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return tree{root: folder}
}
