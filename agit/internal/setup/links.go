package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
)

// follow returns the target of a path. Links may not lead out of the project or the home folder, unless their target was named.
func (s *Setup) follow(path string) (string, error) {
	at, rest := path, ""
	for {
		where, err := filepath.EvalSymlinks(at)
		if err == nil {
			where = filepath.Join(where, rest)
			if !s.mayWrite(where) {
				return "", fault.Conflict("file", path, "%q is a link that leads outside, to %q", path, where).WithHint("name that with --through to write there")
			}
			return where, nil
		}
		if info, lerr := os.Lstat(at); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", fault.Conflict("file", path, "%q is a link to a file that does not exist", at)
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			return "", fault.Operation(err, "look at %q", path)
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
}

func (s *Setup) mayWrite(place string) bool {
	inside := append([]string{s.Home, s.roots["claude"], s.roots["codex"], s.roots["xdg"], s.roots["config"], s.roots["gemini"]}, s.Options.Through...)
	if s.Options.Scope == Project {
		inside = append([]string{s.Dir}, s.Options.Through...)
		if rel, err := filepath.Rel(real(s.Dir), place); err != nil || !filepath.IsLocal(rel) { // a client that has only user files
			for _, r := range recipes() {
				if len(r.Servers.Project) == 0 && slices.Contains(s.Options.Clients, r.Name) && s.firstOf(r.Servers.User) == place {
					return true
				}
			}
		}
	}
	for _, folder := range inside {
		if folder == "" {
			continue
		}
		if rel, err := filepath.Rel(real(folder), place); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
