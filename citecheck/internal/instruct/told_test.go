package instruct

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/goldentest"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew, for review")

var kindsOfText = map[where]string{inCode: "code", inBlock: "block", inTree: "tree", inProse: "prose", inLink: "link"}

// everyForm is a text with references in every form, and with what looks like one.
const everyForm = "---\nglobs: src/x.ts\n---\n# Working on `src/core`\n\nSee `src/a.ts`, `docs/` and docs/b.md too. Not e.g. `c.md`! Is it `./d/e.go`? It is; `f/g.rs:12`.\n" +
	"<!-- `src/hidden.ts` -->\nA line (src/in/brackets.py), one at the end src/last.rb\nand src/place.go:12 and @scope/pkg.js stay.\n\n" +
	"| File | Use |\n|---|---|\n| `t/one.c` | first |\n| `t/two.c` | second, see docs/two.md |\n\n" +
	"- ` spaced/x.go `, ``double/`tick``, `a b/c.go`, `--flag/x`, `https://x.y/z.md`, `$(cmd)/a`, `//c/d.ts`, `foo(a/b)`, `v1.2.3`, `1.2`, `.ts`, `.env`, `a//b`, `/`, `/abs/x.go`, `x/`\n" +
	"- `src/**/*.go`, `src/<name>.go`, `~/x.toml`, `../up/x.go`, `a.ts#main`, `a/b.ts#L1-L3`, `tests/a.py::test_b`, `w:\\x\\y.go`\n" +
	"- `parseConfig()`, `Foo::do_it`, `config`, `MAX_RETRIES`, `use_all!`, `a.b.someThing`, `_priv_x`, `A1B2`, `ABCDEFGH`, `x->longName`, `shorT`, `Widget#renderAll`\n\n" +
	"## Links\n\n[a](docs/a.md#how-to) [b](#here) [c](https://x.y/z.md) [d](mdc:src/d.js) [e](my%20a.md) [f](g.md?x=1#y) [h](mailto:a@b.c) [i](//x/y) [j]() [k](#) **[l](docs/l.md)** ![img](x.png) <https://a.b> [m][ref] [](empty.md)\n\n[ref]: docs/ref.md\n\n" +
	"### Imports\n\n@docs/a_b_c.md and me@example.com, `@not/this.md`\n\n- @~/own.md, @./rel.md, @plain.\n\n## Commands\n\n" +
	"Run `npm run build && make -C sub all V=1 -j 4 more | less`, `cd web && pnpm lint`, `sudo ./run.sh scripts/x.sh`, `FOO=1 go test ./x/... ./... -run TestThatThing`, `just --set a b c`, `echo a/b.go`.\n\n" +
	"```bash\n# first comment\ncd api\nmake run test -f Other.mk\ncd /srv\nmake run\n\ncd $X\nmake other # a note\n$ npm test\n> yarn workspace x\nyarn -F web dev\nnpm ci\nnpm start\nnpm run-script x:y src/f.ts\nbun run src/g.ts\nbun h.ts\nbun src/g2.ts\npnpm exec x\n" +
	"cargo test -p core --test=flow --bin -x --example $E -- -p no\ncargo run --bin tool\ngo build ./cmd/tool . ./never\ngo vet ./...\ngo run ./a/.../b\ndeno task dev\ndeno run -A src/m.ts\ntask build -d x y\ntask a b -- c\ntask --dir x\njust fmt a b\njust -f x fmt\njust DEPLOY\n" +
	"bash scripts/a.sh \"a b/c.sh\" x=y/z.sh me@h/x.sh --opt/x.sh\npython3 tools/t.py 'u/v.py' ; ls | cat w/x.txt && ./bin/tool\nscripts/deploy prod\nscript/x.y\nmake \"quoted\" 'two\nmake a;make b&&make c||make d|make e\nenv X=1 time make timed\nmake -j4 fast\nmake -j 8\nmake ALL\nmake $(T) never\nmake <t>\n```\n\n" +
	"```ts\nmake(all)\nimport x from './a.ts'\n```\n\n    make indented\n\n```\nmake bare\n```\n\n" +
	"```\nsrc/\n├── main.rs   # begins\n├── core/\n│   ├── a.rs\n│   └── deep/\n│       └── b.rs\n├── two words\n├── noted.go  the notes\n├── plain\n├── x.go,\n└── ui/ (later)\n\nlib/\n|-- c.rs\n|-- d/\n```\n\n" +
	"<claude-mem-context>\n`src/inserted.ts`\n</claude-mem-context>\n\n<rules>\n`src/kept.ts`\n</rules>\n\n> quoted `q/r.go`\n\n1. one `n/o.go`\n   - nested `p/q.go`\n\n<div>`html/x.go`</div>\n"

// Everything that is read from one text, with its place, what it is part of and the words around it.
func TestEveryFormIsRead(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, imports := range []bool{false, true} {
		fmt.Fprintf(&b, "imports %t\n", imports)
		for _, r := range Parse([]byte(everyForm), imports) {
			if imports && r.Kind != Import {
				continue
			}
			fmt.Fprintf(&b, "%d %s %q", r.Line, r.Kind, r.Target)
			for _, part := range []struct{ name, value string }{{"as", r.Text}, {"#", r.Anchor}, {"by", r.Tool}, {"in", r.Base}, {"below", r.Parent}} {
				if part.value != "" && (part.name != "as" || part.value != r.Target) {
					fmt.Fprintf(&b, " %s %q", part.name, part.value)
				}
			}
			fmt.Fprintf(&b, ", %s %q, under %q, around %q\n", kindsOfText[r.in], everyForm[r.Start:r.End], r.Heading, r.Around)
		}
	}
	goldentest.Same(t, "forms.txt", b.String(), *update)
}

// A repository whose files were moved, removed and renamed, with texts that name them in every way: the whole report, what is rewritten,
// and what a change has to do with it.
func TestWholeReport(t *testing.T) {
	t.Parallel()
	unlike := func(name string) string {
		return strings.Repeat("a line of "+name+" that git can tell\n", 12)
	}
	r := gittest.New(t)
	write := func(files map[string]string) {
		for _, name := range sortedKeys(files) {
			r.Write(name, files[name])
		}
	}
	var names []string // of commits, in order
	commit := func(message string) { names = append(names, r.Commit(message)) }
	write(map[string]string{
		"src/core/a.go": "package core\n\nfunc loadConfig() error { return nil }\n\nfunc keepConfig() {}\n", "src/core/b.go": unlike("b"), "src/old/c.go": unlike("c"), "src/old/d.go": unlike("d"), "src/web/e.ts": "export const renderAll = 1\n" + unlike("e"),
		"lib/one.go": unlike("one"), "lib/two.go": unlike("two"), "gone/f.go": "package gone\n", "helper.go": unlike("helper"), "docs/guide.md": "# The guide\n\n## Part one\n\ntext\n", "docs/old.md": unlike("old"), "tools/run.sh": "echo\n",
		"places.go":  "package places\n\nfunc payAll() error { return nil }\n\nvar limits = map[string]int{\"day\": 12345}\n\nfunc settleEverything() error { return nil }\n",
		".gitignore": "/local/\n*.log\n", "Makefile": "all: a.o\nbuild-%:\n\techo\n.PHONY: lint\nlint test:\n\tgo vet\nX := 1\n", "package.json": `{"name":"@x/app","bin":{"app":"x"},"scripts":{"build":"x","test":"y"},"devDependencies":{"vitest":"1"}}`,
		"justfile": "alias f := fmt\nfmt *args:\n  x\ncheck-all: fmt\nmod sub\n", "Taskfile.yml": "tasks:\n  dev:\n    aliases: [d]\nincludes:\n  web: ./web\n", "crates/core/Cargo.toml": "[package]\nname = \"core-lib\"\n[[bin]]\nname = \"tool\"\n", "crates/core/examples/show.rs": "", "deno.json": `{"tasks":{"dev":"x"}}`,
		"Cargo.lock": "name = \"serde\"\n",
		"AGENTS.md":  "# Agents\n\nCore is in `src/core/b.go`, `src/old/c.go`, `./src/old/d.go`, `/src/old/c.go`, `old/` and `lib/`.\nCall `loadConfig`, `keepConfig()` and `renderAll`; never `neverHeard`.\n\nNot `gone/f.go`: it was deleted. Also in gone/f.go, which see. Use helpers such as `helper.go`.\n\nPaid in `places.go:3`, due in places.go:5, see `places.go:1` and `places.go:99`.\n\n[g](docs/guide.md#part-one) [h](docs/guide.md#part-two) [o](docs/old.md) [p](docs/old.md#x) [q](<docs/a b.md>) [r](gone/f.go)\n\nAgain: `src/old/c.go` and `src/old/c.go`.\n",
	})
	commit("all of it")
	r.Git("mv", "src/core/b.go", "src/core/b2.go")
	r.Git("mv", "src/old", "src/new")
	r.Git("rm", "-q", "-r", "gone", "helper.go")
	r.Git("mv", "docs/old.md", "docs/new.md")
	commit("move and remove")
	r.Git("mv", "src/core/b2.go", "src/core/b3.go")
	r.Git("mv", "lib", "library")
	r.Write("src/core/a.go", "package core\n\nfunc keepConfig() {}\n")
	r.Write("src/web/e.ts", unlike("e"))
	r.Write("places.go", "package places\n\n// One more line.\n\nfunc payAll() error { return nil }\n\nfunc settleEverything() error { return nil }\n")
	commit("and once more")
	write(map[string]string{
		"CLAUDE.md":     "@docs/guide.md @docs/none.md @~/mine.md @notes @web/more.md\n\n`make deploy`, `make lint`, `make build-x`, `make a.o`, `npm run buidl`, `npm run build`, `npm test`, `npm start`, `yarn vitest`, `pnpm app`, `pnpm nothing-like-it`, `just fmt`, `just f`, `just check_all`, `just sub::x`, `just nope`, `task dev`, `task d`, `task web:any`, `task prod`, `cargo run --bin tool`, `cargo run --example show`, `cargo test -p core-lib`, `cargo test -p serde`, `cargo test -p core`, `cargo run --bin nothing`, `deno task dev`, `deno task prod`.\n\nThere is no `make install`. For example `make whatever`.\n\n```sh\ncd /srv && make nothing\nmake Makefile\nnpm run build:*\n```\n",
		"web/more.md":   "Run ./go.sh, `src/x.go`, `more.md`, `docs/guide.md` and [up](../docs/guide.md).\n",
		"web/AGENTS.md": "# Web\n\nOf `tools/`, `web/none.ts`, `src/none.ts`, `none/`, `dist/x.js`, `local/x.go`, `x.log`, `src/core/<name>.go`, `src/*.go`, `~/x.toml`, `@scope/pkg`, `github.com/a/b`, `feat/login`, `tool.go`, `.claude/settings.json`, `lambda/x.go`, `src/core/newcommand.go`.\n\nCreate `src/core/made.go`. Add `src/core/added.go`. Add it to `src/core/within.go`. Named for the code, e.g. `src/core/a_test.go`.\n\n## Planned\n\n`src/core/later.go` has them.\n\n```\nsrc/\n├── core/\n├── none/\n└── none.md\n```\n",
		"GEMINI.md":     "@AGENTS.md\n",
		".cursorrules":  "`src/none.ts`\n`src/none.ts`\n",
		"docs/docs.md":  "`src/none.ts` and [x](none.md).\n",
	})
	if err := os.Symlink("../CLAUDE.md", r.Path("web/CLAUDE.local.md")); err != nil {
		t.Skip(err)
	}
	commit("texts")
	r.Remove("tools/run.sh")
	r.Git("mv", "docs/new.md", "docs/newest.md")
	memories := t.TempDir()
	for name, text := range map[string]string{"m.md": "`src/old/c.go` and `src/none.ts`, `loadConfig`.\n", "n.txt": "`src/none.ts`\n"} {
		if err := os.WriteFile(filepath.Join(memories, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	var b strings.Builder
	for _, o := range []Options{
		{Explain: true, MemoryFolders: map[string]string{"claude-code": memories, "other": filepath.Join(memories, "none")}},
		{Explain: true, Choice: Choice{Docs: true, Only: []string{"docs/", ".cursorrules"}}},
	} {
		report, err := Check(t.Context(), r.Dir, o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%d references, %d true, %d passed over, %d stale, failed %t\n", report.References, report.True, report.PassedOver, report.Stale(), report.Failed())
		for _, s := range report.Sources {
			fmt.Fprintf(&b, "source %s %s %q aliases %q: %d references, %d true, %d stale %s\n", s.Path, s.Kind, s.Clients, s.Aliases, s.References, s.True, s.Stale, s.Problem)
		}
		for _, f := range report.Findings {
			fmt.Fprintf(&b, "%s %s %s %q: %s", f.Place(), f.Verdict, f.Kind, f.Text, f.Message)
			if f.Found != "" {
				fmt.Fprintf(&b, " => %s", f.Found)
			}
			if f.Times > 0 {
				fmt.Fprintf(&b, " ×%d", f.Times)
			}
			b.WriteString("\n")
		}
		for _, p := range report.Passed {
			fmt.Fprintf(&b, "passed %s %s %q: %s\n", p.Place(), p.Kind, p.Text, p.Why)
		}
		kept := report.Only(func(f Finding) bool { return f.Verdict == Renamed })
		fmt.Fprintf(&b, "renamed alone: %d of %d\n", len(kept.Findings), len(report.Findings))
		for i, rev := range append(slices.Clone(names), "") {
			touched, err := Since(t.Context(), r.Dir, rev, "")
			if err != nil {
				t.Fatal(err)
			}
			var concerned []string
			for _, f := range report.Findings {
				if touched.Concerns(f) {
					concerned = append(concerned, f.Place())
				}
			}
			fmt.Fprintf(&b, "since %d, empty %t: %q\n", i, touched.Empty(), concerned)
		}
	}
	for _, dry := range []bool{true, false} {
		fixes, err := Rewrite(t.Context(), r.Dir, Options{MemoryFolders: map[string]string{"claude-code": memories}}, dry)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "dry %t: %d files, %d left\n", dry, fixes.Files, fixes.Left)
		for _, f := range fixes.Fixes {
			fmt.Fprintf(&b, "\t%s:%d %q to %q, done %t %s\n", f.File, f.Line, f.From, f.To, f.Done, f.Reason)
		}
	}
	b.WriteString(r.Read("AGENTS.md"))
	told := strings.ReplaceAll(b.String(), memories, "MEMORIES")
	for i, oid := range names {
		told = strings.ReplaceAll(told, oid[:10], fmt.Sprintf("<commit %d>", i+1))
	}
	goldentest.Same(t, "report.txt", days.ReplaceAllString(told, "DAY"), *update)
	if _, err := Since(t.Context(), r.Dir, "nothing", ""); err == nil {
		t.Error("a revision that does not exist was taken")
	}
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// The small rules at their limits.
func TestShapes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"a.go": true, "go": false, ".go": false, "a.b": false, "x/y.TS": true, "a.": false, "": false} {
		if hasEnding(name) != want {
			t.Errorf("%q ends as files do: %t", name, !want)
		}
	}
	for line, want := range map[string]bool{
		"func loadConfig() {": true, "func (c *C) loadConfig() error {": true, "x = loadConfig()": false, "loadConfig = 1": true, "loadConfig == 1": false, "loadConfig: 1": true, "loadConfig::new": false, "export const loadConfig": true,
		"public static loadConfig(x) {": true, "loadConfig(x) {": true, "loadConfig(x);": false, "call loadConfig = 1": false, "type *loadConfig": true, "reloadConfig = 1": false, "loadConfigs = 1": false, "other(loadConfigs); loadConfig = 2": false, "": false,
		"loadConfigs; def loadConfig": true,
	} {
		if defines(line, "loadConfig") != want {
			t.Errorf("%q defines it: %t", line, !want)
		}
	}
	for _, c := range []struct{ from, to, want string }{{".", "a/b.md", "a/b.md"}, {"a", "a/b.md", "b.md"}, {"a/b", "a/c.md", "../c.md"}, {"a/b", "x/c.md", "../../x/c.md"}, {"ab", "a/c.md", "../a/c.md"}} {
		if got := relative(c.from, c.to); got != c.want {
			t.Errorf("from %s to %s is %s, want %s", c.from, c.to, got, c.want)
		}
	}
	for _, c := range []struct {
		renames map[string]string
		want    string
	}{
		{map[string]string{"lib/a": "new/a", "lib/b/c": "new/b/c", "other": "x"}, "new"}, {map[string]string{"lib/a": "new/a", "lib/b": "more/b"}, ""}, {map[string]string{"lib/a": "new/z"}, ""}, {map[string]string{"lib": "x"}, ""}, {nil, ""},
	} {
		if got := folderOf(c.renames, "lib"); got != c.want {
			t.Errorf("%v moved lib to %q, want %q", c.renames, got, c.want)
		}
	}
	doc := "# How to *build* it\n\nPart two\n--------\n\n## Again\n## Again ##\n<a id=\"own\"></a>\n### Site {#site-1}\n- x\n---\nName = 'n'\n<a name='by'>\n"
	for anchor, want := range map[string]bool{"how-to-build-it": true, "part-two": true, "again-1": true, "own": true, "site-1": true, "by": true, "build": false, "x": false, "": false, "HOW-TO-BUILD-IT": true} {
		if hasAnchor(doc, anchor) != want {
			t.Errorf("there is #%s: %t", anchor, !want)
		}
	}
	var words []string
	for _, w := range split(`a "b c" 'd' e;f && g||h | i#j # k`) {
		words = append(words, fmt.Sprintf("%s %d-%d %t %t", w.text, w.start, w.end, w.quoted, w.separates()))
	}
	if got, want := strings.Join(words, ", "), "a 0-1 false false, b c 3-6 true false, d 9-10 true false, e 12-13 false false, ; 13-14 false true, f 14-15 false false, && 16-18 false true, g 19-20 false false, || 20-22 false true, h 22-23 false false, | 24-25 false true, i#j 26-29 false false"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := MemoryFolder("/c", "/home/a.b/Ünï_9"); got != filepath.Join("/c", "projects", "-home-a-b--n--9", "memory") {
		t.Errorf("got %s", got)
	}
	for file, want := range map[string]string{
		"CLAUDE.md": "instructions", "a/b/CLAUDE.md": "instructions", "vendor/CLAUDE.md": "", ".claude/rules/x/y.md": "rules", "a/.claude/rules/y.md": "", "a/.cursor/rules/y.mdc": "rules", ".cursor/rules/y.md": "", "README.md": "documents",
		"a/Contributing.MD": "documents", "docs/x.mdx": "documents", "docs/x.txt": "", "notes.md": "", "x.claude/rules/y.md": "",
	} {
		s, ok := sourceOf(file, Choice{Docs: true})
		if s.Kind != want || ok != (want != "") {
			t.Errorf("%s is %q, %t", file, s.Kind, ok)
		}
	}
	for only, want := range map[string]bool{".": true, "docs": true, "docs/": true, "docs/a.md": true, "doc": false, "docs/a": false} {
		if (Choice{Only: []string{only}}).wanted("docs/a.md") != want {
			t.Errorf("%q chooses it: %t", only, !want)
		}
	}
	for _, c := range []struct{ text, want string }{{"One `x` here. Two `y` there! Three", "Two `y` there!"}, {"e.g. `y` is", "e.g. `y` is"}, {"| `x` |\n| `y` |\n| z |", "| `y` |"}, {"`y`", "`y`"}, {"a; `y`\nb", "`y`\nb"}} {
		at := strings.Index(c.text, "`y`")
		if got := sentence(c.text, at, at+3); got != c.want {
			t.Errorf("around y of %q is %q, want %q", c.text, got, c.want)
		}
	}
}

var days = regexp.MustCompile(`20\d\d-\d\d-\d\d`)
