// Command performance runs every benchmark of the workspace and writes what they
// report as one page:
//
//	performance OUT [PATTERN]
//
// Each benchmark runs in a process of its own, for a limited time and in a folder
// for temporary files that is removed after it, so that one which fails or hangs
// costs its own row only. Its rows and those that the pattern leaves out are kept
// from the page at OUT; without such a row, the page has the reason. The command
// writes the page and exits with 1 when one has no result. BENCHTIME is how long one
// is repeated (1s), BENCHLIMIT how long one may take with its preparation (10m).
// AGIT_PROGRAMS names a folder with the suite's programs, so that they are built
// once rather than for each.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	failed, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
	if failed > 0 {
		fmt.Fprintf(os.Stderr, "performance: the page is written, but %d benchmarks have no result, for the reasons above\n", failed)
		os.Exit(1)
	}
}

// run returns how many benchmarks have no result.
func run(ctx context.Context, args []string) (failed int, err error) {
	if len(args) == 0 || len(args) > 2 {
		return 0, fmt.Errorf("usage: performance OUT [PATTERN]")
	}
	pattern := "."
	if len(args) == 2 {
		pattern = args[1]
	}
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return 0, fmt.Errorf("%q is not a pattern: %w", pattern, err)
	}
	repeat := cmp.Or(os.Getenv("BENCHTIME"), "1s")
	limit, err := time.ParseDuration(cmp.Or(os.Getenv("BENCHLIMIT"), "10m"))
	if err != nil {
		return 0, fmt.Errorf("BENCHLIMIT: %w", err)
	}
	all, err := benchmarks(".")
	if err != nil {
		return 0, err
	}
	work, err := os.MkdirTemp("", "agit-performance-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	if err := os.Chmod(work, 0o755); err != nil { // PostgreSQL, which root starts as another user, enters it
		return 0, err
	}

	r := runner{work: work, repeat: repeat, limit: limit}
	p := page{repeat: repeat, began: time.Now()}
	out := filepath.Clean(args[0])
	earlier, err := os.ReadFile(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	rows, measured := rowsOf(string(earlier)), 0
	for _, b := range all {
		kept := rows[b.title()]
		if !wanted.MatchString(b.Name) {
			if kept != "" {
				p.results = append(p.results, result{benchmark: b, Kept: kept})
			}
			continue
		}
		measured++
		result := r.run(ctx, b)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		note := ""
		if result.Failure != "" {
			note, failed = "  "+result.Failure, failed+1
			if !strings.Contains(kept, noResult) {
				result.Kept = kept
			}
		}
		fmt.Fprintf(os.Stderr, "%6.1fs  %s %s%s\n", result.Took.Seconds(), b.Folder, b.Name, note)
		p.results = append(p.results, result)
	}
	if measured == 0 {
		return 0, fmt.Errorf("no benchmark matches %q", pattern)
	}
	// Written to a temporary file and renamed, so that an interrupted run leaves no partial page.
	if err := os.WriteFile(out+".new", []byte(p.String()), 0o644); err != nil {
		return 0, err
	}
	return failed, os.Rename(out+".new", out)
}
