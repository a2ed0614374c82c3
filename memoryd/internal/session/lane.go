package session

import (
	"path/filepath"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Who says whose session it is and where its work is done.
type Who struct {
	// Agent is the agent's name or id; "" when no one is named.
	Agent string
	// Made says that Agent was made up for a client that did not say who it is.
	Made bool
	// Folder is where the agent works; "" when that is not known.
	Folder string
	// Client is what the agent's client calls its own session; "" when unknown.
	Client string
}

// lane is what one session at a time is active in: the agent, else the folder.
func (w Who) lane(agent, root string) string {
	switch {
	case agent != "":
		return "agent:" + text.Key(agent)
	case root != "":
		return "folder:" + registry.Host() + ":" + root
	}
	return "no agent"
}

// tree is the working tree that a folder lies in.
type tree struct {
	root string    // of the working tree, else the folder itself; "" for no folder
	repo *git.Repo // nil outside repositories
}

// treeAt looks at a folder without starting a process. One that is gone, or no
// repository, is not a reason to refuse a session.
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
