package process

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The mark is the boot and the start of the process, field 22 of proc_pid_stat(5). A process that has ended has none, even if its parent
// has not asked for its status.
func TestMarkOf(t *testing.T) {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	pid := int64(child.Process.Pid)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(boot)) + "/" + strings.Fields(string(stat))[21]; MarkOf(pid) != want || !Running(pid) {
		t.Errorf("the mark is %q, want %q", MarkOf(pid), want)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); MarkOf(pid) != ""; runtime.Gosched() {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("the mark of one that was killed is %q", MarkOf(pid))
		}
	}
	if Running(pid) {
		t.Error("one that was killed runs")
	}
}
