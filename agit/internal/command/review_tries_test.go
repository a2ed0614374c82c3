package command

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree"
)

func TestCostAndSharesOfTries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row          tries.Row
		cost, shares string
	}{
		{tries.Row{}, "", ""},
		{tries.Row{Tokens: 1200}, "1200 tokens", ""},
		{tries.Row{Tokens: 1200, Micros: 1_234_567, Currency: "USD"}, "1.23 USD", ""},
		{tries.Row{Shares: []tries.Share{{With: 2, Files: 3, Same: 1}, {With: 3, Files: 1}}}, "", "2: 3 (1 same), 3: 1"},
	} {
		if cost, shares := costOf(c.row), sharesOf(c.row); cost != c.cost || shares != c.shares {
			t.Errorf("%+v: %q and %q", c.row, cost, shares)
		}
	}
}

func TestTriesOfClients(t *testing.T) {
	t.Parallel()
	claude, codex := worker.Client{Name: "claude"}, worker.Client{Name: "codex"}
	for _, c := range []struct {
		clients []worker.Client
		n       int
		want    []string
	}{
		{[]worker.Client{claude, codex}, 2, []string{"claude", "codex"}},
		{[]worker.Client{claude, codex}, 3, []string{"claude", "codex", "claude"}},
		{[]worker.Client{claude}, 2, []string{"claude", "claude"}},
		{[]worker.Client{claude}, 1, nil},
		{[]worker.Client{claude}, 0, nil},
	} {
		list, err := triesOf(c.clients, c.n)
		var names []string
		for _, one := range list {
			names = append(names, one.Name)
		}
		if err != nil || !slices.Equal(names, c.want) {
			t.Errorf("%d tries: %q, %v", c.n, names, err)
		}
	}
}

func TestNumberOfTries(t *testing.T) {
	t.Parallel()
	one := []worker.Client{{Name: "claude"}}
	for n, refused := range map[int]bool{-1: true, 0: false, mostTries: false, mostTries + 1: true} {
		if _, err := triesOf(one, n); (err != nil) != refused {
			t.Errorf("%d tries: %v", n, err)
		}
	}
}

func TestOpeningLine(t *testing.T) {
	t.Parallel()
	o := opening{Path: "/home/ann/my app", Command: []string{"claude", "--resume", "it's"}}
	if got := o.line(); got != `cd '/home/ann/my app' && claude --resume 'it'\''s'` {
		t.Errorf("%s", got)
	}
}

// What to do with waiting work depends on where it lands, and on whether a pull request proposes it.
func TestDecide(t *testing.T) {
	t.Parallel()
	pull := review.Review{Pull: "pull request #7 waits for checks"}
	for _, c := range []struct {
		v             review.Review
		landing, want string
	}{
		{review.Review{}, worktree.LandReview, "`agit review w --accept`, or --return \"why\""},
		{review.Review{Amended: true}, worktree.LandPR, "`agit finish w` shows what it has now; or `agit review w --return \"why\"`"},
		{pull, worktree.LandReview, "`agit review w --accept`, or --return \"why\""},
		{pull, worktree.LandPR, "merge its pull request at the forge, or `agit review w --return \"why\"`"},
		{review.Review{}, worktree.LandPR, "`agit finish w` proposes it, with --land gate lands it here; or `agit review w --return \"why\"`"},
	} {
		if got := decide(c.v, "w", c.landing); got != c.want {
			t.Errorf("%s, %q: %s", c.landing, c.v.Pull, got)
		}
	}
}
