package clitest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
)

// Sessions types each session of testdata/sessions into a program, in the test's process, with a home, a registry and a folder of its own,
// and compares what the program prints with what the session shows; -update writes it. A session consists of lines:
//
//	# a remark
//	$ agit tasks create app 'fix it' --id T-1
//	what it prints
//	! what it prints on standard error
//	= 4, its exit status, unless that is 0
//
// Other words than the program's name do what is around it: `repo NAME` makes a repository with one commit and goes there; `git` runs git;
// `write FILE TEXT` writes a file; `cd FOLDER` goes to a folder and makes it when it does not exist; `set NAME=VALUE` sets a variable of the environment; `type TEXT` is the standard input of the next run. Ids, times, commits and folders have names that
// are equal in each run, such as <w-1>, and a line of a session can use them.
func Sessions(t *testing.T, program string, root func(env *cli.Env, args []string) *cobra.Command) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the sessions show paths and programs of Unix")
	}
	t.Setenv("PATH", strings.Join([]string{filepath.Dir(sibling.OnPath("git")), "/usr/bin", "/bin"}, string(filepath.ListSeparator))) // no programs of the user
	paths, err := filepath.Glob(filepath.Join("testdata", "sessions", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			Golden(t, path, newSession(t, program, root).follow(strings.ReplaceAll(string(text), "\r\n", "\n")))
		})
	}
}

// session is a run of the lines of one file.
type session struct {
	t       *testing.T
	program string
	root    func(env *cli.Env, args []string) *cobra.Command
	home    string
	top     string // holds every folder of the session
	dir     string // is the current one
	environ []string
	input   string
	began   string // is the beginning of the ids made now
	names   []name
	places  *strings.Replacer
	shown   strings.Builder
}

func newSession(t *testing.T, program string, root func(env *cli.Env, args []string) *cobra.Command) *session {
	t.Helper()
	gittest.Isolate()
	s := &session{t: t, program: program, root: root, home: gittest.TempDir(t), top: gittest.TempDir(t), began: registry.NewID("")[:3]}
	s.dir = s.top
	beside, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.places = strings.NewReplacer(s.top, "<top>", s.home, "<home>", "in "+filepath.Dir(beside)+" or", "in <folder> or", "\t"+registry.Host()+"\t", "\t<host>\t")
	return s
}

// follow runs the lines of a session and returns it with what they print by now.
func (s *session) follow(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		command, typed := strings.CutPrefix(line, "$ ")
		if remark := strings.HasPrefix(line, "# "); typed || remark {
			s.shown.WriteString(line + "\n")
		}
		if typed {
			s.do(words(s.meant(command)))
		}
	}
	return s.shown.String()
}

func (s *session) do(words []string) {
	s.t.Helper()
	switch name, args := words[0], words[1:]; {
	case name == s.program:
		s.run(args)
	case name == "git":
		if out, err := (&gittest.Repo{Dir: s.dir}).TryGit(args...); err != nil {
			s.t.Fatalf("%sgit %q: %v: %s", s.shown.String(), args, err, out)
		}
	case name == "repo" && len(args) == 1:
		g := gittest.NewAt(s.t, filepath.Join(s.top, args[0]))
		g.Commit("first", "README", "the first line\n")
		s.dir = g.Dir
	case name == "cd" && len(args) == 1:
		if s.dir = filepath.Join(s.dir, args[0]); filepath.IsAbs(args[0]) {
			s.dir = args[0]
		}
		s.must(os.MkdirAll(s.dir, 0o755))
	case name == "write" && len(args) == 2:
		path := filepath.Join(s.dir, args[0])
		s.must(os.MkdirAll(filepath.Dir(path), 0o755))
		s.must(os.WriteFile(path, []byte(args[1]), 0o644))
	case name == "set":
		s.environ = append(s.environ, args...)
	case name == "type":
		s.input = strings.Join(args, "\n") + "\n"
	default:
		s.t.Fatalf("%q is not a line of a session", words)
	}
}

func (s *session) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%s%v", s.shown.String(), err)
	}
}

// run runs the program and shows what it prints.
func (s *session) run(args []string) {
	streams, in, out, errs := term.Test()
	in.WriteString(s.input)
	s.input = ""
	env := &cli.Env{Name: s.program, Streams: streams, Environ: s.environ, Dir: s.dir, UserHome: s.home}
	env.Agent = env.Getenv("AGIT_AGENT")
	status := cli.Main(s.t.Context(), env, s.root(env, args), args)
	for line := range strings.Lines(s.masked(out.String())) {
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "$ ") {
			line = " " + line
		}
		s.shown.WriteString(line)
	}
	for line := range strings.Lines(s.masked(errs.String())) {
		s.shown.WriteString("! " + line)
	}
	if text := s.shown.String(); !strings.HasSuffix(text, "\n") {
		s.shown.WriteString("\n")
	}
	if status != 0 {
		fmt.Fprintf(&s.shown, "= %d\n", status)
	}
}

// variable finds what differs between runs.
var variable = regexp.MustCompile(strings.Join([]string{
	`(?P<uid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)`,
	`(?P<time>\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?\b|\b\d\d:\d\d(:\d\d\b|( [A-Z][a-z]{2} \d\d?)\b))`,
	`(?P<project>\bp-[0-9a-f]{16}\b)`,
	`(?P<id>\b(?:[a-z]+-)?[0-9a-hjkmnp-tv-z]{10}\b)`,
	`(?P<commit>\b[0-9a-f]{40}\b|\b[0-9a-f]{12}\b|\b[0-9a-f]{7,8}\b)`,
	`(?P<took>\b\d+\.\d+ ms\b|\b\d+(\.\d+)?(ms|µs)\b)`,
	`(?P<size>\b\d+(\.\d+)? [kMGT]?B\b)`,
	`(?P<version>\b\d+\.\d+\.\d+\b|\bschema \d+\b)`,
	`(?P<number>"(port|pid|reused_worktrees)":\d+|ports from \d+)`,
}, "|"))

// folder finds the random end of the name of a worktree's branch or folder.
var folder = regexp.MustCompile(`(?:agit|\.worktrees)/[a-z0-9-]+(-[0-9a-hjkmnp-tv-z]{6})\b`)

// masked puts names that are equal in each run in the places of what differs between runs.
func (s *session) masked(text string) string {
	text = s.places.Replace(text)
	for _, end := range folder.FindAllStringSubmatch(text, -1) {
		s.named("end", end[1])
	}
	for _, n := range s.names {
		if n.kind == "end" {
			text = strings.ReplaceAll(text, n.is, n.called(n.is))
		}
	}
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		match := variable.FindStringSubmatch(found)
		group := func(name string) bool { return match[variable.SubexpIndex(name)] != "" }
		switch {
		case group("time"):
			return "<time>"
		case group("took"):
			return "<took>"
		case group("size"):
			return "<size>"
		case group("version"):
			return "<version>"
		case group("number"):
			return strings.TrimRight(found, "0123456789") + "<number>"
		case group("uid"):
			return s.named("u", found)
		case group("project"):
			return s.named("p", found)
		case group("id") && s.made(found):
			prefix, _, dash := strings.Cut(found, "-")
			if !dash {
				prefix = "id"
			}
			return s.named(prefix, found)
		case group("commit") && strings.ContainsAny(found, "0123456789") && strings.ContainsAny(found, "abcdef"):
			return s.named("c", found)
		}
		return found
	})
}

// made reports whether an id was made at the time of the session.
func (s *session) made(id string) bool {
	bare := id[len(id)-len(registry.NewID("")):]
	return strings.HasPrefix(bare, s.began) || strings.HasPrefix(bare, registry.NewID("")[:3])
}

// named returns the name of something of a kind that differs between runs: its place among those of the kind, and behind a colon the length
// of a shortened commit.
func (s *session) named(kind, found string) string {
	var place int
	for _, n := range s.names {
		if n.kind != kind {
			continue
		}
		if strings.HasPrefix(n.is, found) || strings.HasPrefix(found, n.is) {
			return n.called(found)
		}
		place = n.place
	}
	n := name{kind, place + 1, found}
	s.names = append(s.names, n)
	return n.called(found)
}

// name is a name for something that differs between runs.
type name struct {
	kind  string
	place int
	is    string // in this run
}

func (n name) called(found string) string {
	if n.kind == "c" && len(found) < 40 {
		return fmt.Sprintf("<c-%d:%d>", n.place, len(found))
	}
	return fmt.Sprintf("<%s-%d>", n.kind, n.place)
}

// meant puts what names stand for into a line.
func (s *session) meant(line string) string {
	line = strings.ReplaceAll(strings.ReplaceAll(line, "<top>", s.top), "<home>", s.home)
	for _, n := range s.names {
		line = strings.ReplaceAll(line, n.called(n.is), n.is)
	}
	return line
}

// words splits a line at spaces outside of single quotes; \n in quotes is a newline.
func words(line string) (all []string) {
	var word strings.Builder
	begun := false
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			word.WriteString(strings.ReplaceAll(part, `\n`, "\n"))
			begun = true
			continue
		}
		for j, plain := range strings.Split(part, " ") {
			if j > 0 && begun {
				all = append(all, word.String())
				word.Reset()
				begun = false
			}
			word.WriteString(plain)
			begun = begun || plain != ""
		}
	}
	if begun {
		all = append(all, word.String())
	}
	return all
}
