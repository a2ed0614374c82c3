package index

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// BenchmarkIndex: the first reading of 120 MB of sessions, beside only reading their bytes. It also reports a reading without changes, and
// questions (p95).
func BenchmarkIndex(b *testing.B) {
	home := b.TempDir()
	bytes := sessionstest.Bulk(b, home, 400)
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
