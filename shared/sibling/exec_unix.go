//go:build !windows

package sibling

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Exec replaces this process by the program, which inherits its streams and
// signals. It returns only when that fails.
func Exec(path string, args, env []string) error {
	argv := append([]string{path}, args...)
	return fmt.Errorf("start %q: %w", path, syscall.Exec(path, argv, env))
}

func runnable(info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }

// askToEnd lets the program close its files before it is killed.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
