package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/integration/change"
)

// few is the number of mutants below which their share says nothing about a change.
const few = 5

// sample judges a change by as many of its mutants as there is time for.
type sample struct {
	base   string
	budget time.Duration // for all; 0 means no limit
	limit  time.Duration // for the unchanged tests of one package
	least  int           // percent of mutants that must be killed
	seed   uint64
}

// candidate is a mutant of a file.
type candidate struct {
	mutant
	pkg, file string
	text      []byte
}

// verdict is the result of a mutant: dead, alive, or not tried, because it does not compile.
type verdict int

const (
	unasked verdict = iota
	dead
	alive
)

// run judges the change and prints the survivors. It returns an error when the tests kill too few mutants.
func (s sample) run(ctx context.Context) error {
	c, err := change.Of(ctx, ".", s.base)
	if err != nil {
		return err
	}
	if c.Base == "" {
		fmt.Println("HEAD has no commit before it here, so there is no change to mutate")
		return nil
	}
	all, err := candidates(ctx, c)
	if err != nil {
		return err
	}
	chance := rand.New(rand.NewPCG(s.seed, 0))
	chance.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	fmt.Printf("%d mutants of what was added since %.12s\n", len(all), c.Base)
	bounded := ctx
	if s.budget > 0 {
		var stop context.CancelFunc
		bounded, stop = context.WithTimeout(ctx, s.budget)
		defer stop()
	}
	killed, survived := s.ask(bounded, all)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.judge(killed, survived)
}

func (s sample) judge(killed, survived int) error {
	asked := killed + survived
	fmt.Printf("%d of %d that were tried died", killed, asked)
	if asked < few {
		fmt.Printf("; fewer than %d prove nothing\n", few)
		return nil
	}
	percent := 100 * killed / asked
	fmt.Printf(": %d %%\n", percent)
	if percent >= s.least {
		return nil
	}
	if chance := atMost(killed, asked, float64(s.least)/100); chance >= surely {
		fmt.Printf("that is below %d %%, which a sample of %d shows by chance in %.0f of 100 changes: scripts/mutate --change with BUDGET=0 asks about all\n", s.least, asked, 100*chance)
		return nil
	}
	return fmt.Errorf("the tests of the packages notice %d %% of the mutants of this change, and must notice %d %%: write tests beside the rules whose mutants survive", percent, s.least)
}

// surely is the probability below which a sample's share of dead mutants leads to a refusal, assuming that the required share is true
// of all: a small sample proves no more.
const surely = 0.05

// atMost returns the probability of at most killed dead mutants among asked, when each dies with a given probability: the lower tail of
// the binomial distribution.
func atMost(killed, asked int, probability float64) (chance float64) {
	logFactorial := func(n int) float64 {
		value, _ := math.Lgamma(float64(n) + 1)
		return value
	}
	for k := range killed + 1 {
		chance += math.Exp(logFactorial(asked) - logFactorial(k) - logFactorial(asked-k) + float64(k)*math.Log(probability) + float64(asked-k)*math.Log1p(-probability))
	}
	return chance
}

// draw tries n mutants of packages, drawn in turn from each, and prints the survivors and the number of dead ones. A mutant that does
// not compile is not counted, and another one is drawn for it.
func (s sample) draw(ctx context.Context, n int, packages []string) error {
	s.limit = 5 * time.Minute
	chance := rand.New(rand.NewPCG(s.seed, 0))
	hats := make([][]candidate, len(packages))
	for i, pkg := range packages {
		files, err := sources(ctx, pkg)
		if err != nil {
			return err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, m := range mutants(file, text, nil) {
				hats[i] = append(hats[i], candidate{mutant: m, pkg: pkg, file: file, text: text})
			}
		}
		chance.Shuffle(len(hats[i]), func(a, b int) { hats[i][a], hats[i][b] = hats[i][b], hats[i][a] })
	}
	killed, survived := 0, 0
	for killed+survived < n && ctx.Err() == nil {
		round := inTurn(hats, n-killed-survived)
		if len(round) == 0 {
			break
		}
		k, a := s.ask(ctx, round)
		killed, survived = killed+k, survived+a
	}
	fmt.Printf("%d of %d that were tried died\n", killed, killed+survived)
	return ctx.Err()
}

// inTurn takes up to n candidates off the hats, one of each in turn.
func inTurn(hats [][]candidate, n int) (taken []candidate) {
	for empty := false; !empty; {
		empty = true
		for i := range hats {
			if len(taken) == n {
				return taken
			}
			if len(hats[i]) > 0 {
				taken, hats[i], empty = append(taken, hats[i][0]), hats[i][1:], false
			}
		}
	}
	return taken
}

// candidates returns the mutants of added lines in shipped code.
func candidates(ctx context.Context, c change.Change) ([]candidate, error) {
	added, err := c.AddedCode(ctx)
	if err != nil {
		return nil, err
	}
	packages, err := shipped(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for file := range added {
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && packages[filepath.Join(c.Dir, file)] != "" {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	var all []candidate
	for _, file := range files {
		path := filepath.Join(c.Dir, file)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, m := range mutants(path, text, nil) {
			if added[file][m.line] {
				all = append(all, candidate{mutant: m, pkg: packages[path], file: path, text: text})
			}
		}
	}
	return all, nil
}

// shipped returns the files that are compiled here into the shipped programs, with their packages.
func shipped(ctx context.Context, dir string) (map[string]string, error) {
	var mains []string
	for _, pattern := range []string{"*/main.go", "*/cmd/*/main.go"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, main := range found {
			if folder := filepath.Dir(main); !strings.HasPrefix(filepath.Base(folder), "fake") {
				mains = append(mains, folder)
			}
		}
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-f", `{{if .Module}}{{if .Module.Main}}{{range .GoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`}, mains...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list what the programs consist of: %w", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if pkg, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			files[filepath.FromSlash(file)] = pkg
		}
	}
	return files, nil
}

// ask tries mutants, one per core at a time, until the context ends. An interrupted mutant is not counted.
func (s sample) ask(ctx context.Context, all []candidate) (killed, survived int) {
	next := make(chan candidate)
	go func() {
		defer close(next)
		for _, c := range all {
			select {
			case next <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	b := &baselines{limit: s.limit, known: map[string]*baseline{}}
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for c := range next {
				v := b.try(ctx, c)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				switch v {
				case dead:
					killed++
				case alive:
					survived++
					fmt.Printf("survives: %s: %s: %s -> %s\n", filepath.Join(filepath.Base(filepath.Dir(c.file)), c.place), c.function, oneLine(c.text[c.from:c.to]), oneLine([]byte(c.with)))
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return killed, survived
}

// baselines are the durations of packages' tests without a mutant.
type baselines struct {
	limit time.Duration
	mu    sync.Mutex
	known map[string]*baseline
}

type baseline struct {
	once sync.Once
	took time.Duration // 0 when the tests fail or time out without a mutant
	none bool          // there are no tests, so every mutant survives
}

// of measures a package once, and prints why its mutants are left out, if they are.
func (b *baselines) of(ctx context.Context, pkg string) *baseline {
	b.mu.Lock()
	if b.known[pkg] == nil {
		b.known[pkg] = &baseline{}
	}
	one := b.known[pkg]
	b.mu.Unlock()
	one.once.Do(func() {
		s := &suite{packages: []string{pkg}, short: true, limit: b.limit}
		begun := time.Now()
		out, err := s.test(ctx, []string{"-count=1"}) // a cached result would take no time
		switch {
		case ctx.Err() != nil:
		case err != nil && strings.Contains(out, "panic: test timed out"):
			fmt.Printf("left out: %s, whose short tests take more than %s\n", pkg, b.limit)
		case err != nil:
			fmt.Printf("left out: %s, whose tests fail without any change\n%s", pkg, out)
		default:
			one.took, one.none = time.Since(begun), strings.Contains(out, "[no test files]")
		}
	})
	return one
}

func (b *baselines) try(ctx context.Context, c candidate) verdict {
	before := b.of(ctx, c.pkg)
	switch {
	case before.took == 0:
		return unasked
	case before.none:
		return alive
	}
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return unasked
	}
	defer os.RemoveAll(dir)
	s := &suite{packages: []string{c.pkg}, short: true, limit: 3*before.took + 5*time.Second, dir: dir} // a mutant may have created an endless loop
	v, err := s.try(ctx, c.file, c.text, c.mutant)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return v
}
