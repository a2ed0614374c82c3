package git

import (
	"os/exec"
	"testing"
)

// os/exec copies a program's output through ReadFrom if the writer has it.
func TestHeadOfAProcess(t *testing.T) {
	t.Parallel()
	kept := &head{max: 10}
	cmd := exec.Command("git", "help", "--all", "--no-verbose")
	cmd.Stdout = kept
	if err := cmd.Run(); err != nil || kept.kept.Len() != 10 {
		t.Errorf("%d bytes, %v", kept.kept.Len(), err)
	}
}

func TestHeadKeepsTheEnd(t *testing.T) {
	t.Parallel()
	kept := &head{max: 4}
	for _, part := range []string{"ab", "cdef", "ghijk", "l"} {
		if n, err := kept.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if got := kept.String(); got != "abcdijkl" {
		t.Errorf("kept %q", got)
	}
}
