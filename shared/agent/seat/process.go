package seat

import (
	"os"
	"slices"
	"strings"
	"sync"
)

// Process is a process of this host. No other process that had its number has its mark.
type Process struct {
	PID  int64
	Mark string
}

// shells run the commands of hooks, and are not clients.
var shells = []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "nice", "timeout", "cmd.exe", "cmd", "powershell.exe", "pwsh"}

// Starter returns the process that started this one: the nearest ancestor that is not a shell. Its PID is 0 when it is not known.
var Starter = sync.OnceValue(func() Process {
	const deepest = 10
	pid := int64(os.Getppid())
	for range deepest {
		if pid <= 1 {
			break
		}
		name, parent, mark := look(pid)
		if mark == "" {
			break
		}
		if !slices.Contains(shells, strings.TrimPrefix(name, "-")) {
			return Process{pid, mark}
		}
		pid = parent
	}
	return Process{}
})

// alive reports whether the process still runs.
func (p Process) alive() bool {
	_, _, mark := look(p.PID)
	return mark != "" && mark == p.Mark
}
