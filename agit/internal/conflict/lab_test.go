package conflict

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestLab(t *testing.T) {
	if os.Getenv("LABDIR") == "" {
		t.Skip()
	}
	var list []Worktree
	for i := 1; i <= 50; i++ {
		list = append(list, Worktree{Ref: fmt.Sprint("w", i), Path: fmt.Sprintf("/tmp/lab/wt/%d", i), Branch: fmt.Sprint("w", i)})
	}
	dir := os.Getenv("LABCACHE")
	for range 1 {
		start := time.Now()
		r, err := New(dir).Scan(t.Context(), Repo{Name: "x", CommonDir: "/tmp/lab/big/.git", DefaultBranch: "main"}, list, Options{NoCache: os.Getenv("NOCACHE") != ""})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("TOTAL", time.Since(start), len(r.Conflicts), r.ReusedWorktrees)
	}
}
