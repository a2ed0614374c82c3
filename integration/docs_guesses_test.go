package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGuesses types first guesses of people who know git, gh, jira, beads or other worktree tools. testdata/guesses.txt has the
// expected result of each line: "works", or the command that its error suggests. Every suggested command exists, with its flags.
func TestGuesses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	h.ok("agit", "tasks", "create", "One", "--id", "T-1")
	h.ok("agit", "spawn", "--agent", "bob", "--task", "T-1")
	h.ok("memoryd", "remember", "Dates are stored in UTC", "--key", "utc")
	h.ok("pmsync", "ticket", "create", "Links expire", "--key", "X-1")
	list, err := os.ReadFile(filepath.Join("testdata", "guesses.txt"))
	must(t, err)
	tried, worked := 0, 0
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		typed, wanted, found := strings.Cut(line, " => ")
		if !found {
			t.Fatalf("%q names nothing that is wanted", line)
		}
		words := strings.Fields(typed)
		out, errs, code := h.run(words[0], words[1:]...)
		out, failed := out+errs, code != 0
		tried++
		switch said := suggested(out); {
		case wanted == "works" && failed:
			t.Errorf("%q does not work: %s", typed, out)
		case wanted == "works":
			worked++
		case !failed:
			t.Errorf("%q works, where `%s` was to be suggested: %s", typed, wanted, out)
		case strings.HasPrefix(wanted, `"`):
			if !strings.Contains(out, strings.Trim(wanted, `"`)) {
				t.Errorf("%q does not say %s: %s", typed, wanted, out)
			}
		case !slices.ContainsFunc(said, func(s string) bool { return s == wanted || strings.HasPrefix(s, wanted+" ") }):
			t.Errorf("%q suggests %q, and not `%s`: %s", typed, said, wanted, out)
		default:
			for _, s := range said {
				if problem := missing(t, s); problem != "" {
					t.Errorf("%q suggests `%s`: %s", typed, s, problem)
				}
			}
		}
	}
	t.Logf("%d guesses, %d work", tried, worked)
}

// suggested returns the commands of the suite that a text names.
func suggested(text string) (commands []string) {
	for _, found := range regexp.MustCompile("(?:`|usage: )((?:agit|pmsync|memoryd|citecheck|classify)\\b[^`\n]*)").FindAllStringSubmatch(text, -1) {
		commands = append(commands, found[1])
	}
	return commands
}

// missing returns the part of a command line that the reference lacks, or "".
func missing(t *testing.T, line string) string {
	t.Helper()
	words := strings.Fields(line)
	page := words[0]
	rest := words[1:]
	for len(rest) > 0 && exists(filepath.Join("..", "docs", "cli", page+"-"+rest[0]+".md")) {
		page, rest = page+"-"+rest[0], rest[1:]
	}
	reference, err := os.ReadFile(filepath.Join("..", "docs", "cli", page+".md"))
	must(t, err)
	global, err := os.ReadFile(filepath.Join("..", "docs", "cli", words[0]+".md"))
	must(t, err)
	if len(rest) > 0 && strings.Contains(string(reference), "\n## Commands\n") && regexp.MustCompile(`^[a-z][a-z-]+$`).MatchString(rest[0]) {
		return "it has no command " + rest[0]
	}
	for _, word := range rest {
		if word == "--" {
			break
		}
		if name, _, _ := strings.Cut(word, "="); strings.HasPrefix(name, "--") && !strings.Contains(string(reference)+string(global), name) {
			return "it has no flag " + name
		}
	}
	return ""
}
