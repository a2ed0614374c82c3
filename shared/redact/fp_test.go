package redact_test

import (
	"fmt"
	"github.com/agit-suite/agit/shared/redact"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestFP(t *testing.T) {
	roots := strings.Fields(os.Getenv("FP"))
	lines, bytes := 0, 0
	var spent time.Duration
	n := 0
	for _, r := range roots {
		filepath.WalkDir(r, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			b, err := os.ReadFile(p)
			if err != nil || !utf8.Valid(b) || len(b) > 1<<20 {
				return nil
			}
			bytes += len(b)
			t0 := time.Now()
			redact.Redact(string(b))
			spent += time.Since(t0)
			for _, l := range strings.Split(string(b), "\n") {
				lines++
				if c, k := redact.Redact(l); k != nil {
					n++
					if n < 4000 {
						fmt.Printf("HIT %v | %.150s | %.150s | %s\n", k, strings.TrimSpace(l), strings.TrimSpace(c), p)
					}
				}
			}
			return nil
		})
	}
	fmt.Println("lines", lines, "hits", n, "MB/s", float64(bytes)/1e6/spent.Seconds())
}
