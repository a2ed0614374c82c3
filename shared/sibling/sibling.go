// Package sibling finds and runs the other programs of the suite: `agit serve`
// starts agit-mcp, `memoryd` asks `pmsync pull` for fresh tickets.
//
// A sibling is looked for beside the running program first, so that one
// installed version is not mixed with another, then on PATH. It is started with
// an argument list, never through a shell, and what goes wrong in it comes back
// as the *fault.Fault it reported. The package is safe for concurrent use.
package sibling

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Find returns the path of a program of the suite by its bare name. A missing one
// is a NotFoundError.
func Find(name string) (string, error) {
	own, err := os.Executable()
	if err != nil {
		own = ""
	}
	return find(name, own)
}

func find(name, own string) (string, error) {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return "", fault.Operation(nil, "%q is not the name of a program", name)
	}
	for _, folder := range folders(own) {
		candidate := filepath.Join(folder, executable(name))
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() && runnable(info) {
			return candidate, nil
		}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	beside := "PATH"
	if own != "" {
		beside = fmt.Sprintf("%s or on PATH", filepath.Dir(own))
	}
	f := fault.NotFound("program", name)
	f.Message = fmt.Sprintf("the program %s, which does this, is not in %s", name, beside)
	if !errors.Is(err, exec.ErrNotFound) {
		f.Err = err
	}
	return "", f.WithHint("install the whole suite, so that its programs are in one folder")
}

// OnPath returns the file that a shell, a git hook or an agent client starts for a program's name, with links followed; "" when PATH does
// not have the program.
func OnPath(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// folders are where a sibling may be: beside the running program as it was started, and beside its real file when it was started through a
// symbolic link.
func folders(own string) []string {
	if own == "" {
		return nil
	}
	out := []string{filepath.Dir(own)}
	if real, err := filepath.EvalSymlinks(own); err == nil && filepath.Dir(real) != out[0] {
		out = append(out, filepath.Dir(real))
	}
	return out
}

func executable(name string) string {
	if runtime.GOOS == "windows" && !strings.EqualFold(filepath.Ext(name), ".exe") {
		return name + ".exe"
	}
	return name
}
