package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/term"
)

// tablesAt is the time at which the tables of the tests are looked at.
var tablesAt = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// looks compares what print writes for a program, on a narrow terminal and on a wide one in colour, with testdata/tables/NAME.txt.
func looks(t *testing.T, name string, print func(*term.Streams) error) {
	t.Helper()
	var all strings.Builder
	for _, width := range []int{0, 80, 160} {
		s, _, out, errs := term.Test()
		if width > 0 {
			s.PretendTerminal(width)
			s.UseColor(false, func(string) string { return "" })
		}
		if err := print(s); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "== %d columns\n%s-- beside it\n%s", width, out, errs)
	}
	got := strings.NewReplacer("\x1b[0m", "⟩", "\x1b[", "⟨", "\x1b", "␛", "\a", "␇").Replace(all.String())
	clitest.Golden(t, filepath.Join("testdata", "tables", name+".txt"), got)
}

// given reads what a command found out from testdata/tables/NAME.json, which is the form in which it prints it.
func given[T any](t *testing.T, name string) (v T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "tables", name+".json"))
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestStatusTables(t *testing.T) {
	t.Parallel()
	looks(t, "status", func(s *term.Streams) error { return printState(s, given[overview.RepoStatus](t, "status"), tablesAt) })
	others := given[overview.RepoStatus](t, "status")
	others.Worktrees = slices.DeleteFunc(others.Worktrees, func(w overview.WorktreeStatus) bool { return w.Maker == "" })
	others.Branches, others.Landings, others.Conflicts, others.Agents, others.FetchedAt, others.Problem = nil, nil, nil, nil, nil, ""
	others.Path = "/src/products/of/a/company/with/many/of/them/in/one/folder/for/each/customer/app"
	looks(t, "status-others", func(s *term.Streams) error { return printState(s, others, tablesAt) })
}

func TestReviewTables(t *testing.T) {
	t.Parallel()
	o := given[review.Outcome](t, "review")
	many := o
	for range 2 * landedLines {
		many.Landed, many.Stopped = append(many.Landed, o.Landed[0]), append(many.Stopped, o.Stopped[0])
	}
	many.Waiting = o.Waiting[:1]
	called := func(id string) string { return strings.Replace(id, "w-", "folder-", 1) }
	for name, o := range map[string]review.Outcome{"review": o, "review-many": many} {
		looks(t, name, func(s *term.Streams) error {
			for _, part := range []section{waitingSection(o, called, tablesAt), landedSection(o, tablesAt), stoppedSection(o)} {
				if err := s.Text(part.title + ": " + part.count + "\n"); err != nil {
					return err
				}
				if err := part.table.WriteTo(s); err != nil {
					return err
				}
			}
			return nil
		})
	}
}
