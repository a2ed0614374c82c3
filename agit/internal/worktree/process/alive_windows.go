package process

import "os"

// alive: on Windows finding a process opens it, which fails once it ended.
func alive(pid int64, _ string) bool {
	process, err := os.FindProcess(int(pid))
	if err != nil {
		return false
	}
	process.Release()
	return true
}
