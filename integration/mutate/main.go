// Command mutate changes one expression or statement of a package at a time and runs the tests against it. It prints the surviving
// mutants: changes that no test of the package detects, or changes without an effect, which a reader must distinguish.
//
//	go run ./integration/mutate [-every N] [-run PATTERN] [-with PACKAGE] PACKAGE [FUNCTION...]
//	go run ./integration/mutate -change [-base REVISION] [-budget TIME] [-seed N]
//	go run ./integration/mutate -draw N [-seed N] PACKAGE...
//
// The second form judges a change: it draws from the mutants of added lines in shipped code, runs the short tests of each one's own
// package until the budget ends, and fails when they kill fewer than 70 %. The third draws N mutants of whole packages, as many of one
// package as of another, tries them in the same way, and prints how many die.
//
// No file of the work tree is written: the compiler reads the changed file through an overlay, so that a run can be interrupted and
// several can run at once. A mutant that does not compile is left out. One whose tests time out counts as killed; the limit is three or
// ten times the unchanged duration and some seconds.
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

	"github.com/agit-suite/agit/integration/testfolder"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// suite runs the tests against mutants.
type suite struct {
	packages []string // the mutated one first
	run      string
	short    bool
	limit    time.Duration
	dir      string // for overlays
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	every := flags.Int("every", 1, "try each `n`th mutant")
	pattern := flags.String("run", "", "tests to ask, as for go test -run")
	with := flags.String("with", "", "another `package` whose tests are asked too")
	limit := flags.Duration("limit", 5*time.Minute, "`time` for the tests of one mutant, at most; ten times that of the unchanged ones is enough")
	judge := flags.Bool("change", false, "judge what a change adds")
	draw := flags.Int("draw", 0, "draw `n` mutants over the packages")
	s := sample{limit: 40 * time.Second, least: 70}
	flags.StringVar(&s.base, "base", "", "`revision` that the change begins at; where HEAD left origin/main when empty, else 20 commits ago")
	flags.DurationVar(&s.budget, "budget", 0, "`time` for all mutants of a change; 0 for as long as it takes")
	flags.Uint64Var(&s.seed, "seed", 1, "`number` that the draw follows from")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *judge && flags.NArg() == 0 {
		return s.run(ctx)
	}
	if *draw > 0 && flags.NArg() > 0 {
		return s.draw(ctx, *draw, flags.Args())
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
	asked := &suite{packages: []string{flags.Arg(0)}, run: *pattern, limit: *limit, dir: dir}
	if *with != "" {
		asked.packages = append(asked.packages, *with)
	}
	begun := time.Now()
	if out, err := asked.test(ctx, []string{"-count=1"}); err != nil { // a cached result would take no time
		return fmt.Errorf("the tests fail without any change: %w\n%s", err, out)
	}
	asked.limit = min(asked.limit, 10*time.Since(begun)+10*time.Second) // a mutant may have created an endless loop
	var tried, survived, seen int
	defer func() { // also after an interruption
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
			v, err := asked.try(ctx, file, text, m)
			if err != nil {
				return err
			}
			if v == unasked {
				continue
			}
			tried++
			if v == alive {
				survived++
				fmt.Printf("survives: %s: %s: %s -> %s\n", m.place, m.function, oneLine(text[m.from:m.to]), oneLine([]byte(m.with)))
			}
		}
	}
	return nil
}

// sources returns the files of a package that are compiled here, without tests.
func sources(ctx context.Context, pkg string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, pkg).Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", pkg, err)
	}
	return strings.Fields(string(out)), nil
}

// try asks the tests about one mutant.
func (s *suite) try(ctx context.Context, file string, text []byte, m mutant) (verdict, error) {
	changed := slices.Concat(text[:m.from], []byte(m.with), text[m.to:])
	if _, err := parser.ParseFile(token.NewFileSet(), file, changed, parser.SkipObjectResolution); err != nil {
		return unasked, nil
	}
	overlay, err := s.overlay(file, changed)
	if err != nil {
		return unasked, err
	}
	out, err := s.test(ctx, overlay)
	switch {
	case ctx.Err() != nil:
		return unasked, ctx.Err()
	case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"):
		return unasked, nil
	case err == nil:
		return alive, nil
	}
	return dead, nil
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

// test runs the tests; an error means that they failed.
func (s *suite) test(ctx context.Context, flags []string) (string, error) {
	args := append([]string{"test", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout", s.limit.String()}, flags...) // this links faster
	if s.run != "" {
		args = append(args, "-run", s.run)
	}
	if s.short {
		args = append(args, "-short")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, s.packages...)...)
	cmd.Env = testfolder.Environment(os.Environ())
	if root, err := os.Getwd(); err == nil { // a mutant may lose the folder of a test, whose git would then commit here
		cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+root)
	}
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
