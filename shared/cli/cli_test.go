package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output/jq"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
)

// fixture is a binary with a few commands, run in the test's process.
type fixture struct {
	t         *testing.T
	env       *Env
	in        *bytes.Buffer
	out, errs *bytes.Buffer
	act       func(context.Context) error // what `act` does
}

func newFixture(t *testing.T) *fixture {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, project := filepath.Join(root, "home"), filepath.Join(root, "project")
	for _, dir := range []string{home, project} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s, in, out, errs := term.Test()
	return &fixture{t: t, in: in, out: out, errs: errs,
		env: &Env{Name: "agit", Version: "1.2.3", Commit: "abc", Streams: s, Dir: project, UserHome: home, JQ: jq.Compile}}
}

func (x *fixture) root() *cobra.Command {
	root := NewRoot(x.env, "Test the command line")
	root.AddGroup(&cobra.Group{ID: "work", Title: "Work"})
	act := &cobra.Command{Use: "act [REPO]", Short: "Do what the test says", GroupID: "work", Args: Args("[REPO]"), Example: "agit act",
		RunE: func(c *cobra.Command, _ []string) error {
			if x.act == nil {
				return nil
			}
			return x.act(c.Context())
		}}
	act.Flags().String("needed", "x", "a flag with a `value`")
	FlagHint(act, "need", "`agit must` is what wants a flag")
	Exits(act, 3, "nothing to do")
	must := &cobra.Command{Use: "must", Short: "Want a flag", RunE: func(*cobra.Command, []string) error { return nil }}
	must.Flags().String("wanted", "", "wanted")
	if err := must.MarkFlagRequired("wanted"); err != nil {
		x.t.Fatal(err)
	}
	say := &cobra.Command{Use: "say TEXT", Hidden: true, Args: Args("TEXT"), RunE: func(*cobra.Command, []string) error { return nil }}
	root.AddCommand(act, must, say, ConfigCommand(x.env), ServeCommand(x.env, 3847))
	return root
}

// run returns the status and drops the output of earlier runs.
func (x *fixture) run(args ...string) int {
	x.out.Reset()
	x.errs.Reset()
	x.env.Globals, x.env.running, x.env.hasJQ, x.env.configs, x.env.told, x.env.printer = Globals{}, false, false, nil, false, nil
	return Main(context.Background(), x.env, x.root(), args)
}

func TestStatus(t *testing.T) {
	x := newFixture(t)
	for _, c := range []struct {
		name   string
		err    error
		status int
		want   string
	}{
		{"done", nil, 0, ""},
		{"validation", fault.Validation("f", "wrong"), 2, "agit: wrong\n"},
		{"not found", fault.NotFound("repo", "x").WithHint("look"), 3, "agit: repo \"x\" does not exist; look\n"},
		{"conflict", fault.Conflict("task", "t", "taken"), 4, "agit: taken\n"},
		{"provider", fault.Provider(nil, "offline"), 5, "agit: offline\n"},
		{"database", fault.Database(nil, "full"), 1, "agit: full\n"},
		{"wrapped", fmt.Errorf("claim: %w", fault.Conflict("", "", "taken")), 4, "agit: claim: taken\n"},
		{"plain", errors.New("plain"), 1, "agit: plain\n"},
		{"silent", ExitStatus(1), 1, ""},
		{"silent 3", fmt.Errorf("next: %w", ExitStatus(3)), 3, ""},
		{"a program's status is not a status of ours", fault.Operation(&exec.ExitError{ProcessState: &os.ProcessState{}}, "git failed"), 1, "agit: git failed: exit status 0\n"},
		{"a closed pipe elsewhere", fault.Operation(syscall.EPIPE, "feed git"), 1, "agit: feed git: broken pipe\n"},
		{"companion", &sibling.ExitStatus{Code: 4}, 4, ""},
		{"closed pipe", fmt.Errorf("print: %w", syscall.EPIPE), 0, ""},
		{"hostile", fault.NotFound("repo", "\x1b[2J"), 3, "agit: repo \"\\x1b[2J\" does not exist\n"},
	} {
		x.act = func(context.Context) error { return c.err }
		if got := x.run("act"); got != c.status || x.errs.String() != c.want || x.out.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q", c.name, got, x.errs, x.out)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	x := newFixture(t)
	for _, c := range []struct{ args, want string }{
		{"acct", "there is no command \"acct\"; did you mean `agit act`?"},
		{"nonsense", "there is no command \"nonsense\"; `agit --help` lists the commands"},
		{"show", "there is no command \"show\"; did you mean `agit config show`?"},
		{"nonsense --flag", `there is no command "nonsense"`},
		{"config shwo", "agit: config has no command \"shwo\"; did you mean `agit config show`?"},
		{"config show --x", "agit: config show: unknown flag: --x"},
		{"act --neded 1", "agit: act: unknown flag: --neded; did you mean --needed?"},
		{"act --need", "agit: act: unknown flag: --need; `agit must` is what wants a flag"},
		{"act --json=maybe", "--json takes true or false"},
		{"act --jsno", "did you mean --json?"},
		{"act -z", "unknown shorthand flag: 'z' in -z"},
		{"act --needed", "flag needs an argument: --needed"},
		{"act --json=maybe", "--json takes true or false"},
		{"act --jsno", "did you mean --json?"},
		{"act -z", "unknown shorthand flag: 'z' in -z"},
		{"act --needed", "flag needs an argument: --needed"},
		{"act --ne", "did you mean --needed?"},
		{"act a b", `agit: act was given an argument too many: "b"; usage: agit act [REPO] [flags]`},
		{"act a b --needed c", `too many: "b"; words that belong together go in quotes; usage: agit act [REPO] [flags]`},
		{"act a b -q", `too many: "b"; usage: `},
		{"say it loud", `agit: say was given an argument too many: "loud"; words that belong together go in quotes; usage: agit say TEXT`},
		{"must", "required flag(s) \"wanted\" not set"},
		{"version x", `agit: version takes no argument, but was given "x"`},
		{"act -o xml", `"xml" is not an output format`},
		{"act --jq .[", "is not a jq expression"},
		{"act --log-level loud", `"loud" is not a log level`},
		{"help nonsense", `there is no command "nonsense"`},
		{"completion tcsh", `agit: completion has no command "tcsh"`},
		{"config get", "agit: config get needs KEY"},
		{"serve --transport carrier-pigeon", `"carrier-pigeon" is not a transport`},
		{"serve --port 99999 --transport http", "99999 is not a port"},
		{"serve --port 1", "--port means nothing over stdio"},
		{"serve --tools a,,b", "--tools holds an empty name"},
	} {
		if got := x.run(strings.Fields(c.args)...); got != 2 || !strings.Contains(x.errs.String(), c.want) || x.out.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q", c.args, got, x.errs, x.out)
		}
		if strings.Count(x.errs.String(), "\n") != 1 {
			t.Errorf("%s: not one line: %q", c.args, x.errs)
		}
	}
	if got := x.run("act", ""); got != 2 || !strings.Contains(x.errs.String(), "REPO is empty") {
		t.Errorf("an empty argument: %d, %q", got, x.errs)
	}
}

// TestFlagErrors: a flag's error says in words what it takes, what excludes what, and which flag was probably meant.
func TestFlagErrors(t *testing.T) {
	t.Parallel()
	s, _, _, errs := term.Test()
	env := &Env{Name: "agit", Streams: s, Dir: t.TempDir(), UserHome: t.TempDir()}
	for _, c := range []struct{ args, want string }{
		{"--json=maybe", "--json takes true or false, which \"maybe\" is not; `agit weigh --help` lists the flags"},
		{"--times many", "--times takes a whole number, which \"many\" is not; `agit weigh --help` lists the flags"},
		{"--share half", "--share takes a number, which \"half\" is not; `agit weigh --help` lists the flags"},
		{"--for long", `invalid argument "long" for "--for" flag`},
		{"--sure --unsure", "--sure and --unsure were both given; give one of them"},
		{"--unsure --perhaps --sure", "--sure, --unsure and --perhaps were all given; give one of them"},
		{"--sure --unsure more", `weigh takes no argument, but was given "more"`},
		{"--base main", "unknown flag: --base; `agit weigh --help` lists the flags"},
		{"--taks x", "unknown flag: --taks; did you mean --task?"},
		{"--ti 3", "unknown flag: --ti; did you mean --times?"},
		{"--t 3", "unknown flag: --t; `agit weigh --help` lists the flags"},
	} {
		root := NewRoot(env, "Test flags")
		weigh := &cobra.Command{Use: "weigh", Args: NoArgs, RunE: func(*cobra.Command, []string) error { return nil }}
		f := weigh.Flags()
		f.Int("times", 1, "")
		f.Float64("share", 1, "")
		f.Duration("for", 0, "")
		f.String("task", "", "")
		for _, name := range []string{"sure", "unsure", "perhaps"} {
			f.Bool(name, false, "")
		}
		weigh.MarkFlagsMutuallyExclusive("sure", "unsure", "perhaps")
		anything := &cobra.Command{Use: "anything", RunE: weigh.RunE}
		anything.Flags().Bool("sure", false, "")
		anything.Flags().Bool("unsure", false, "")
		anything.MarkFlagsMutuallyExclusive("sure", "unsure")
		root.AddCommand(weigh, anything)
		errs.Reset()
		if status := Main(t.Context(), env, root, append([]string{"weigh"}, strings.Fields(c.args)...)); status != 2 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: status %d, %s", c.args, status, errs)
		}
		errs.Reset()
		if status := Main(t.Context(), env, root, []string{"anything", "at", "all", "--sure", "--unsure"}); status != 2 || !strings.Contains(errs.String(), "anything: --sure and --unsure were both given") {
			t.Errorf("a command of any arguments: status %d, %s", status, errs)
		}
	}
}

// TestFlagHints: a tree's hints for flags reach the command that they name, or any, and no other.
func TestFlagHints(t *testing.T) {
	t.Parallel()
	s, _, _, errs := term.Test()
	for line, want := range map[string]string{
		"tell old --frist":  "agit: tell old: unknown flag: --frist; the first\n",
		"tell old -f":       "agit: tell old: unknown shorthand flag: 'f' in -f; the first\n",
		"tell --frist":      "agit: tell: unknown flag: --frist; `agit tell --help` lists the flags\n",
		"tell old --any":    "agit: tell old: unknown flag: --any; everywhere\n",
		"tell --any":        "agit: tell: unknown flag: --any; everywhere\n",
		"--any":             "agit: unknown flag: --any; everywhere\n",
		"tell old --absent": "agit: tell old: unknown flag: --absent; `agit tell old --help` lists the flags\n",
	} {
		errs.Reset()
		env := &Env{Name: "agit", Streams: s, Dir: t.TempDir(), UserHome: t.TempDir()}
		tree := Tree{Flags: func() map[string]string {
			return map[string]string{"tell old --frist -f": "the first", "--any": "everywhere", "missing --absent": "never"}
		},
			Sections: []Section{{Title: "Work", Commands: []Entry{Branch("tell", func(*Env) *cobra.Command {
				return Parent(&cobra.Command{Use: "tell"}, &cobra.Command{Use: "old", RunE: func(*cobra.Command, []string) error { return nil }})
			})}}}}
		args := strings.Fields(line)
		if status := Main(t.Context(), env, tree.Root(env, args), args); status != 2 || errs.String() != want {
			t.Errorf("%s: status %d, %s", line, status, errs)
		}
	}
}

func TestMachineErrors(t *testing.T) {
	x := newFixture(t)
	x.act = func(context.Context) error { return fault.NotFound("repo", "x") }
	for _, args := range []string{"act --json", "act -o json", "act -o ndjson", "act --jq .", "nonsense --json", "--json nonsense",
		"act --bogus -ojson", "act --bogus --output=ndjson", "act a b --json", "act --jq .[ --json", "must --json"} {
		status := x.run(strings.Fields(args)...)
		var got struct {
			Error   fault.Kind
			Message string
		}
		if err := json.Unmarshal(x.errs.Bytes(), &got); err != nil || got.Message == "" || got.Error.ExitCode() != status {
			t.Errorf("%s: status %d, %q", args, status, x.errs)
		}
	}
	for _, args := range []string{"act -o table", "act -- --json", "act --bogus"} {
		if x.run(strings.Fields(args)...); strings.HasPrefix(x.errs.String(), "{") {
			t.Errorf("%s: %q", args, x.errs)
		}
	}
}

func TestPanic(t *testing.T) {
	x := newFixture(t)
	x.act = func(context.Context) error { panic("oh") }
	if got := x.run("act"); got != 1 || !strings.Contains(x.errs.String(), "of its own: oh") || strings.Contains(x.errs.String(), "goroutine") {
		t.Errorf("status %d, %q", got, x.errs)
	}
	if x.run("act", "--log-level", "debug"); !strings.Contains(x.errs.String(), "goroutine") {
		t.Errorf("no stack for debugging: %q", x.errs)
	}
}

func TestInterrupt(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		x := newFixture(t)
		s := &signals{end: func() {}}
		s.got.Store(os.Signal(sig))
		if got := x.env.status(s, nil, fmt.Errorf("scan: %w", context.Canceled)); got != want {
			t.Errorf("%v: status %d", sig, got)
		}
		if got := x.env.status(s, nil, nil); got != 0 {
			t.Errorf("a server that stopped cleanly on %v: status %d", sig, got)
		}
		if x.errs.String() != "agit: interrupted before it was done\n" {
			t.Errorf("%q", x.errs)
		}
	}
}

func TestHelp(t *testing.T) {
	x := newFixture(t)
	want := `Do what the test says

Usage
  agit act [REPO] [flags]

Examples
  agit act

Flags
  -h, --help          help for act
      --needed value  a flag with a value (default x)

Exit codes
  3  nothing to do
Exit codes everywhere: 0 done, 1 found or failed, 2 usage, 3 not found,
  4 conflict, 5 unreachable (` + "`agit help exit-codes`" + `)
Global flags: --json, -o, --jq, -q, --no-color, --db, --config, --log-level
  (` + "`agit --help`" + `)
`
	for _, args := range []string{"act --help", "act -h", "help act"} {
		if got := x.run(strings.Fields(args)...); got != 0 || x.errs.Len() > 0 {
			t.Errorf("%s: status %d, %q", args, got, x.errs)
		}
		if diff := cmp.Diff(want, x.out.String()); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
	for _, args := range []string{"", "--help", "config", "help", "completion", "serve --help", "config trust --help"} {
		if got := x.run(strings.Fields(args)...); got != 0 || !strings.Contains(x.out.String(), "Exit codes") || x.errs.Len() > 0 {
			t.Errorf("%q: status %d, %q, %q", args, got, x.out, x.errs)
		}
	}
	if got := x.run("help", "exit-codes"); got != 0 || !strings.Contains(x.out.String(), "5  a provider or the network is not reachable\n") {
		t.Errorf("help exit-codes: status %d, %q", got, x.out)
	}
	if got := x.run("config", "--help"); got != 0 || !strings.Contains(x.out.String(), "Examples\n") {
		t.Errorf("an overview has no example: status %d, %q", got, x.out)
	}
	if entries, _ := os.ReadDir(x.env.UserHome); len(entries) > 0 {
		t.Errorf("help made %v", entries)
	}
}

// On a narrow terminal no line of a help is wider than it, except where one word is.
func TestHelpNarrow(t *testing.T) {
	x := newFixture(t)
	x.env.Streams.PretendTerminal(40)
	for _, args := range []string{"act --help", "config --help", "--help"} {
		x.run(strings.Fields(args)...)
		for line := range strings.Lines(x.out.String()) {
			if line = strings.TrimRight(line, "\n"); term.Width(line) > 40 {
				t.Errorf("%s: %q", args, line)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	x := newFixture(t)
	x.env.Details = func() []VersionDetail { return []VersionDetail{{"sqlite", "3.53"}} }
	if x.run("version", "--jq", "[.name, .version, .commit, .sqlite] | join(\" \")"); x.out.String() != "agit 1.2.3 abc 3.53\n" {
		t.Errorf("%q, %q", x.out, x.errs)
	}
	if x.run("--version"); x.out.String() != "agit version 1.2.3\n" {
		t.Errorf("%q", x.out)
	}
	if x.run("version"); !strings.HasPrefix(x.out.String(), "name      agit\nversion   1.2.3\n") {
		t.Errorf("%q", x.out)
	}
}

func TestLog(t *testing.T) {
	x := newFixture(t)
	x.env.Agent = "ann"
	x.act = func(context.Context) error { return fault.Conflict("", "", "taken") }
	x.run("act", "--log-level", "info", "--json")
	lines := strings.Split(strings.TrimSpace(x.errs.String()), "\n")
	var entry struct {
		Timestamp, Level, Tool, AgentName, Result string
		Duration                                  *float64
	}
	if err := json.Unmarshal([]byte(lines[0]), &entry); err != nil || len(lines) != 2 {
		t.Fatalf("%q", x.errs)
	}
	if entry.Tool != "agit act" || entry.Level != "info" || entry.AgentName != "ann" || entry.Result != "ConflictError" ||
		entry.Duration == nil || !strings.HasSuffix(entry.Timestamp, "Z") {
		t.Errorf("%s", lines[0])
	}
	if x.run("act"); strings.Contains(x.errs.String(), "timestamp") {
		t.Errorf("logs nobody asked for: %q", x.errs)
	}
}

func TestRegistry(t *testing.T) {
	x := newFixture(t)
	path := filepath.Join(x.env.Dir, "sub", "r.db")
	var opened *registry.DB
	x.act = func(ctx context.Context) error {
		first, err := x.env.Registry(ctx)
		if err != nil {
			return err
		}
		opened, err = x.env.Registry(ctx)
		if first != opened || opened.Path() != path {
			t.Errorf("opened %s", opened.Path())
		}
		return err
	}
	if got := x.run("act", "--db", "sub/r.db"); got != 0 {
		t.Fatalf("%d: %s", got, x.errs)
	}
	if x.env.registry != nil {
		t.Error("the registry was left open")
	}
	if err := opened.Read(context.Background(), func(*registry.Tx) error { return nil }); err == nil {
		t.Error("the registry can still be read")
	}
}

func TestComplete(t *testing.T) {
	x := newFixture(t)
	calls := 0
	build := func() *cobra.Command {
		root := x.root()
		c, _, err := root.Find([]string{"act"})
		if err != nil {
			t.Fatal(err)
		}
		c.ValidArgsFunction = CompleteFirst(x.env, func(context.Context, *registry.DB, string) ([]string, error) {
			calls++
			return []string{"myapp\tthe app", "other", "my\nlines"}, nil
		})
		return root
	}
	complete := func(args ...string) string {
		x.out.Reset()
		x.env.configs = nil
		Main(context.Background(), x.env, build(), append([]string{"__complete"}, args...))
		return x.out.String()
	}
	if got := complete("act", "my"); got != ":4\n" || calls > 0 {
		t.Errorf("without a registry: %q", got)
	}
	if entries, _ := os.ReadDir(x.env.UserHome); len(entries) > 0 {
		t.Errorf("completion made %v", entries)
	}
	x.act = func(ctx context.Context) error { _, err := x.env.Registry(ctx); return err }
	if got := x.run("act"); got != 0 {
		t.Fatal(x.errs)
	}
	if got := complete("act", "my"); got != "myapp\tthe app\n:4\n" {
		t.Errorf("repositories: %q", got)
	}
	if got := complete("act", "myapp", ""); got != ":4\n" {
		t.Errorf("second argument: %q", got)
	}
	if got := complete("act", "-o", ""); got != "table\njson\nndjson\n:4\n" {
		t.Errorf("formats: %q", got)
	}
	if got := complete("config", "get", "agent."); !strings.Contains(got, "agent.stale_after") {
		t.Errorf("keys: %q", got)
	}
	if err := os.WriteFile(filepath.Join(x.env.Dir, ".agit.toml"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := complete("act", "my"); got != ":4\n" {
		t.Errorf("with a broken file: %q", got)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := x.run("completion", shell); got != 0 || x.out.Len() < 1000 {
			t.Errorf("%s: %d", shell, got)
		}
		if got := x.run("completion", shell, "--no-descriptions"); got != 0 || x.out.Len() < 1000 {
			t.Errorf("%s without descriptions: %d", shell, got)
		}
	}
}

func TestServe(t *testing.T) {
	x := newFixture(t)
	var path string
	var args []string
	build := func() *cobra.Command {
		root := NewRoot(x.env, "Test")
		root.AddCommand(newServe(x.env, 3847, func(ctx context.Context, o *serveOptions) error {
			o.find = func(name string) (string, error) { return "/bin/" + name, nil }
			o.exec = func(p string, a, _ []string) error { path, args = p, a; return nil }
			return runServe(ctx, o)
		}))
		return root
	}
	command := []string{"serve", "--transport", "http", "--port", "4000", "--tools", "core,agit_check", "--read-only", "--db", "-x.db", "--log-level", "debug", "-q"}
	if got := Main(context.Background(), x.env, build(), command); got != 0 {
		t.Fatal(x.errs)
	}
	want := []string{"--db=-x.db", "--log-level=debug", "--quiet", "--transport=http", "--port=4000", "--tools=core,agit_check", "--read-only"}
	if diff := cmp.Diff(want, args); diff != "" || path != "/bin/agit-mcp" {
		t.Errorf("%s %s", path, diff)
	}

	// The companion reads the flags that were passed on.
	y := newFixture(t)
	var got ServeOptions
	root := NewServer(y.env, "Test", 3847, func(_ context.Context, o *ServeOptions) error { got = *o; return nil })
	if status := Main(context.Background(), y.env, root, args); status != 0 {
		t.Fatal(y.errs)
	}
	if got.Transport != HTTP || got.ListenPort(1) != 4000 || !got.ReadOnly || len(got.Tools) != 2 || y.env.Globals.DB != "-x.db" {
		t.Errorf("the companion understands %+v", got)
	}
	none := ServeOptions{defaultPort: 3847}
	if none.ListenPort(0) != 3847 || none.ListenPort(5) != 5 {
		t.Error("ports without a flag")
	}
}

func TestServeWithoutCompanion(t *testing.T) {
	x := newFixture(t)
	t.Setenv("PATH", t.TempDir())
	if got := x.run("serve"); got != 3 || !strings.Contains(x.errs.String(), "agit-mcp") {
		t.Errorf("%d, %q", got, x.errs)
	}
}

func TestDocs(t *testing.T) {
	x := newFixture(t)
	pages := func(format string) map[string]string {
		dir := t.TempDir()
		if got := x.run("docs", dir, "--format", format); got != 0 {
			t.Fatal(x.errs)
		}
		out := map[string]string{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			out[e.Name()] = string(text)
		}
		return out
	}
	for _, format := range []string{"markdown", "man"} {
		first := pages(format)
		if diff := cmp.Diff(first, pages(format)); diff != "" {
			t.Errorf("%s is not the same twice: %s", format, diff)
		}
		if len(first) < 15 {
			t.Errorf("%s: %d pages", format, len(first))
		}
		for name := range first {
			if strings.Contains(name, "docs") || strings.Contains(name, "help") {
				t.Errorf("a page of a hidden command: %s", name)
			}
		}
	}
	want := "# agit act\n\nDo what the test says.\n\n```\nagit act [REPO] [flags]\n```\n\n## Examples\n\n```\nagit act\n```\n\n## Flags\n\n| flag | meaning |\n|---|---|\n" +
		"| `-h, --help` | help for act |\n| `--needed value` | a flag with a value (default x) |\n\nThe global flags are those of [agit](agit.md).\n"
	if got := pages("markdown")["agit-act.md"]; !strings.HasPrefix(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if got := x.run("docs", t.TempDir(), "--format", "pdf"); got != 2 {
		t.Errorf("pdf: %d", got)
	}
}

// TestHooksAreNotBlocked: a client takes exit status 2 of a hook as a refusal, and a hook's line may come from another version.
func TestHooksAreNotBlocked(t *testing.T) {
	for line, want := range map[string]int{
		"act r": 0, "act --new r": 2, "act --hook": 0, "act --hook --new": 0, "act --new --hook": 0, "act --hook --new=x --hook": 0, "act --hook a b": 0, "act --hook --needed": 0, "other --hook": 2, "--hook": 2,
	} {
		x := newFixture(t)
		root := x.root()
		for _, c := range root.Commands() {
			if c.Name() == "act" {
				c.Flags().Bool("hook", false, "serve a hook")
				ForHooks(c, "hook")
			}
		}
		if got := Main(t.Context(), x.env, root, strings.Fields(line)); got != want {
			t.Errorf("%s exits with %d, want %d: %s", line, got, want, x.errs)
		}
	}
	x := newFixture(t) // other failures keep their status
	x.act = func(context.Context) error { return fault.Operation(nil, "it failed") }
	root := x.root()
	for _, c := range root.Commands() {
		if c.Name() == "act" {
			c.Flags().Bool("hook", false, "serve a hook")
			ForHooks(c, "hook")
		}
	}
	if got := Main(t.Context(), x.env, root, []string{"act", "--hook"}); got != 1 {
		t.Errorf("a failure exits with %d", got)
	}
}
