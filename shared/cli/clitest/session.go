package clitest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/git/gittest"
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
	SessionsOf(t, program, func(testing.TB) func(env *cli.Env, args []string) *cobra.Command { return root })
}

// SessionsOf is Sessions for a program that keeps something between the runs of a session; open is called once for each session.
func SessionsOf(t *testing.T, program string, open func(testing.TB) func(env *cli.Env, args []string) *cobra.Command) {
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
			s := newSession(t, program)
			s.root = open(t)
			Golden(t, path, s.follow(strings.ReplaceAll(string(text), "\r\n", "\n")))
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
	masks   *Masks
	shown   strings.Builder
}

func newSession(t *testing.T, program string) *session {
	t.Helper()
	gittest.Isolate()
	s := &session{t: t, program: program, home: gittest.TempDir(t), top: gittest.TempDir(t)}
	s.dir = s.top
	s.masks = NewMasks(t, s.top, "<top>", s.home, "<home>")
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
			s.do(words(s.masks.Meant(strings.ReplaceAll(strings.ReplaceAll(command, "<top>", s.top), "<home>", s.home))))
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
	for line := range strings.Lines(s.masks.Apply(out.String())) {
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "$ ") {
			line = " " + line
		}
		s.shown.WriteString(line)
	}
	for line := range strings.Lines(s.masks.Apply(errs.String())) {
		s.shown.WriteString("! " + line)
	}
	if text := s.shown.String(); !strings.HasSuffix(text, "\n") {
		s.shown.WriteString("\n")
	}
	if status != 0 {
		fmt.Fprintf(&s.shown, "= %d\n", status)
	}
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
