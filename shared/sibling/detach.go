package sibling

import (
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Detach starts a sibling that outlives this process: it has no terminal, and no one reads its output. It has to bound its own time.
// program is a bare name or a path; dir and env are as in Call.
func Detach(program string, args []string, dir string, env []string) error {
	path := program
	if filepath.Base(path) == path {
		found, err := Find(program)
		if err != nil {
			return err
		}
		path = found
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return fault.Operation(err, "start %s", strings.TrimSuffix(filepath.Base(path), ".exe"))
	}
	_ = cmd.Process.Release() // no one waits for it
	return nil
}
