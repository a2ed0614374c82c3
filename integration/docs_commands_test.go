package integration

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// notRun marks a block of commands that no test runs, also for readers: it is the first line, with the reason.
const notRun = "# not run: "

// unrun are the blocks of the documentation that no test runs, with the reasons that their pages name. A block that can be run is worth
// more: only what needs a login, a server of others or another machine belongs here.
var unrun = []string{
	"README.md: this fetches a clone and builds it",
	"install.md: these fetch a release",
	"install.md: the modules are fetched",
	"pull-requests.md: these need your login at a forge",
	"systemd.md: it needs a systemd of your own",
	"trackers.md: these need your accounts; pmsync.md runs them with a fake tracker",
}

// pages are the handwritten pages for people.
func pages(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"../README.md", "../CONTRIBUTING.md", "../docs/*.md", "../docs/recipes/*.md", "../docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		must(t, err)
		all = append(all, found...)
	}
	return all
}

// block is a fenced block of shell commands that begins at line.
type block struct {
	line   int
	text   []string
	reason string // why no test runs it
}

// blocks finds a page's blocks of the language sh.
func blocks(page string) (found []block) {
	var in *block
	for i, line := range strings.Split(page, "\n") {
		switch {
		case in == nil && strings.TrimSpace(line) == "```sh":
			found = append(found, block{line: i + 2})
			in = &found[len(found)-1]
		case in != nil && strings.TrimSpace(line) == "```":
			in = nil
		case in != nil && len(in.text) == 0 && in.reason == "" && strings.HasPrefix(line, notRun):
			in.reason = strings.TrimPrefix(line, notRun)
		case in != nil:
			in.text = append(in.text, line)
		}
	}
	return found
}

// exitsWith is how the comment of a command declares an exit status other than 0.
var exitsWith = regexp.MustCompile(`#.*\bexits with (\d+)`)

// endsBy is how the comment of a command declares that it goes on until its user ends it.
var endsBy = regexp.MustCompile(`#.*\bCtrl-C ends it\b`)

// script turns a page's blocks into a bash script: one command after the other in one shell, each with the exit status that the page
// declares.
func script(t *testing.T, page string, all []block) string {
	t.Helper()
	var b strings.Builder
	for _, block := range all {
		if block.reason != "" {
			continue
		}
		command, from := "", block.line
		for i, line := range block.text {
			if command == "" {
				from = block.line + i
			}
			command += line + "\n"
			if strings.HasSuffix(line, `\`) || exec.Command("bash", "-n", "-c", command).Run() != nil || unended(command) {
				continue // a command of several lines
			}
			want := "0"
			if said := exitsWith.FindStringSubmatch(line); said != nil {
				want = said[1]
			}
			if endsBy.MatchString(line) {
				want = "Ctrl-C"
			}
			fmt.Fprintf(&b, "run %s:%d %s '%s'\n", filepath.Base(page), from, want, strings.ReplaceAll(command, "'", `'\''`))
			command = ""
		}
		if command != "" {
			t.Errorf("%s:%d: a command is not ended:\n%s", page, from, command)
		}
	}
	return b.String()
}

// unended reports whether a here-document has no end, which is only a warning in bash.
func unended(command string) bool {
	words := regexp.MustCompile(`<<-?'?([A-Z]+)'?`).FindStringSubmatch(command)
	return words != nil && !strings.Contains(command, "\n"+words[1]+"\n")
}

// TestDocsCommands runs every command of the documentation: a page is one shell, in a new HOME, in the repository ~/src/app that
// testdata/docs/fixture.sh creates. Further preparation of a page is in testdata/docs/PAGE.sh.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the documentation's commands are for bash")
	}
	here, err := filepath.Abs(filepath.Join("testdata", "docs"))
	must(t, err)
	var skipped []string
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		must(t, err)
		all := blocks(string(text))
		for _, b := range all {
			if b.reason != "" {
				skipped = append(skipped, filepath.Base(page)+": "+b.reason)
				t.Logf("%s:%d is not run: %s", page, b.line, b.reason)
			}
		}
		commands := script(t, page, all)
		if commands == "" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // for a command that waits
			defer cancel()
			cmd := exec.CommandContext(ctx, "bash", "-c", ". "+filepath.Join(here, "fixture.sh")+"\n[ ! -f \"$1\" ] || . \"$1\"\n"+commands, "docs", filepath.Join(here, name+".sh"))
			cmd.WaitDelay = 10 * time.Second // its child processes may hold its output open
			cmd.Dir, cmd.Env = h.dir, append(h.env, "CLONE="+filepath.Dir(filepath.Dir(filepath.Dir(here))), "DOCS="+here)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	slices.Sort(skipped)
	if want := slices.Sorted(slices.Values(unrun)); !slices.Equal(skipped, want) {
		t.Errorf("not run are %q, and %q were", skipped, want)
	}
}

// TestDocsLinks checks the links of the pages: each leads to a file, and to a heading if it names one.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)```.*?```|``.*?``|`[^`\n]*`")
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		must(t, err)
		for _, found := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			target, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			linked, err := os.ReadFile(file)
			if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
				continue
			}
			if err != nil {
				t.Errorf("%s leads to %s, which does not exist", page, found[1])
				continue
			}
			if heading != "" && !headings(string(linked))[heading] {
				t.Errorf("%s leads to %s, a heading that does not exist", page, found[1])
			}
		}
	}
}

// headings returns a page's anchors by GitHub's rules.
func headings(page string) map[string]bool {
	odd := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	all := map[string]bool{}
	for line := range strings.Lines(page) {
		if title := strings.TrimLeft(line, "#"); title != line {
			all[strings.ReplaceAll(odd.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
		}
	}
	return all
}
