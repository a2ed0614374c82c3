package integration

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// BenchmarkUsage: agit usage over 120 MB of sessions, start to exit, beside ccusage where it is installed, else
// beside reading the files' bytes: the first time, and where nothing changed since.
func BenchmarkUsage(b *testing.B) {
	m := newBench(b, 1)
	home := filepath.Join(m.dir, "home")
	sessionstest.Bulk(b, home, 400)
	total := func(document string) (tokens int64) {
		var of struct {
			Total  struct{ Tokens struct{ Total int64 } }
			Totals struct {
				Total int64 `json:"totalTokens"`
			}
		}
		must(b, json.Unmarshal([]byte(document), &of))
		return of.Total.Tokens.Total + of.Totals.Total
	}
	name, theirs := "read", benchtest.Of(func() error { return readAll(filepath.Join(home, ".claude")) })
	ours := m.run("agit", "usage", "--json")
	if _, err := exec.LookPath("ccusage"); err == nil {
		args := []string{"claude", "daily", "--json", "--offline"}
		name, theirs = "ccusage", m.side("ccusage", args...)
		if own, other := total(ours), total(m.run("ccusage", args...)); own != other {
			b.Errorf("agit counts %d tokens, ccusage %d", own, other)
		}
	}
	kept, err := filepath.Glob(filepath.Join(home, ".agit", "usage.db*"))
	must(b, err)
	if len(kept) == 0 {
		b.Fatal("nothing is kept")
	}
	first := m.side("agit", "usage", "--json")
	first.Prepare = func() error {
		for _, file := range kept {
			if err := os.RemoveAll(file); err != nil {
				return err
			}
		}
		return nil
	}
	b.Run("first", func(b *testing.B) { benchtest.Beside(b, name, first, theirs) })
	b.Run("unchanged", func(b *testing.B) { benchtest.Beside(b, name, m.side("agit", "usage", "--json"), theirs) })
}

// readAll reads the bytes of all files below a folder.
func readAll(folder string) error {
	return filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(io.Discard, file)
		return err
	})
}
