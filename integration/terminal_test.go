package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// onTerminal runs a shell line on a pseudo-terminal with colour and returns the screen content of its standard output. It fails on
// control sequences other than colour and line ends, and on escapes shown as text.
func onTerminal(t *testing.T, h *home, columns, line string) (screen []string, colored bool) {
	t.Helper()
	cmd := exec.Command("script", "-qec", "stty cols "+columns+"; "+line+" 2>/dev/null", "/dev/null")
	cmd.Env, cmd.Dir = append(slices.Clone(h.env), "TERM=xterm"), h.repo
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatalf("%s: %v", line, err)
	}
	text := string(out)
	if strings.Contains(text, `\x1b`) || strings.Contains(text, `\u001b`) {
		t.Errorf("%s prints escape codes as text:\n%s", line, text)
	}
	return shown(t, text), strings.Contains(text, "\x1b[")
}

// shown returns a terminal's screen after text: without rewritten parts and colour.
func shown(t *testing.T, text string) (screen []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var cells []rune
		at := 0
		rest := []rune(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		for i := 0; i < len(rest); i++ {
			switch r := rest[i]; {
			case r == '\r':
				at = 0
			case r == 0x1b:
				end := slices.IndexFunc(rest[i:], func(r rune) bool { return r == 'm' })
				if end < 2 || rest[i+1] != '[' || strings.Trim(string(rest[i+2:i+end]), "0123456789;") != "" {
					t.Fatalf("an escape sequence that is not a colour: %q", line)
				}
				i += end
			case at < len(cells):
				cells[at] = r
				at++
			default:
				cells = append(cells, r)
				at++
			}
		}
		screen = append(screen, strings.TrimRight(string(cells), " "))
	}
	return screen
}

// letters counts the characters of a text, without blanks.
func letters(text string) map[rune]int {
	n := map[rune]int{}
	for _, r := range text {
		if r != ' ' && r != '\n' && r != '\t' && r != '\r' {
			n[r]++
		}
	}
	return n
}

// crowd fills a home with long names in every table.
func crowd(t *testing.T) *home {
	t.Helper()
	h := newHome(t)
	at := func(name, text string) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(h.repo, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(h.repo, name), []byte(text), 0o644))
	}
	var code strings.Builder
	for range 40 {
		code.WriteString("a line of the registration " + string(rune('a'+code.Len()%26)) + "\n")
	}
	const file = "internal/command/deeper/registration_of_commands.go"
	at(file, "the registration begins on this line\n"+code.String())
	at("go.mod", "module example.com/long/name/of/a/module\n\ngo 1.26\n\nrequire (\n\tgithub.com/spf13/cobra v1.10.2\n\tgithub.com/spf13/viper v1.21.0\n)\n")
	at("README.md", "# App\n\nRegisters every subcommand lazily so that the help of the program opens no registry at all.\n")
	h.ok("git", "add", ".")
	h.ok("git", "commit", "-qm", "more")
	const repo = "a-repository-with-a-long-name"
	h.ok("agit", "add", ".", "--name", repo)
	trees := map[string]string{}
	for _, agent := range []string{"builder-claude-opus-1", "reviewer-codex-gpt-2", "third-agent"} {
		id := h.ok("agit", "tasks", repo, "--create", "Register every subcommand lazily for "+agent+", so that no registry is opened", "--jq", ".id")
		trees[agent] = h.ok("agit", "spawn", repo, "--task", id, "--agent", agent, "--jq", ".path")
	}
	for agent, path := range trees {
		must(t, os.WriteFile(filepath.Join(path, file), []byte(agent+" was here\n"+code.String()), 0o644))
	}
	h.ok("agit", "claim-files", "internal/command/**", "--agent", "builder-claude-opus-1", "--why", "the registration of every subcommand is being written anew")
	h.ok("agit", "tasks", repo, "--create", "Change "+file+" once more")
	h.ok("agit", "bug", "report", "The help text of subcommands is cut on narrow terminals so that nobody can read what it says")
	h.ok("memoryd", "remember", "Fish completion scripts are made with --no-descriptions because descriptions with colons break them",
		"--key", "fish-completion-scripts-without-descriptions", "--type", "decision", "--agent", "builder-claude-opus-1")
	h.ok("memoryd", "session", "start", "--agent", "builder-claude-opus-1")
	h.ok("memoryd", "session", "note", "--agent", "builder-claude-opus-1", "--type", "decision", "--importance", "high", "Retry with jitter, because the API answers 429 in bursts, behind the proxy too")
	at(".serena/memories/registration-of-all-the-subcommands.md", "# How the registration works\n\nSee "+file+":1 and README.md:3.\n")
	h.ok("classify", "init", ".")
	h.ok("memoryd", "agent", "bug", "third-agent", "--note", "The registration of subcommands broke the completion of every shell but one")
	return h
}

// TestTerminal prints every table on a real terminal with 80 columns and colour: nothing is wider, and only texts that may be shortened
// are.
func TestTerminal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script(1), which gives the programs a terminal, is not installed")
	}
	h := crowd(t)
	for _, c := range []struct {
		line  string
		short bool     // a branch, key or name may be shortened
		moves bool     // its output changes every second
		whole []string // texts that must stay on one line
	}{
		{line: "agit repos", whole: []string{"a-repository-with-a-long-name"}},
		{line: "agit status", short: true, moves: true, whole: []string{"builder-claude-opus-1"}},
		{line: "agit conflicts", short: true, whole: []string{"merge"}},
		{line: "agit tasks", whole: []string{"builder-claude-opus-1"}},
		{line: "agit tasks --parallel-ok"},
		{line: "agit agents", moves: true},
		{line: "agit claim-files", whole: []string{"builder-claude-opus-1"}},
		{line: "agit log", short: true},
		{line: "agit doctor", moves: true},
		{line: "agit bug list"},
		{line: "agit project list"},
		{line: "agit graph query 'MATCH (t:Task) RETURN t.id, t.name, t.status, t.priority'"},
		{line: "agit config show"},
		{line: "agit config path"},
		{line: "agit cleanup --dry-run", short: true},
		{line: "agit cleanup --trash", short: true},
		{line: "memoryd recall 'how are completion scripts made?'", short: true, whole: []string{"decision"}},
		{line: "memoryd recall --explain 'how are completion scripts made?'", short: true, moves: true},
		{line: "memoryd session list", moves: true},
		{line: "memoryd decay", short: true, moves: true},
		{line: "memoryd agent status third-agent"},
		{line: "memoryd agent log third-agent"},
		{line: "citecheck adopt --dry-run"},
		{line: "citecheck adopt"},
		{line: "citecheck verify-all --all"},
		{line: "citecheck search registration --verify"},
		{line: "citecheck history registration-of-all-the-subcommands"},
		{line: "sed -i 1d README.md; citecheck verify-all"},
		{line: "citecheck fix --dry-run"},
		{line: "citecheck fix"},
		{line: "classify show"},
		{line: "classify explain"},
		{line: "classify list"},
		{line: "classify similar"},
		{line: "classify init --dry-run ."},
	} {
		screen, _ := onTerminal(t, h, "80", c.line)
		text := strings.Join(screen, "\n")
		t.Logf("$ %s\n%s", c.line, text)
		for _, line := range screen {
			if width := displaywidth.String(line); width > 80 {
				t.Errorf("%s: a line is %d cells wide: %s", c.line, width, line)
			}
		}
		if !c.short && strings.Contains(text, "…") {
			t.Errorf("%s cuts text:\n%s", c.line, text)
		}
		for _, want := range c.whole {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not on one line:\n%s", c.line, want, text)
			}
		}
		if c.short || c.moves || strings.Contains(c.line, "adopt") || strings.Contains(c.line, "fix") || strings.Contains(c.line, ";") {
			continue
		}
		piped, have := letters(h.shell(c.line)), letters(text)
		for r, n := range piped {
			if have[r] < n {
				t.Errorf("%s: of %d %q only %d are on the screen:\n%s", c.line, n, r, have[r], text)
				break
			}
		}
	}
	// Help fits too, except for examples, which must be copied unbroken.
	for _, line := range []string{"agit --help", "agit bug report --help", "agit conflicts --help", "memoryd remember --help", "citecheck verify-all --help", "classify init --help"} {
		screen, _ := onTerminal(t, h, "80", line)
		examples := false
		for _, row := range screen {
			if row != "" && row[0] != ' ' {
				examples = row == "Examples"
			}
			if displaywidth.String(row) > 80 && !examples {
				t.Errorf("%s: %s", line, row)
			}
		}
	}
	// Output has colour on a terminal and never in a pipe.
	for _, line := range []string{"agit status", "agit conflicts", "agit tasks", "agit doctor", "sed -i 1d README.md; citecheck verify-all"} {
		if _, colored := onTerminal(t, h, "80", line); !colored {
			t.Errorf("%s has no colour on a terminal", line)
		}
		if piped := h.shell(line); strings.Contains(piped, "\x1b") || strings.Contains(piped, `\x1b`) {
			t.Errorf("%s has colour in a pipe: %q", line, piped)
		}
	}
}

// shell returns the standard output of a shell line, in a pipe.
func (h *home) shell(line string) string {
	h.t.Helper()
	cmd := exec.Command("sh", "-c", line+" 2>/dev/null")
	cmd.Env, cmd.Dir = h.env, h.repo
	out, _ := cmd.Output()
	return string(out)
}
