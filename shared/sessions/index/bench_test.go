package index

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// generated writes sessions of some 120 MB: 400 files of Claude Code, two thirds of it in
// results of tools, as clients write them.
func generated(b *testing.B, home string) (bytes int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var s strings.Builder
		for s.Len() < n {
			fmt.Fprintf(&s, "%s%d ", []string{"parser", "Module", "invoice", "the", "fails", "when", "total_", "cache"}[r.IntN(8)], r.IntN(4000))
		}
		return s.String()
	}
	at := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for i := range 400 {
		c := sessionstest.Claude{Session: fmt.Sprintf("s-%d", i), Folder: fmt.Sprintf("/src/app%d", i%12), Branch: "main"}
		var rows []sessionstest.Row
		for n := range 45 {
			at = at.Add(7 * time.Second)
			id, when := fmt.Sprintf("%d-%d", i, n), at.Format("2006-01-02T15:04:05.000Z")
			rows = append(rows, c.User("u"+id, when, text(300)), c.Says("a"+id, when, "m"+id, text(900), 10, 20),
				c.Calls("c"+id, when, "m"+id, "t"+id, "Bash", sessionstest.Row{"command": text(60)}, 10, 20),
				c.Returns("r"+id, when, "t"+id, text(2200), n%9 == 0))
		}
		path := filepath.Join(home, ".claude/projects/-src-app", c.Session+".jsonl")
		content := sessionstest.Lines(rows...)
		sessionstest.Write(b, path, content)
		bytes += len(content)
	}
	return bytes
}

// BenchmarkIndex: the first reading of 120 MB of sessions, beside reading their bytes
// alone. Further a reading where nothing changed, and questions (p95).
func BenchmarkIndex(b *testing.B) {
	home := b.TempDir()
	bytes := generated(b, home)
	k := Kept{Path: filepath.Join(home, "agit", FileName), Options: Options{Home: sessions.Home{Dir: home}}}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			_ = os.RemoveAll(filepath.Dir(k.Path))
			x, err := k.Open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			_ = x.Close()
		}
		began := time.Now()
		if err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && filepath.Ext(path) == ".jsonl" {
				_, err = os.ReadFile(path)
			}
			return err
		}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(time.Since(began)), "x-read")
		info, err := os.Stat(k.Path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(bytes)/1e6, "MB-read")
		b.ReportMetric(float64(info.Size())/1e6, "MB-index")
	})
	b.Run("unchanged", func(b *testing.B) {
		if x, err := k.Open(b.Context()); err == nil { // where the first reading was not measured
			_ = x.Close()
		}
		for b.Loop() {
			x, err := k.Open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			_ = x.Close()
		}
	})
	b.Run("question", func(b *testing.B) {
		x, err := Open(b.Context(), k.Path)
		if err != nil {
			b.Fatal(err)
		}
		defer x.Close()
		r := rand.New(rand.NewPCG(3, 4))
		var took []time.Duration
		for b.Loop() {
			q := Query{Text: fmt.Sprintf("why does invoice%d fail when parser%d reads cache%d?", r.IntN(4000), r.IntN(4000), r.IntN(4000))}
			began := time.Now()
			if _, err := x.Search(b.Context(), q); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	})
}
