package worktree

import "os"

// processAlive: on Windows finding a process opens it, which fails once it ended.
func processAlive(pid int64, _ string) bool {
	process, err := os.FindProcess(int(pid))
	if err != nil {
		return false
	}
	process.Release()
	return true
}
