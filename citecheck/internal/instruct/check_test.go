package instruct

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

// repository makes a repository whose files are named in steps: each step is a commit
// that writes files, and removes those that begin with a minus.
func repository(t *testing.T, steps ...map[string]string) string {
	t.Helper()
	r := gittest.New(t)
	for i, step := range steps {
		for name, text := range step {
			if old, now, renamed := strings.Cut(name, " => "); renamed {
				r.Git("mv", old, now)
				continue
			}
			if gone, ok := strings.CutPrefix(name, "-"); ok {
				r.Git("rm", "-q", "-r", gone)
				continue
			}
			full := filepath.Join(r.Dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", fmt.Sprintf("step %d", i+1))
	}
	return r.Dir
}

// found lists the findings of a check of root, one a line, and what it passed over.
func found(t *testing.T, root string, o Options) (findings, passed []string) {
	t.Helper()
	o.Explain = true
	report, err := Check(context.Background(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	findings, passed = []string{}, []string{}
	for _, f := range report.Findings {
		line := fmt.Sprintf("%s %s %s %s", f.Place(), f.Verdict, f.Kind, f.Text)
		if f.Found != "" {
			line += " => " + f.Found
		}
		findings = append(findings, line)
	}
	for _, p := range report.Passed {
		passed = append(passed, p.Text+": "+p.Why)
	}
	return findings, passed
}

func TestRules(t *testing.T) {
	t.Parallel()
	code := map[string]string{"src/core/a.go": "package core\n", "web/src/b.ts": "export {}\n", "docs/guide.md": "# Guide\n", ".gitignore": "/local/\n*.log\n"}
	for name, c := range map[string]struct {
		text string
		want []string // findings
		pass string   // why the only reference is passed over
	}{
		"what is there":                       {text: "`src/core/a.go`, `docs/`, [g](docs/guide.md) and docs/guide.md\n"},
		"relative to a package":               {text: "`core/a.go` and `src/b.ts` and `b.ts`\n"},
		"without its ending, as imports have": {text: "`@/b` and `src/b` and `src/b.js`\n"},
		"a path that never was":               {text: "Options are in `src/core/options.go`.\n", want: []string{"CLAUDE.md:1 missing path src/core/options.go"}},
		"a folder that never was":             {text: "All tests are in `tests/`.\n", want: []string{"CLAUDE.md:1 missing path tests/"}},
		"an import":                           {text: "@docs/more.md\n", want: []string{"CLAUDE.md:1 missing import @docs/more.md"}},
		"a link":                              {text: "[more](docs/more.md)\n", want: []string{"CLAUDE.md:1 missing link docs/more.md"}},
		"something is added to it":            {text: "Add the handler to `src/core/handlers.go`.\n", want: []string{"CLAUDE.md:1 missing path src/core/handlers.go"}},
		"a drawing":                           {text: "```\nsrc/\n├── core/\n├── tools/\n└── a.md\n```\n", want: []string{"CLAUDE.md:4 missing path tools/", "CLAUDE.md:5 missing path a.md"}},
		"told once":                           {text: "`src/core/opts.go`\n\n`src/core/opts.go`\n", want: []string{"CLAUDE.md:1 missing path src/core/opts.go"}},

		"ignored":                    {text: "`local/settings.go`\n", pass: whyIgnored},
		"built":                      {text: "`src/dist/app.js`\n", pass: whyBuilt},
		"a pattern":                  {text: "`src/**/*.go`\n", pass: whyPlaceholder},
		"a placeholder":              {text: "`src/core/<name>.go`\n", pass: whyPlaceholder},
		"a new file's name":          {text: "`src/core/newcommand.go`\n", pass: whyPlaceholder},
		"a user's folder":            {text: "`~/.config/app.toml`\n", pass: whyElsewhere},
		"a package":                  {text: "`@scope/name`\n", pass: whyAddress},
		"a module":                   {text: "`github.com/a/b`\n", pass: whyAddress},
		"a branch":                   {text: "`feat/login`\n", pass: whyName},
		"a denial":                   {text: "There is no `src/core/options.go`.\n", pass: whyDenied},
		"a denial in a heading":      {text: "## Planned\n\n`src/core/options.go` has them.\n", pass: whyDenied},
		"an example":                 {text: "Name tests for the code, e.g. `src/core/a_test.go`.\n", pass: whyExample},
		"an order to make it":        {text: "Create `src/core/options.go` for options.\n", pass: whyMade},
		"an order to add it":         {text: "Add `src/core/options.go` for options.\n", pass: whyMade},
		"a file's name alone":        {text: "Look at `options.go`.\n", pass: whyAlone},
		"an argument of a command":   {text: "Run `pytest src/core/test_a.py`.\n", pass: whyExample},
		"a client's own settings":    {text: "`.claude/settings.json` allows it.\n", pass: whySettings},
		"a folder of nothing here":   {text: "`lambda/handlers/a.go` has it.\n", pass: whyFolder},
		"a path in plain text":       {text: "It is in src/core/options.go, I think.\n", pass: whyName},
		"another repository's":       {text: "See `docs/api.md` in that repo.\n", pass: whyDenied},
		"an import of a user's file": {text: "@~/notes.md\n", pass: whyElsewhere},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"CLAUDE.md": c.text}
			for name, text := range code {
				files[name] = text
			}
			findings, passed := found(t, repository(t, files), Options{})
			if diff := cmp.Diff(append([]string{}, c.want...), findings); diff != "" {
				t.Error(diff)
			}
			switch {
			case c.pass == "" && len(passed) > 0:
				t.Errorf("passed over: %q", passed)
			case c.pass != "" && (len(passed) != 1 || !strings.HasSuffix(passed[0], ": "+c.pass)):
				t.Errorf("passed over: %q, want %q", passed, c.pass)
			}
		})
	}
}

func TestHistoryTellsWhatBecameOfAPath(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of its own that git can tell\n", 20)
	root := repository(t,
		map[string]string{
			"old/a.go": long, "old/b.go": "package b\n", "pkg/web/views/v.ts": long + "v", "lib/one.go": long + "1", "lib/two.go": long + "2", "helper.go": long + "h",
			"AGENTS.md": "`old/a.go`, `views/`, `lib/`.\nNot `old/b.go`: it was deleted.\nUse helpers such as `helper.go`.\nAlso in old/b.go, which see.\n",
		},
		map[string]string{"old/a.go => a1.go": "", "-old/b.go": "", "-pkg/web": "", "-helper.go": ""},
		map[string]string{"new/keep.go": "package keep\n"},
		map[string]string{"a1.go => new/a2.go": "", "lib => library": ""},
	)
	findings, passed := found(t, root, Options{})
	want := []string{
		"AGENTS.md:1 renamed path old/a.go => new/a2.go",
		"AGENTS.md:1 removed path views/",
		"AGENTS.md:1 renamed path lib/ => library",
		"AGENTS.md:4 removed path old/b.go",
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"old/b.go: " + whyDenied, "helper.go: " + whyExample}, passed); diff != "" {
		t.Error(diff)
	}
}

// A file where a folder was does not hide the paths that were in it; only a submodule does.
func TestAFolderThatBecameAFile(t *testing.T) {
	t.Parallel()
	root := repository(t,
		map[string]string{"lib/deep/a.go": "package a\n", "AGENTS.md": "Logging in is done in `lib/deep/a.go`.\n"},
		map[string]string{"-lib": ""},
		map[string]string{"lib": "a file\n"},
	)
	findings, _ := found(t, root, Options{})
	if diff := cmp.Diff([]string{"AGENTS.md:1 removed path lib/deep/a.go"}, findings); diff != "" {
		t.Error(diff)
	}
	r := gittest.New(t)
	r.Write("AGENTS.md", "Logging in is done in `lib/deep/a.go`.\n")
	r.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",lib")
	if err := os.Mkdir(filepath.Join(r.Dir, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	findings, passed := found(t, r.Dir, Options{})
	if diff := cmp.Diff([]string{"lib/deep/a.go: " + whySubmodule}, passed); diff != "" || len(findings) > 0 {
		t.Error(diff, findings)
	}
}

func TestNewNameOfAFolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		renames map[string]string
		want    string
	}{
		"moved":                     {map[string]string{"old/a.go": "new/a.go", "old/x/b.go": "new/x/b.go", "other/c.go": "third/c.go"}, "new"},
		"one got another name":      {map[string]string{"old/a.go": "new/in/a.go", "old/b.go": "new/in/b2.go"}, "new/in"},
		"one below got another":     {map[string]string{"old/a.go": "new/a.go", "old/x/b.go": "new/x/b2.go"}, "new"},
		"all got other names":       {map[string]string{"old/a.go": "new/a2.go", "old/b.go": "new/b2.go"}, ""},
		"to several":                {map[string]string{"old/a.go": "new/a.go", "old/b.go": "third/b.go"}, ""},
		"a folder below it renamed": {map[string]string{"old/a.go": "new/a.go", "old/x/b.go": "new/y/b.go"}, ""},
		"to the root":               {map[string]string{"old/a.go": "a.go"}, ""},
		"nothing of it":             {map[string]string{"older/a.go": "new/a.go"}, ""},
	} {
		if got := folderOf(c.renames, "old"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	long := strings.Repeat("a line of its own that git can tell\n", 20)
	root := repository(t, map[string]string{"lib/one.go": long + "1", "lib/two.go": long + "2", "AGENTS.md": "All is in `lib/`.\n"})
	r := gittest.NewAt(t, root)
	r.Git("mv", "lib", "library")
	r.Git("mv", "library/two.go", "library/second.go")
	r.Commit("moved")
	findings, _ := found(t, root, Options{})
	if diff := cmp.Diff([]string{"AGENTS.md:1 renamed path lib/ => library"}, findings); diff != "" {
		t.Error(diff)
	}
}

// A rename of the commit being made is in that commit's index alone, for commit -a.
func TestRenamedInAnotherIndex(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{"src/pay.go": strings.Repeat("package pay of the shop\n", 20), "AGENTS.md": "It is `src/pay.go`.\n"})
	r := gittest.NewAt(t, root)
	index := filepath.Join(root, ".git", "index")
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	r.Git("mv", "src/pay.go", "src/payment.go")
	made := filepath.Join(t.TempDir(), "index")
	if err := os.Rename(index, made); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, before, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{"AGENTS.md:1 renamed path src/pay.go => src/payment.go": {IndexFile: made}, "AGENTS.md:1 removed path src/pay.go": {}} {
		if findings, _ := found(t, root, o); !slices.Equal(findings, []string{want}) {
			t.Errorf("%v, want %s", findings, want)
		}
	}
}

func TestNothingIsSaidOfAHistoryThatIsNotHere(t *testing.T) {
	t.Parallel()
	text := "`src/pay.go`, [p](src/pay.go), `feat/login`, `src/pay.go:3`\n\n@pay.md\n"
	whole := repository(t, map[string]string{"AGENTS.md": text, "CLAUDE.md": "@AGENTS.md\n", "src/a.go": "package a\n"}, map[string]string{"src/b.go": "package a\n"})
	shallow, bare := filepath.Join(t.TempDir(), "clone"), t.TempDir()
	gittest.NewAt(t, whole).Git("clone", "-q", "--depth=1", "file://"+filepath.ToSlash(whole), shallow)
	if err := os.CopyFS(bare, os.DirFS(shallow)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(bare, ".git")); err != nil {
		t.Fatal(err)
	}
	const (
		never      = ", and git never had it"
		whyUnknown = "it cannot be told where the line is: src/pay.go does not exist, and this clone is shallow: it may have another name"
	)
	for name, c := range map[string]struct {
		root         string
		want, passed []string
	}{
		"whole":   {whole, []string{"src/pay.go does not exist" + never, "the link's target src/pay.go does not exist" + never, "src/pay.go:3: src/pay.go does not exist", "the import pay.md does not exist" + never}, []string{whyName}},
		"shallow": {shallow, nil, []string{whyShallow, whyShallow, whyName, whyShallow, whyUnknown}},
		"no git":  {bare, []string{"the link's target src/pay.go does not exist", "the import pay.md does not exist"}, []string{whyNoGit, whyName, whyNoGit}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := Check(context.Background(), c.root, Options{Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			var got, passed []string
			for _, f := range report.Findings {
				got = append(got, f.Message)
			}
			for _, p := range report.Passed {
				passed = append(passed, p.Why)
			}
			if diff := cmp.Diff(c.want, got) + cmp.Diff(c.passed, passed); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARepositoryIsNotCheckedWithoutTheGitProgram(t *testing.T) {
	root := repository(t, map[string]string{"AGENTS.md": "`src/pay.go`\n", "src/pay.go": "package a\n"}, map[string]string{"src/pay.go": ""})
	t.Setenv("PATH", t.TempDir())
	if report, err := Check(t.Context(), root, Options{}); !git.IsMissing(err) {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestCommandsNameTargets(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{
		"Makefile":         "all: a.o\nbuild-%:\n\techo\n.PHONY: lint\nlint test:\n\tgo vet\nX := 1\n",
		"package.json":     `{"scripts":{"build":"x","test":"y"},"devDependencies":{"vitest":"1"}}`,
		"web/package.json": `{"scripts":{"dev":"x"}}`,
		"justfile":         "alias f := fmt\nfmt *args:\n  x\ncheck: fmt\n",
		"Taskfile.yml":     "tasks:\n  dev:\n    aliases: [d]\nincludes:\n  web: ./web\n",
		"Cargo.toml":       "[package]\nname = \"core\"\n[[bin]]\nname = \"tool\"\n",
		"tests/flow.rs":    "",
		"deno.json":        `{"tasks":{"dev":"x"}}`,
		"CLAUDE.md": strings.Join([]string{
			"```sh",
			"make all lint build-x test", "npm run build && npm test && npm ci", "cd web && pnpm dev", "pnpm vitest", "just fmt x y", "just f", "task dev d web:any",
			"cargo test -p core --test flow --bin tool", "deno task dev", "make $(X) <target>", "npm run build:*", "yarn add nothing",
			"make deploy", "npm run buidl", "just deploy", "task prod", "cargo run -p cli", "deno task prod", "cd /srv && make nothing", "make foo.o", "# for example", "make whatever-example",
			"```", "There is no `make install`.",
		}, "\n"),
	})
	findings, _ := found(t, root, Options{})
	want := []string{
		"CLAUDE.md:14 missing command make deploy",
		"CLAUDE.md:15 missing command npm run buidl",
		"CLAUDE.md:16 missing command just deploy",
		"CLAUDE.md:17 missing command task prod",
		"CLAUDE.md:18 missing command cargo … -p cli",
		"CLAUDE.md:19 missing command deno prod",
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
}

func TestEveryKindOfSourceIsRead(t *testing.T) {
	t.Parallel()
	stale := "`src/gone.go`\n"
	files := map[string]string{"src/a.go": "package a\n", "README.md": stale, "docs/a.md": stale + " 2", "testdata/CLAUDE.md": stale, "notes.md": stale, "x/.claude/rules/a.md": stale}
	want := []string{}
	for i, name := range []string{
		".claude/rules/deep/go.md", ".clinerules/a.md", ".cursor/rules/a.mdc", ".cursorrules", ".github/copilot-instructions.md", ".github/instructions/go.instructions.md",
		".kiro/steering/a.md", ".serena/memories/m.md", ".windsurf/rules/a.md", "AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "GEMINI.md", "memory-bank/a.md", "web/.cursor/rules/b.mdc", "web/AGENTS.md",
	} {
		files[name] = fmt.Sprintf("%d, AGENTS.md\n\n%s", i, stale)
		want = append(want, name+":3 missing path src/gone.go")
	}
	root := repository(t, files)
	findings, _ := found(t, root, Options{})
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
	findings, _ = found(t, root, Options{Choice: Choice{Docs: true, Only: []string{"README.md", "docs"}}})
	if diff := cmp.Diff([]string{"README.md:1 missing path src/gone.go", "docs/a.md:1 missing path src/gone.go"}, findings); diff != "" {
		t.Error(diff)
	}
}

func TestOneTextIsReportedOnce(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{"AGENTS.md": "`src/gone.go`\n", "src/a.go": ""})
	if err := os.Symlink("AGENTS.md", filepath.Join(root, "CLAUDE.md")); err != nil {
		t.Skip(err)
	}
	report, err := Check(context.Background(), root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 || len(report.Sources) != 1 || cmp.Diff([]string{"CLAUDE.md"}, report.Sources[0].Aliases) != "" {
		t.Errorf("%+v", report)
	}
}

// A file that cannot be read has a reason in words, without calls of the system.
func TestWhyAFileCannotBeRead(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{"AGENTS.md": "x\n", "away/x": "", "gone/x": "", "folder/AGENTS.md/x": ""})
	outside := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"away/AGENTS.md": outside, "gone/AGENTS.md": "nothing"} {
		if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(link))); err != nil {
			t.Skip(err)
		}
	}
	_, missing := os.Stat(filepath.Join(root, "gone", "AGENTS.md"))
	report, err := Check(context.Background(), root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range report.Sources {
		if s.Problem != "" {
			got[s.Path] = s.Problem
		}
	}
	if diff := cmp.Diff(map[string]string{
		"away/AGENTS.md": "it cannot be read: a symbolic link on the way leaves the repository, or leads nowhere",
		"gone/AGENTS.md": "it cannot be read: " + errors.Unwrap(missing).Error(),
	}, got); diff != "" {
		t.Error(diff)
	}
}
