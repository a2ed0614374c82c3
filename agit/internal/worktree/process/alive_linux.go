package process

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// ChildGrace is how long the git of a killed agit may go on: not at all, since the kernel ends it with its parent (see shared/git).
const ChildGrace time.Duration = 0

var own = sync.OnceValue(func() string { return MarkOf(int64(os.Getpid())) })

// MarkOf returns the mark of a process: the boot of the machine, and the start
// time in ticks since; "" when it is gone.
func MarkOf(pid int64) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	// The second field is the command in parentheses and may hold anything.
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[19] // starttime, proc_pid_stat(5)
}

func alive(pid int64, mark string) bool { return mark != "" && MarkOf(pid) == mark }
