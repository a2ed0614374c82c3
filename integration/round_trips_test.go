package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// own are statements about SQLite's file and text index, which a registry on a server does not run.
var own = []string{"PRAGMA", "total_changes()", "memory_index", "memory_terms", "memory_words", "memory_vocabulary"}

// Each statement is a round trip to a registry on a server. Everyday commands of agents use a bounded number of them, however large the
// registry is.
func TestRoundTrips(t *testing.T) {
	registrytest.OnlySQLite(t, "round trips are counted")
	t.Parallel()
	h := newHome(t)
	ask := func(args ...string) []string {
		t.Helper()
		cmd := h.command(t.Context(), args[0], append(args[1:], "--log-level", "debug")...)
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, said.String())
		}
		var asked []string
		lines := bufio.NewScanner(&said)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var line struct{ Statement string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Statement != "" &&
				!slices.ContainsFunc(own, func(part string) bool { return strings.Contains(line.Statement, part) }) {
				asked = append(asked, line.Statement)
			}
		}
		return asked
	}
	aDay(t, h, func(args ...string) { ask(args...) })
	for _, c := range ofADay {
		c.prepare(t, h)
		asked := ask(c.command...)
		t.Logf("%s: %d", strings.Join(c.command, " "), len(asked))
		if len(asked) > c.statements || len(asked) < 3 {
			t.Errorf("%s asked %d statements, not 3 to %d:\n%s", strings.Join(c.command, " "), len(asked), c.statements, strings.Join(asked, "\n"))
		}
	}
}

// aDay fills a registry.
func aDay(t *testing.T, h *home, run func(args ...string)) {
	t.Helper()
	run("agit", "add", ".")
	run("classify", "init", ".") // otherwise the first session does it and waits for it
	for _, task := range []string{"one", "two", "three"} {
		run("agit", "tasks", "--create", task, "--agent", "ann")
	}
	for _, fact := range []string{"pears keep longer in the cold", "the north gate is locked at night", "builds run on the second floor"} {
		run("memoryd", "remember", "--agent", "ann", fact)
	}
}

// ofADay are everyday commands of agents, each with the most statements and round trips that it may use; a round trip is needed for the
// connection.
var ofADay = []dayCommand{
	{6, 4, []string{"agit", "tasks"}},
	{6, 5, []string{"agit", "tasks", "--create", "four"}},
	{8, 5, []string{"agit", "tasks", "--create", "five", "--agent", "ann"}},
	{9, 5, []string{"agit", "next", "--agent", "ann"}},
	{10, 10, []string{"memoryd", "remember", "--agent", "ann", "cranes are inspected every spring"}},
	{7, 8, []string{"memoryd", "recall", "--agent", "ann", "pears in the cold"}},
	{20, 5, []string{"memoryd", "session", "start", "--agent", "ann"}},
	{20, 6, []string{"memoryd", "session", "start", "--agent", "ann"}},
	{36, 12, []string{"agit", "begin", "--agent", "bea"}}, // about a third of it is memoryd's
	{20, 10, []string{"agit", "begin", "--agent", "bea"}},
	{31, 12, []string{"agit", "status"}},
	{26, 12, []string{"agit", "finish", "--agent", "bea", "--commit", "--summary", "done"}},
}

type dayCommand struct {
	statements, trips int
	command           []string
}

// prepare makes work that can be finished.
func (c dayCommand) prepare(t *testing.T, h *home) {
	t.Helper()
	if c.command[1] != "finish" {
		return
	}
	var b struct{ Worktree struct{ Path string } }
	h.json(&b, "begin", "--agent", "bea")
	must(t, os.WriteFile(filepath.Join(b.Worktree.Path, "new.txt"), []byte("work"), 0o644))
}
