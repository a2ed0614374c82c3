package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/text"
)

// registryFiles are what must be written for the registry to take anything.
func registryFiles(path string) []string {
	return []string{filepath.Dir(path), path, path + "-wal", path + "-shm"}
}

// repoFolders are the folders that git and agit write for a commit, a branch or a worktree.
func repoFolders(r repo.Repo) []string {
	folders := []string{r.CommonDir, filepath.Join(r.CommonDir, "refs"), filepath.Join(r.CommonDir, "refs", "heads"), r.Path, filepath.Join(r.CommonDir, "objects")}
	fanned, _ := os.ReadDir(filepath.Join(r.CommonDir, "objects")) // `sudo git` leaves some that are root's
	for _, entry := range fanned {
		if entry.IsDir() {
			folders = append(folders, filepath.Join(r.CommonDir, "objects", entry.Name()))
		}
	}
	return folders
}

// unwritable names the first of the paths that exists and cannot be written, why, and what to do; "" when all can.
func unwritable(paths []string, elsewhere string, writable func(string) error) (problem, fix string) {
	for _, path := range paths {
		err := writable(path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if errors.Is(err, syscall.EROFS) {
			return fmt.Sprintf("%q cannot be written: its file system is read-only", path), "mount it for writing" + elsewhere
		}
		return fmt.Sprintf("%q cannot be written: permission denied", path),
			fmt.Sprintf("`ls -ld %s` shows whose it is; `chmod u+w` lets you write what is yours", text.ShellWord(path)) + elsewhere
	}
	return "", ""
}

// orElsewhere is what else helps where the registry cannot be written.
const orElsewhere = "; or set AGIT_HOME to a folder of your own"

// Shut is the report on a registry that could not be opened because it cannot be written; false when that is not why.
func Shut(path string) (Report, bool) {
	c := canWrite(Check{Name: "registry", Category: "registry", Status: OK}, registryFiles(path), orElsewhere)
	return Report{Checks: []Check{c}}, c.Status == Error
}

// canWrite turns a passed check into an error when one of the paths cannot be written.
func canWrite(c Check, paths []string, elsewhere string) Check {
	if problem, fix := unwritable(paths, elsewhere, durable.Writable); problem != "" && c.Status == OK {
		c.Status, c.Message, c.Fix = Error, problem, fix
	}
	return c
}
