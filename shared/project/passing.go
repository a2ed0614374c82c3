package project

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/shared/git"
)

// Passing reports whether a folder is a place where unrelated work happens rather than a project: the home folder, a folder for temporary
// files, or the root of a disk, outside of every repository. Sessions may be held there, but their project is not worth finding out.
func Passing(folder string) bool {
	real, err := realPath(folder)
	if err != nil {
		return false
	}
	places := []string{os.TempDir(), filepath.VolumeName(real) + string(filepath.Separator), "/tmp", "/var/tmp"}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, home)
	}
	passing := slices.ContainsFunc(places, func(place string) bool {
		there, err := realPath(place)
		return err == nil && there == real
	})
	if !passing {
		return false
	}
	_, err = git.Find(real)
	return err != nil
}
