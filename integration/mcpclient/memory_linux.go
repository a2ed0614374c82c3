package mcpclient

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Resident is the memory a process occupies, in megabytes.
func Resident(t testing.TB, pid int) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	t.Fatal("the kernel does not say how much memory the process has")
	return 0
}
