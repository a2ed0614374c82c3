package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agit-suite/agit/shared/fault"
)

// The difference of a file names it on both sides, or the null device where it did not or will not exist, and shows no secret.
func TestDiffs(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	r := Report{Files: []File{
		{Path: "new", After: "a\n"},
		{Path: "changed", Before: "a\n", After: "b\n"},
		{Path: "gone", Before: "a\n", After: "still\n", Gone: true},
		{Path: "gone empty", Gone: true},
		{Path: "same", Before: "a\n", After: "a\n"},
		{Path: "beside a key", Before: "a\n" + secret + "\n", After: "b\n" + secret + "\n"},
	}}
	r.Diffs()
	if text := r.Files[5].Diff; strings.Contains(text, secret) || !strings.Contains(text, "-a\n+b\n") {
		t.Errorf("%s", text)
	}
	want := []File{
		{Path: "new", Diff: "--- /dev/null\n+++ new\n@@ -0,0 +1,1 @@\n+a\n"},
		{Path: "changed", Before: "a\n", Diff: "--- changed\n+++ changed\n@@ -1,1 +1,1 @@\n-a\n+b\n"},
		{Path: "gone", Before: "a\n", Gone: true, Diff: "--- gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"},
		{Path: "gone empty", Gone: true, Diff: "--- gone empty\n+++ /dev/null\n"},
		{Path: "same", Before: "a\n"},
	}
	if d := cmp.Diff(want, r.Files[:5]); d != "" {
		t.Error(d)
	}
}

// A run is refused when something failed and nothing was changed.
func TestRefused(t *testing.T) {
	t.Parallel()
	for done, want := range map[string]bool{
		"": false, Failed: true, Kept: false, Failed + " " + Kept: true, Kept + " " + Failed: true, Failed + " " + Added: false, Updated + " " + Failed: false, Failed + " " + Removed + " " + Failed: false,
	} {
		r := Report{}
		for one := range strings.SplitSeq(done, " ") {
			r.Items = append(r.Items, Item{Done: one})
		}
		if got := r.Refused(); got != want {
			t.Errorf("%q is refused: %t", done, got)
		}
	}
}

// The files outside the project are named, or counted by their folders when there are more than three.
func TestOutside(t *testing.T) {
	t.Parallel()
	home := filepath.FromSlash("/home/ann")
	s := &Setup{Dir: filepath.Join(home, "app"), Home: home, Options: Options{Scope: Project}}
	for _, c := range []struct {
		files, outside string
		inside         bool
	}{
		{"", "", false},
		{"~/app/AGENTS.md", "", true},
		{"~/.codex/config.toml", "~/.codex/config.toml", false},
		{"~/app/a ~/apple /opt/x ~/app/../b", "~/apple, /opt/x, ~/b", true},
		{"~/.codex/a ~/.codex/b/c ~/.cursor/d /opt/x ~/app/a", "4 files in ~/.codex, ~/.cursor, /opt/x", true},
		{"~/.a ~/.b ~/.c ~/.d", "4 files in ~/.a, ~/.b, ~/.c, ~/.d", false},
	} {
		var r Report
		for path := range strings.FieldsSeq(c.files) {
			r.Files = append(r.Files, File{Path: filepath.FromSlash(strings.Replace(path, "~", home, 1))})
		}
		if got := s.Outside(r); filepath.ToSlash(got) != c.outside || s.Inside(r) != c.inside {
			t.Errorf("%s: outside %q, inside %t", c.files, got, s.Inside(r))
		}
	}
	s.Options.Scope = User
	if r := (Report{Files: []File{{Path: filepath.Join(s.Dir, "a")}}}); s.Inside(r) || filepath.ToSlash(s.Outside(r)) != "~/app/a" {
		t.Errorf("for the user every file is outside, not %q", s.Outside(r))
	}
}

// The reason of the system is added to an error's text unless it is in it.
func TestPlainReasons(t *testing.T) {
	t.Parallel()
	path := &fs.PathError{Op: "open", Path: "/x", Err: errors.New("too many links")}
	link := &os.LinkError{Op: "rename", Old: "/x", New: "/y", Err: errors.New("no space left")}
	for want, err := range map[string]error{
		"alone":                         errors.New("alone"),
		`read "x": too many links`:      fault.Operation(path, "read %q", "x"),
		`write "x": no space left`:      fault.Operation(link, "write %q", "x"),
		"read it: too many links again": fault.Operation(path, "read it: too many links again"),
		"no such thing":                 fault.Conflict("file", "x", "no such thing"),
	} {
		if got := plain(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// With Within, items in files outside the project are looked at and left; those that need nothing are not reported as kept.
func TestWithin(t *testing.T) {
	const lies = "lies outside the project; --yes agrees to change it"
	config := func(l lab) string { return filepath.Join(l.home, ".codeium", "windsurf", "mcp_config.json") }
	type outcome struct {
		State     State
		Done, Why string
	}
	look := func(l lab, o Options, kind Kind, name string) outcome {
		l.Helper()
		before := l.tree(l.home)
		it := find(l.T, l.apply(o), kind, name)
		if d := cmp.Diff(before, l.tree(l.home)); d != "" {
			l.Error(d)
		}
		return outcome{it.State, it.Done, it.Why}
	}
	o := Options{Clients: []string{"windsurf"}, Servers: []string{"agit"}, Within: true}
	for name, c := range map[string]struct {
		text        string
		put, remove outcome
	}{
		"no file":      {"", outcome{Missing, Kept, lies}, outcome{Missing, "", ""}},
		"its server":   {`{"mcpServers":{"agit":{"command":"agit","args":["serve","--tools","core"]}}}`, outcome{Current, "", ""}, outcome{Current, Kept, lies}},
		"a moved one":  {`{"mcpServers":{"agit":{"command":"/gone/agit","args":["serve"]}}}`, outcome{Stale, Kept, lies}, outcome{Current, Kept, lies}},
		"a broken one": {`{`, outcome{Broken, Kept, lies}, outcome{Broken, Kept, lies}},
	} {
		l := newLab(t)
		if c.text != "" {
			l.write(config(l), c.text, 0o600)
		}
		if d := cmp.Diff(c.put, look(l, o, KindServer, "agit")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		remove := o
		remove.Remove = true
		if d := cmp.Diff(c.remove, look(l, remove, KindServer, "agit")); d != "" {
			t.Errorf("%s, removed: %s", name, d)
		}
	}

	l := newLab(t)
	if err := os.MkdirAll(config(l), 0o755); err != nil { // a folder cannot be read
		t.Fatal(err)
	}
	if d := cmp.Diff(outcome{Broken, Kept, lies}, look(l, o, KindServer, "agit")); d != "" {
		t.Error(d)
	}
	l = newLab(t)
	l.write(filepath.Join(l.home, ".claude", "settings.json"), `{"enabledPlugins": {"agit@agit-suite": true}}`, 0o600)
	user := Options{Clients: []string{"claude-code"}, Scope: User, Within: true}
	by := outcome{Current, "", "comes with the plugin agit@agit-suite, which is enabled in " + filepath.Join(l.home, ".claude", "settings.json")}
	if d := cmp.Diff(by, look(l, user, KindServer, "agit")); d != "" {
		t.Errorf("brought by a plugin: %s", d)
	}
	user.Remove = true
	if d := cmp.Diff(outcome{Missing, "", ""}, look(l, user, KindServer, "agit")); d != "" {
		t.Errorf("brought by a plugin, removed: %s", d)
	}
}

// A stub is a part whose methods have set results.
type stub struct {
	state State
	why   string
	own   bool
	gone  bool
	err   error
}

func (p stub) look(*Setup, *file) (State, string)     { return p.state, p.why }
func (p stub) ours(*Setup, *file, string) bool        { return p.own }
func (p stub) put(_ *Setup, f *file, id string) error { f.text = "put " + id; return p.err }
func (p stub) take(*Setup, *file, string) (bool, string, error) {
	return p.gone, p.why, p.err
}

// The outcome of an item follows from its state, the options and whether it is as setup wrote it.
func TestOneItem(t *testing.T) {
	t.Parallel()
	failed := errors.New("the edit failed")
	type outcome struct {
		State     State
		Done, Why string
		Text      string
		Recorded  bool
	}
	dir := t.TempDir()
	there, folder := filepath.Join(dir, "there"), filepath.Join(dir, "folder")
	if err := errors.Join(os.WriteFile(there, []byte("x"), 0o600), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		part stub
		o    Options
		file string // "there" when empty
		want outcome
	}{
		"current":                     {part: stub{state: Current, why: "so"}, want: outcome{Current, "", "so", "x", true}},
		"missing":                     {part: stub{state: Missing, why: "so"}, want: outcome{Missing, Added, "so", "put hook/h", true}},
		"missing, and cannot be put":  {part: stub{state: Missing, err: failed}, want: outcome{Missing, Failed, "the edit failed", "put hook/h", true}},
		"stale and ours":              {part: stub{state: Stale, own: true, why: "so"}, want: outcome{Stale, Updated, "so", "put hook/h", true}},
		"stale and a person's":        {part: stub{state: Stale, why: "so"}, want: outcome{Stale, Kept, "so", "x", true}},
		"stale, a person's, forced":   {part: stub{state: Stale}, o: Options{Force: true}, want: outcome{Stale, Updated, "", "put hook/h", true}},
		"stale, and cannot be put":    {part: stub{state: Stale, own: true, err: failed}, want: outcome{Stale, Failed, "the edit failed", "put hook/h", true}},
		"broken":                      {part: stub{state: Broken, why: "so"}, want: outcome{Broken, Failed, "so", "x", true}},
		"fresh":                       {part: stub{state: Current, why: "so"}, o: Options{Fresh: true}, want: outcome{Missing, Added, "", "put hook/h", false}},
		"fresh, and cannot be put":    {part: stub{err: failed}, o: Options{Fresh: true}, want: outcome{Missing, Failed, "the edit failed", "put hook/h", false}},
		"removed":                     {part: stub{state: Current, gone: true}, o: Options{Remove: true}, want: outcome{Current, Removed, "", "x", false}},
		"not removed":                 {part: stub{state: Current, why: "so"}, o: Options{Remove: true}, want: outcome{Current, Kept, "so", "x", true}},
		"removal fails":               {part: stub{state: Current, err: failed, gone: true}, o: Options{Remove: true}, want: outcome{Current, Failed, "the edit failed", "x", true}},
		"nothing to remove":           {part: stub{state: Missing, why: "so", gone: true}, o: Options{Remove: true}, want: outcome{Missing, "", "", "x", true}},
		"a broken file is not taken":  {part: stub{state: Broken, why: "so"}, o: Options{Remove: true}, want: outcome{Broken, Kept, "so", "x", true}},
		"no file to remove from":      {part: stub{state: Current, why: "so", gone: true}, o: Options{Remove: true}, file: filepath.Join(dir, "none"), want: outcome{Missing, "", "", "", false}},
		"a folder":                    {part: stub{state: Current}, file: folder, want: outcome{Broken, Failed, `"<dir>/folder" is not a regular file`, "", true}},
		"a folder, fresh":             {part: stub{state: Current}, o: Options{Fresh: true}, file: folder, want: outcome{Missing, Added, "", "put hook/h", false}},
		"a folder, to be removed":     {part: stub{state: Current}, o: Options{Remove: true}, file: folder, want: outcome{Broken, Failed, `"<dir>/folder" is not a regular file`, "", true}},
		"a file below a file":         {part: stub{state: Current}, file: filepath.Join(there, "below"), want: outcome{Broken, Failed, `look at "<dir>/there/below": not a directory`, "", false}},
		"a file below a file, remove": {part: stub{state: Current}, o: Options{Remove: true}, file: filepath.Join(there, "below"), want: outcome{Broken, Failed, `look at "<dir>/there/below": not a directory`, "", false}},
	} {
		c.o.Scope = Project
		if c.file == "" {
			c.file = there
		}
		s := &Setup{Dir: dir, Home: dir, Options: c.o, files: map[string]*file{}, records: &manifest{Files: map[string]*record{}}}
		s.records.Files[c.file] = &record{Entries: []entry{{ID: "hook/h"}}}
		it := &Item{Clients: []string{"zed"}, Kind: KindHook, Name: "h", File: c.file, part: c.part}
		s.one(it)
		f := s.open(c.file)
		got := outcome{it.State, it.Done, strings.ReplaceAll(it.Why, dir, "<dir>"), f.text, f.rec.entryOf("hook/h") != nil}
		if runtime.GOOS == "windows" {
			got.Why, c.want.Why = "", "" // the system has other words there
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The choice of servers for one client follows from the options, else from the choice that is kept for the place.
func TestChosenServers(t *testing.T) {
	t.Parallel()
	kept := choice{Servers: []string{"pmsync"}}
	for name, c := range map[string]struct {
		o    Options
		want choice
	}{
		"nothing":         {Options{}, kept},
		"none":            {Options{NoServers: true}, choice{None: true}},
		"none and some":   {Options{NoServers: true, Servers: []string{"agit"}}, choice{None: true}},
		"all":             {Options{Servers: []string{"all"}}, choice{}},
		"all, removed":    {Options{Servers: []string{"all"}, Remove: true}, choice{Servers: Servers}},
		"some":            {Options{Servers: []string{"agit", "memoryd"}}, choice{Servers: []string{"agit", "memoryd"}}},
		"some, removed":   {Options{Servers: []string{"agit"}, Remove: true}, choice{Servers: []string{"agit"}}},
		"removed":         {Options{Remove: true}, choice{}},
		"another scope":   {Options{Scope: User}, choice{}},
		"another scope's": {Options{Scope: User, Servers: []string{"agit"}}, choice{Servers: []string{"agit"}}},
	} {
		if c.o.Scope == "" {
			c.o.Scope = Project
		}
		s := &Setup{Options: c.o, root: "/app", records: &manifest{Choices: map[string]choice{"project zed /app": kept, "project cursor /app": {None: true}, "project zed /other": {}}}}
		if d := cmp.Diff(c.want, s.chosenServers(recipeOf("zed")), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	m := &manifest{}
	for i, step := range []struct {
		c       choice
		changed bool
		left    int
	}{{choice{}, false, 0}, {choice{None: true}, true, 1}, {choice{None: true}, false, 1}, {choice{Servers: []string{"agit"}}, true, 1}, {choice{Servers: []string{"agit"}}, false, 1}, {choice{}, true, 0}, {choice{}, false, 0}} {
		if changed := m.keep("a", step.c); changed != step.changed || len(m.Choices) != step.left || step.left == 1 && !cmp.Equal(m.Choices["a"], step.c) {
			t.Errorf("step %d: changed %t, %v", i, changed, m.Choices)
		}
	}
}

// A run is refused before it looks at anything when its options have no meaning, with what they may be.
func TestOptionsThatAreRefused(t *testing.T) {
	l := newLab(t)
	none := ""
	for name, c := range map[string]struct {
		edit func(*Setup)
		want *string
	}{
		"a client":               {func(s *Setup) { s.Options.Clients = []string{"codex", "emacs"} }, new("\"emacs\" is not a known client; the clients are claude-code, codex, cursor, vscode, opencode, gemini, windsurf, zed")},
		"other names of clients": {func(s *Setup) { s.Options.Clients = []string{"claude", "gemini-cli", "cursor-agent", "code", "zed"} }, &none},
		"a server":               {func(s *Setup) { s.Options.Servers = []string{"agit", "nope"} }, new("\"nope\" is not a server of the suite; they are agit, pmsync, memoryd, citecheck, classify; all alone is all of them")},
		"all and another":        {func(s *Setup) { s.Options.Servers = []string{"agit", "all"} }, new("\"all\" is not a server of the suite; they are agit, pmsync, memoryd, citecheck, classify; all alone is all of them")},
		"all alone":              {func(s *Setup) { s.Options.Servers = []string{"all"} }, &none},
		"a set of tools":         {func(s *Setup) { s.Options.Tools = "most" }, new("--tools is core or all, not \"most\"; core is the small set an agent uses in its loop")},
		"the small set":          {func(s *Setup) { s.Options.Tools = "core" }, &none},
		"the whole set":          {func(s *Setup) { s.Options.Tools = "all" }, &none},
		"no home":                {func(s *Setup) { s.Home = "" }, new("the home folder is not known; set HOME")},
		"the home as a project":  {func(s *Setup) { s.Dir = s.Home }, new("\"<home>\" is the home folder, not a project; change to a project, or give --global")},
		"a link to the home":     {func(s *Setup) { s.Dir = filepath.Join(l.project, "link") }, new("\"<app>/link\" is the home folder, not a project; change to a project, or give --global")},
		"the home for the user":  {func(s *Setup) { s.Dir, s.Options.Scope = s.Home, User }, &none},
	} {
		if name == "a link to the home" {
			if err := os.Symlink(l.home, filepath.Join(l.project, "link")); err != nil {
				continue
			}
		}
		s := l.setup(Options{})
		c.edit(s)
		got := ""
		if err := s.prepare(); err != nil {
			got = strings.NewReplacer(filepath.ToSlash(l.home), "<home>", filepath.ToSlash(l.project), "<app>").Replace(filepath.ToSlash(err.Error()))
		}
		if got != *c.want {
			t.Errorf("%s: %q, want %q", name, got, *c.want)
		}
	}
}

// The clients of a report are those that were found, with what shows them, and those that were named.
func TestFoundClients(t *testing.T) {
	l := newLab(t)
	gone := func(path string) string { return strings.ReplaceAll(path, l.project, "<app>") }
	short := func(r Report) (lines []string) {
		for _, f := range r.Clients {
			how := strings.NewReplacer(l.home, "<home>", l.bin, "<bin>").Replace(gone(f.How))
			lines = append(lines, strings.TrimSpace(filepath.ToSlash(f.Name+": "+how+" "+f.Note)))
			if f.Found != (f.How != "") {
				t.Errorf("%+v", f)
			}
		}
		return lines
	}
	look := func(o Options) []string {
		t.Helper()
		r, err := l.setup(o).Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Clients == nil || r.Items == nil {
			t.Error("an empty list is null in JSON")
		}
		return short(r)
	}
	check := func(want []string, o Options) {
		t.Helper()
		if d := cmp.Diff(want, look(o)); d != "" {
			t.Error(d)
		}
	}
	check(nil, Options{})
	check([]string{"zed:"}, Options{Clients: []string{"zed"}})
	l.write(filepath.Join(l.home, ".codeium", "windsurf", "x"), "x", 0o600)
	l.write(filepath.Join(l.home, ".cursor", "x"), "x", 0o600)
	l.write(filepath.Join(l.project, ".zed", "x"), "x", 0o600)
	l.write(filepath.Join(l.bin, "codex"+programSuffixes()[0]), "", 0o755)
	const note = "its servers are configured for the user only: `agit setup --global windsurf`"
	program := "codex: <bin>/codex" + programSuffixes()[0]
	check([]string{program, "cursor: <home>/.cursor", "windsurf: <home>/.codeium/windsurf " + note, "zed: <app>/.zed"}, Options{})
	const stay = "servers that the user has stay: `agit setup --global --remove windsurf` takes them out"
	check([]string{program, "cursor: <home>/.cursor", "windsurf: <home>/.codeium/windsurf " + stay, "zed: <app>/.zed"}, Options{Remove: true})
	check([]string{program, "cursor: <home>/.cursor", "windsurf: <home>/.codeium/windsurf", "zed: <app>/.zed"}, Options{Clients: []string{"windsurf"}})
	check([]string{program, "cursor: <home>/.cursor", "windsurf: <home>/.codeium/windsurf", "zed: <app>/.zed"}, Options{Scope: User})
}
