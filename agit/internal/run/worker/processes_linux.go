package worker

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
)

// attributes start a program in a new session: Ctrl-C in our terminal does not reach it, and it has no terminal to wait for an answer.
// The kernel asks it to end when agit is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}

// begin starts the program and records it, so that it is not reaped as an orphan.
func begin(cmd *exec.Cmd) error {
	live.Lock()
	defer live.Unlock()
	err := cmd.Start()
	if err == nil {
		own, _ := readStat(cmd.Process.Pid)
		live.pids[cmd.Process.Pid] = own.start
	}
	return err
}

// adopt makes orphans of our descendants our children instead of init's, so that their descent stays visible.
var adopt = sync.OnceFunc(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

// stat holds the used fields of /proc/PID/stat.
type stat struct {
	pid, parent, session int
	start                uint64 // in clock ticks since the machine started
	zombie               bool
	name                 string
}

func readStat(pid int) (s stat, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, false
	}
	open, shut := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || shut < open {
		return s, false
	}
	fields := strings.Fields(string(text[shut+1:])) // state, ppid, pgrp, session: proc_pid_stat(5)
	if len(fields) < 20 {
		return s, false
	}
	s = stat{pid: pid, zombie: fields[0] == "Z" || fields[0] == "X", name: string(text[open+1 : shut])}
	s.parent, _ = strconv.Atoi(fields[1])
	s.session, _ = strconv.Atoi(fields[3])
	s.start, _ = strconv.ParseUint(fields[19], 10, 64)
	return s, true
}

func processes() map[int]stat {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := make(map[int]stat, len(entries))
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if s, ok := readStat(pid); ok {
				all[pid] = s
			}
		}
	}
	return all
}

// search returns the leader, its session, processes with the run's id in their environment, earlier finds, all their descendants, and
// adopted orphans that began while only this run was active.
func (k *kin) search() (list []found) {
	all := processes()
	self := os.Getpid()
	own := all[self].session
	setting := []byte("\x00" + RunVariable + "=" + k.run + "\x00")
	of := map[int]bool{}
	for pid, s := range all {
		switch {
		case pid == self || s.zombie:
		case k.leader != 0 && (pid == k.leader || s.session == k.leader), hasSetting(pid, setting), k.orphan(s, self, own) && !hasSetting(pid, []byte("\x00AGIT_WORKTREE=")): // a process that a hook leaves running may stay
			of[pid] = true
		case k.seen[pid] != "":
			of[pid] = process.MarkOf(int64(pid)) == k.seen[pid]
		}
	}
	for grown := true; grown; {
		grown = false
		for pid, s := range all {
			if !of[pid] && !s.zombie && pid != self && of[s.parent] {
				of[pid], grown = true, true
			}
		}
	}
	for pid := range of {
		if mark := process.MarkOf(int64(pid)); of[pid] && mark != "" {
			list = append(list, found{pid, mark, all[pid].name})
		}
	}
	return list
}

func hasSetting(pid int, setting []byte) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // only of the user's own processes
	return err == nil && bytes.Contains(append([]byte{0}, env...), setting)
}

// orphan reports whether s is a child of ours that we did not start, in another session: a descendant of a run whose parents are gone.
func (k *kin) orphan(s stat, self, own int) bool {
	if s.parent != self || s.session == own {
		return false
	}
	live.Lock()
	defer live.Unlock()
	if _, program := live.pids[s.pid]; program {
		return false
	}
	return sole(live.pids, k.leader, s.start)
}

// sole reports whether a process that began at start can only belong to the run of leader: no other active run had begun by then. A
// process that began while several runs were active belongs to the last of them to end.
func sole(runs map[int]uint64, leader int, start uint64) bool {
	began, known := runs[leader]
	if !known || began > start {
		return false
	}
	for other, at := range runs {
		if other != leader && at <= start {
			return false
		}
	}
	return true
}

// reap collects the exit status of ended orphans, which only we can do. It leaves alone the programs that we wait for, which are
// recorded, and those that other packages start, which are in our session.
func reap() {
	self := os.Getpid()
	own, _ := readStat(self)
	live.Lock()
	defer live.Unlock()
	for pid, s := range processes() {
		if _, program := live.pids[pid]; s.parent == self && s.zombie && s.session != own.session && !program {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

func parentOf(pid int) (parent int, ok bool) {
	s, ok := readStat(pid)
	return s.parent, ok
}
