// Usescases measures the true and false findings of package uses in real code.
//
//	go run ./agit/internal/conflict/usescases [-cases 60] [-pairs 250] [-seed 1] [-v] REPOSITORY…
//
// Each argument is the folder of a fetched git repository. Cases are made in its newest commit: one side renames or removes a function,
// or changes its parameters, with all its calls, and the other side adds a copy of a calling function; both sides add one definition;
// an imported file moves; a dependency is dropped. Each case has a harmless counterpart, in which the other side adds a copy of an
// unrelated function. Then merges of the history are judged by their two parents, if git merges them cleanly. Nothing is written to the
// repositories; temporary files are in a folder that is removed at the end.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict"
)

func main() {
	cases := flag.Int("cases", 60, "how many cases to make of each repository")
	pairs := flag.Int("pairs", 250, "how many merges of each history to look at")
	seed := flag.Uint64("seed", 1, "of the choice")
	verbose := flag.Bool("v", false, "print each row that is missed or wrong, and each of real merges")
	flag.Parse()
	total := &score{kinds: map[string][2]int{}}
	for _, dir := range flag.Args() {
		s, err := measure(context.Background(), dir, *cases, *pairs, *seed, *verbose)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%s: %s\n", filepath.Base(filepath.Dir(dir)), s)
		total.add(s)
	}
	fmt.Printf("all: %s\n", total)
	for _, op := range operations {
		fmt.Printf("  %-12s %d of %d\n", op, total.kinds[op][0], total.kinds[op][1])
	}
}

// score counts what was made and what was found.
type score struct {
	made, found int               // cases, and those with the row that they ask for
	wrong       int               // rows that no case asks for
	harmless    int               // made beside the cases
	pairs, rows int               // real merges, and rows of them
	kinds       map[string][2]int // found and made by operation
}

func (s *score) add(o *score) {
	s.made, s.found, s.wrong, s.harmless, s.pairs, s.rows = s.made+o.made, s.found+o.found, s.wrong+o.wrong, s.harmless+o.harmless, s.pairs+o.pairs, s.rows+o.rows
	for k, v := range o.kinds {
		s.kinds[k] = [2]int{s.kinds[k][0] + v[0], s.kinds[k][1] + v[1]}
	}
}

func (s *score) String() string {
	return fmt.Sprintf("recall %.1f %% (%d of %d cases), precision %.1f %% (%d wrong rows, %d harmless cases beside), %d rows in %d real merges",
		percent(s.found, s.made), s.found, s.made, percent(s.found, s.found+s.wrong), s.wrong, s.harmless, s.rows, s.pairs)
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}

func measure(ctx context.Context, dir string, cases, pairs int, seed uint64, verbose bool) (*score, error) {
	s := &score{kinds: map[string][2]int{}}
	m, err := newMaker(ctx, dir, seed)
	if err != nil {
		return nil, err
	}
	defer m.close()
	for _, c := range m.cases(cases) {
		found, merges, err := m.judge(ctx, c.a, c.b)
		if err != nil {
			return nil, err
		}
		if !merges {
			continue
		}
		hit := false
		for _, u := range found {
			if c.asksFor(u) {
				hit = true
			} else {
				s.wrong++
				if verbose {
					fmt.Printf("  wrong in %s: %s\n", c, u.Text)
				}
			}
		}
		s.made++
		n := s.kinds[c.operation]
		n[1]++
		if hit {
			s.found++
			n[0]++
		} else if verbose {
			fmt.Printf("  missed: %s\n", c)
		}
		s.kinds[c.operation] = n
		if c.harmless == nil {
			continue
		}
		if found, merges, err = m.judge(ctx, c.a, c.harmless); err != nil {
			return nil, err
		}
		if merges {
			s.harmless++
			s.wrong += len(found)
			for _, u := range found {
				if verbose {
					fmt.Printf("  wrong beside %s: %s\n", c, u.Text)
				}
			}
		}
	}
	return s, m.history(ctx, s, pairs, verbose)
}

// history looks at the parents of merges.
func (m *maker) history(ctx context.Context, s *score, pairs int, verbose bool) error {
	out, err := m.repo.Run(ctx, "log", "--merges", "--min-parents=2", "--max-parents=2", "--format=%H %P", fmt.Sprintf("--max-count=%d", 4*pairs), m.head)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) != 3 || s.pairs >= pairs {
			continue
		}
		found, merges, err := conflict.UsesBetween(ctx, m.repo, f[1], f[2])
		if err != nil {
			return err
		}
		if !merges {
			continue
		}
		s.pairs++
		s.rows += len(found)
		for _, u := range found {
			if verbose {
				fmt.Printf("  merge %.8s: %s (certain: %v)\n", f[0], u.Text, u.Certain)
			}
		}
	}
	return nil
}
