package worker

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
)

// jobs are the job objects of programs, by process number. The kernel ends all processes of a job object when its last handle is
// closed, also when agit is killed. A program is added just after its start, so its earlier child processes escape.
var jobs sync.Map

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func begin(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil //nolint:nilerr // it runs, and is ended by its number
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = cmd.Process.WithHandle(func(handle uintptr) {
			_ = windows.AssignProcessToJobObject(job, windows.Handle(handle))
		})
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil //nolint:nilerr // as above
	}
	jobs.Store(cmd.Process.Pid, job)
	return nil
}

func adopt() {}
func reap()  {}

// search returns the program itself while it runs; the other processes of the run are in its job object.
func (k *kin) search() []found {
	leader := k.leader
	mark := process.MarkOf(int64(leader))
	if leader == 0 || mark == "" {
		if job, ok := jobs.LoadAndDelete(leader); ok {
			_ = windows.CloseHandle(job.(windows.Handle)) // ends the processes that it left behind
		}
		return nil
	}
	return []found{{leader, mark, ""}}
}

// ask does nothing: programs without a window cannot be asked to end.
func ask(int, []found) {}

func kill(leader int, all []found) {
	if job, ok := jobs.Load(leader); ok {
		_ = windows.TerminateJobObject(job.(windows.Handle), 1)
	}
	for _, f := range all {
		if p, err := os.FindProcess(f.pid); err == nil {
			_ = p.Kill()
		}
	}
}

func signalOf(*os.ProcessState) string { return "" }

// parentOf returns the parent of this process only; AGIT_RUN names the run of other processes.
func parentOf(pid int) (parent int, ok bool) {
	if pid == os.Getpid() {
		return os.Getppid(), true
	}
	return 0, false
}

// sealInherited does nothing: on Windows only named handles are inherited.
func sealInherited() {}
