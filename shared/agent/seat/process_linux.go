package seat

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// look returns the name, the parent and the mark of a process; the mark is "" when it is gone. The mark is the boot of the machine, and the
// time of the process's start in ticks since (proc_pid_stat(5)).
func look(pid int64) (name string, parent int64, mark string) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0, ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", 0, ""
	}
	name, parent, started := readStat(string(stat))
	if started == "" {
		return "", 0, ""
	}
	return name, parent, strings.TrimSpace(string(boot)) + "/" + started
}

// readStat reads the name, the parent and the start of a process from its stat. The start is "" for a process that has ended and waits for
// its parent, and for a stat that cannot be read.
func readStat(stat string) (name string, parent int64, started string) {
	open, shut := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')') // the name may hold anything
	if open < 0 || shut < open {
		return "", 0, ""
	}
	const ofStart = 19 // the field, counted from the state
	fields := strings.Fields(stat[shut+1:])
	if len(fields) <= ofStart || fields[0] == "Z" {
		return "", 0, ""
	}
	parent, _ = strconv.ParseInt(fields[1], 10, 64)
	return stat[open+1 : shut], parent, fields[ofStart]
}
