package obstacle

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// occupant is a process whose current folder is inside a worktree.
type occupant struct {
	PID  int
	Name string
}

// occupants lists the processes that are in a folder, without this one and,
// when ownToo is false, those that started it.
func occupants(dir string, ownToo bool) []occupant {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	own, _ := os.ReadFile("/proc/self/comm")
	excused := map[int]bool{os.Getpid(): true}
	if !ownToo {
		excused = ancestors()
	}
	var found []occupant
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || excused[pid] {
			continue
		}
		cwd, err := os.Readlink("/proc/" + entry.Name() + "/cwd")
		if err != nil || cwd != dir && !strings.HasPrefix(cwd, dir+"/") {
			continue
		}
		comm, _ := os.ReadFile("/proc/" + entry.Name() + "/comm")
		name := strings.TrimSpace(string(comm))
		// The process is gone, or is a git, or a child of ours that is about to become one. Another program's git shows as index.lock, or
		// with its editor or shell.
		if name == "" || name == "git" || name == strings.TrimSpace(string(own)) && parentOf(pid) == os.Getpid() {
			continue
		}
		found = append(found, occupant{pid, name})
	}
	return found
}

// ancestors are this process and those above it.
func ancestors() map[int]bool {
	line := map[int]bool{}
	for pid := os.Getpid(); pid > 1 && !line[pid]; pid = parentOf(pid) {
		line[pid] = true
	}
	return line
}

// parentOf returns 0 for a process that is gone.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}
