package mcpserver

import (
	"context"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// workFolder returns the folder in which a session works: the given path, else over stdio the server's own.
func (s *service) workFolder(c *mcpkit.Call, given string) string {
	stdio := c.Session().Transport() == mcpkit.Stdio
	switch {
	case filepath.IsAbs(given):
		return given
	case stdio && len(given) > 0 && given[0] == '.':
		return filepath.Join(s.Env.Dir, given)
	case stdio:
		return s.Env.Dir
	}
	return ""
}

// repository returns a folder of the place's project in which commits and files of a call are looked up: the given path, else over stdio
// the server's own folder if it belongs to the project, else a folder on this host that the project was last seen in. "" when none is
// known.
func (s *service) repository(ctx context.Context, c *mcpkit.Call, place project.Place, given string) (folder string) {
	work := s.workFolder(c, given)
	if place.At != nil {
		if work == "" { // over HTTP the path may be from an earlier call
			return place.At.Folder
		}
		return work
	}
	// After a read error no folder is used: commits and places are kept as given.
	folder, _ = registry.Read(ctx, s.stores.DB, func(tx *registry.Tx) (string, error) { return folderOf(tx, place, work) })
	return folder
}

// folderOf returns a folder of a place's project: work if it is one, else the first existing folder on this host that the project was seen
// in; "" when there is none.
func folderOf(tx *registry.Tx, place project.Place, work string) (string, error) {
	of, err := place.Find(tx)
	if err != nil {
		return "", err
	}
	if work != "" {
		if id, err := project.Identify(work); err == nil {
			if here, err := project.At(tx, id); err == nil && here.ID == of.ID {
				return work, nil
			}
		}
	}
	seen, err := project.Folders(tx, of.ID)
	for _, path := range seen {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path, nil
		}
	}
	return "", err
}
