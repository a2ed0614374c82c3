// Command mutate changes one expression or statement of a package at a time and
// asks the tests whether they notice. What survives is printed: a change of
// meaning that no test of the package sees, or a change without meaning, which a
// reader has to tell apart.
//
//	go run ./integration/mutate [-every N] [-run PATTERN] [-with PACKAGE] PACKAGE [FUNCTION...]
//
// No file of the work tree is written: the compiler reads the changed file
// through an overlay, so that a run can be interrupted at any time and several
// may run beside each other. A mutant that does not compile is left out; one
// whose tests run out of time counts as killed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// suite is how the tests are asked.
type suite struct {
	packages []string // the mutated one first
	run      string
	limit    time.Duration
	dir      string // for overlays
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	every := flags.Int("every", 1, "try each `n`th mutant")
	pattern := flags.String("run", "", "tests to ask, as for go test -run")
	with := flags.String("with", "", "another `package` whose tests are asked too")
	limit := flags.Duration("limit", 5*time.Minute, "`time` for the tests of one mutant, at most; ten times that of the unchanged ones is enough")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || *every < 1 {
		return errors.New("usage: mutate [flags] PACKAGE [FUNCTION...]")
	}
	files, err := sources(ctx, flags.Arg(0))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &suite{packages: []string{flags.Arg(0)}, run: *pattern, limit: *limit, dir: dir}
	if *with != "" {
		s.packages = append(s.packages, *with)
	}
	begun := time.Now()
	if out, err := s.test(ctx, []string{"-count=1"}); err != nil { // not from the cache, which takes no time
		return fmt.Errorf("the tests fail without any change: %w\n%s", err, out)
	}
	s.limit = min(s.limit, 10*time.Since(begun)+10*time.Second) // a mutant may have made a loop endless
	var tried, survived, seen int
	defer func() { // also of a run that was interrupted
		fmt.Printf("%s: %d mutants, %d killed, %d survive\n", flags.Arg(0), tried, tried-survived, survived)
	}()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range mutants(file, text, flags.Args()[1:]) {
			if seen++; seen%*every != 0 {
				continue
			}
			changed := slices.Concat(text[:m.from], []byte(m.with), text[m.to:])
			if _, err := parser.ParseFile(token.NewFileSet(), file, changed, parser.SkipObjectResolution); err != nil {
				continue
			}
			overlay, err := s.overlay(file, changed)
			if err != nil {
				return err
			}
			said, err := s.test(ctx, overlay)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if strings.Contains(said, "[build failed]") {
				continue
			}
			tried++
			if err == nil {
				survived++
				fmt.Printf("survives: %s: %s: %s -> %s\n", m.place, m.function, oneLine(text[m.from:m.to]), oneLine([]byte(m.with)))
			}
		}
	}
	return nil
}

// sources are the files of a package that are compiled here, without tests.
func sources(ctx context.Context, pkg string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, pkg).Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", pkg, err)
	}
	return strings.Fields(string(out)), nil
}

// overlay is the compiler's table of replaced files, with one entry.
func (s *suite) overlay(file string, text []byte) ([]string, error) {
	replaced, table := filepath.Join(s.dir, "mutant.go"), filepath.Join(s.dir, "overlay.json")
	if err := os.WriteFile(replaced, text, 0o600); err != nil {
		return nil, err
	}
	entry, err := json.Marshal(map[string]map[string]string{"Replace": {file: replaced}})
	if err != nil {
		return nil, err
	}
	return []string{"-overlay", table}, os.WriteFile(table, entry, 0o600)
}

// test asks the tests; an error means that they noticed.
func (s *suite) test(ctx context.Context, flags []string) (string, error) {
	args := append([]string{"test", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout", s.limit.String()}, flags...) // links faster
	if s.run != "" {
		args = append(args, "-run", s.run)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, s.packages...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func oneLine(text []byte) string {
	line := strings.Join(strings.Fields(string(text)), " ")
	if len(line) > 60 {
		line = line[:60] + "…"
	}
	if line == "" {
		return "(nothing)"
	}
	return line
}
