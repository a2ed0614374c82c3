//go:build unix

package filetree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func walk(t *testing.T, dir string) *Tree {
	t.Helper()
	tree, err := Walk(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func paths(tree *Tree) []string {
	var all []string
	for _, f := range tree.Files {
		all = append(all, f.Path)
	}
	slices.Sort(all)
	return all
}

// TestIgnoredAsGitDoes compares random trees and rules with what git lists.
func TestIgnoredAsGitDoes(t *testing.T) {
	names := []string{"a", "b", "keep", "log", "x.txt", "y.log", "tmp1", "tmp2", "é.md", "space name"}
	patterns := []string{"a", "/a", "a/", "b/", "*.log", "!keep", "!y.log", "/b/*", "**/tmp1", "**/a/b", "a/**", "a/**/b", "tmp?", "tmp[12]", "[!k]eep", "b/x.txt", "# no", "\\#x", "!b/", "space\\ name", "é.md  ", "/**/log/", "*", "!*/", "!x.txt"}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		repo := gittest.New(t)
		for range 25 {
			var parts []string
			for range 1 + r.IntN(3) {
				parts = append(parts, names[r.IntN(len(names))])
			}
			path := filepath.Join(repo.Dir, filepath.Join(parts...))
			if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
				_ = os.WriteFile(path, []byte("x"), 0o644) // a folder of that name is just as good
			}
		}
		rules := func() (lines string) {
			for range 1 + r.IntN(4) {
				lines += patterns[r.IntN(len(patterns))] + "\n"
			}
			return lines
		}
		write(t, filepath.Join(repo.Dir, ".gitignore"), rules())
		if info, err := os.Stat(filepath.Join(repo.Dir, "a")); err == nil && info.IsDir() {
			_ = os.WriteFile(filepath.Join(repo.Dir, "a", ".gitignore"), []byte(rules()), 0o644)
		}
		for _, name := range names[:3] { // some of it is tracked nevertheless
			if r.IntN(3) == 0 {
				_ = exec.Command("git", "-C", repo.Dir, "add", "-f", "--", name).Run() // a missing path cannot be added
			}
		}
		var want []string
		for _, path := range strings.Split(repo.Git("ls-files", "-z", "-co", "--exclude-standard"), "\x00") {
			if path != "" {
				want = append(want, path)
			}
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, paths(walk(t, repo.Dir))); diff != "" {
			text, _ := os.ReadFile(filepath.Join(repo.Dir, ".gitignore"))
			inner, _ := os.ReadFile(filepath.Join(repo.Dir, "a", ".gitignore"))
			t.Fatalf("seed %d: %s\nrules:\n%s\nin a:\n%s", seed, diff, text, inner)
		}
	}
}

// The rules above a folder inside a repository apply to it, except those that ignore the folder itself.
func TestRulesFromAbove(t *testing.T) {
	repo := gittest.New(t)
	write(t, filepath.Join(repo.Dir, ".gitignore"), "*.log\n/sub/out/\n/ignored/\n")
	write(t, filepath.Join(repo.Dir, ".git", "info", "exclude"), "private.txt\n")
	for _, name := range []string{"sub/a.txt", "sub/a.log", "sub/out/b.txt", "sub/private.txt", "ignored/c.txt"} {
		write(t, filepath.Join(repo.Dir, name), "x")
	}
	if diff := cmp.Diff([]string{"a.txt"}, paths(walk(t, filepath.Join(repo.Dir, "sub")))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c.txt"}, paths(walk(t, filepath.Join(repo.Dir, "ignored")))); diff != "" {
		t.Error(diff)
	}
}

func TestVendoredAndGeneratedFilesAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"node_modules/x/index.js", "vendor/a/a.go", ".yarn/releases/yarn.js", "sub/__pycache__/a.pyc", "env/pyvenv.cfg", "env/lib/a.py", "target/x.rs", "web/wwwroot/lib/quill/package.json",
		".mvn/wrapper/MavenWrapperDownloader.java", "mvnw", "gradle/wrapper/x.jar", "a.min.js", "api.pb.go", "package-lock.json", "sub/.git/HEAD", "sub/mine.go",
	} {
		write(t, filepath.Join(dir, name), "x")
	}
	for _, name := range []string{"main.go", "internal/target/a.go", "deps.go", "lib/deps/b.go", "web/wwwroot/js/a.js"} {
		write(t, filepath.Join(dir, name), "x")
	}
	if diff := cmp.Diff([]string{"deps.go", "internal/target/a.go", "lib/deps/b.go", "main.go", "web/wwwroot/js/a.js"}, paths(walk(t, dir))); diff != "" {
		t.Error(diff)
	}
}

// TestOthersCode: copies of others' code are in folders with certain names, in any case and depth. A package of a program may have such a
// name, and .gitattributes may mark the folder as the project's own.
func TestOthersCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := []string{"main.go", "src/main/java/com/acme/external/Client.java", "src/main/java/com/acme/vendor/Shop.java", "kept/external/a.go", "internal/externally/a.go"}
	for _, name := range append([]string{"vendor/a.c", "src/third_party/a.c", "Third-Party/a.c", "ThirdParty/a.c", "extern/a.c", "src/external/b/a.c", "Externals/a.c", "3rdparty/a.c", "3rd_party/a.c", "lib/3rd-party/a.c", "pip/_vendor/a.py"}, mine...) {
		write(t, filepath.Join(dir, name), "x")
	}
	write(t, filepath.Join(dir, ".gitattributes"), "kept/external/** -linguist-vendored\n")
	slices.Sort(mine)
	if diff := cmp.Diff(append([]string{".gitattributes"}, mine...), paths(walk(t, dir))); diff != "" {
		t.Error(diff)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "0123456789")
	tree := walk(t, dir)
	for n, want := range map[int64]string{3: "789", 10: "0123456789", 99: "0123456789", 0: ""} {
		if got, err := tree.Tail("a", n); err != nil || string(got) != want {
			t.Errorf("the last %d bytes: %q, %v", n, got, err)
		}
	}
	if _, err := tree.Tail("missing", 3); err == nil {
		t.Error("a file that is missing has an end")
	}
}

func TestRoles(t *testing.T) {
	dir := t.TempDir()
	want := map[string]Role{
		"main.go": Source, "main_test.go": Test, "tests/a.py": Test, "examples/a.js": Sample, "docs/conf.py": Docs, "public/app.js": Asset,
		"webpack.config.js": Config, "build.gradle.kts": Config, "src/main/java/com/example/demo/App.java": Source, "src/test/java/AppTest.java": Test,
		"smoke_test/x_test.go": Test, "com/example/Main.java": Source, "lib/x.spec.ts": Test, "src/main/resources/static/a.js": Asset,
	}
	for name := range want {
		write(t, filepath.Join(dir, name), "x")
	}
	for _, f := range walk(t, dir).Files {
		if f.Role != want[f.Path] {
			t.Errorf("%s: role %d, want %d", f.Path, f.Role, want[f.Path])
		}
	}
}

func TestAttributes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".gitattributes"), "lib/** linguist-vendored\n*.x linguist-language=Ruby\nguide linguist-documentation\n*.sql linguist-detectable=false\n*.min.js -linguist-generated\n/gen.go linguist-generated=true\n")
	for _, name := range []string{"lib/a.go", "b.x", "guide", "c.sql", "d.min.js", "gen.go", "sub/gen.go"} {
		write(t, filepath.Join(dir, name), "x")
	}
	tree := walk(t, dir)
	if diff := cmp.Diff([]string{".gitattributes", "b.x", "c.sql", "d.min.js", "guide", "sub/gen.go"}, paths(tree)); diff != "" {
		t.Error(diff)
	}
	for _, f := range tree.Files {
		if f.Path == "b.x" && f.Language != "ruby" || f.Path == "guide" && f.Role != Docs || f.Path == "c.sql" && !f.Undetectable {
			t.Errorf("%+v", f)
		}
	}
}

// Nothing outside is read, cycles of links end, and an entry that is not a file is not listed.
func TestReadingStaysInside(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "project")
	write(t, filepath.Join(top, "secret"), "secret")
	write(t, filepath.Join(dir, "inside"), "inside")
	write(t, filepath.Join(dir, "huge"), strings.Repeat("x", MaxFile+1))
	for link, to := range map[string]string{"out": "../secret", "round": "round", "up": "..", "self": ".", "good": "inside", "abs": filepath.Join(top, "secret")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	tree := walk(t, dir)
	for _, path := range []string{"out", "round", "up", "abs", "pipe", "huge", "../secret", "/etc/passwd", "missing", "up/secret"} {
		if text, err := tree.ReadFile(path); err == nil {
			t.Errorf("%s: read %d bytes", path, len(text))
		}
	}
	for _, path := range []string{"inside", "good"} {
		if text, err := tree.ReadFile(path); err != nil || string(text) != "inside" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if head, err := tree.Head("huge", 10); err != nil || len(head) != 10 {
		t.Errorf("head: %d bytes, %v", len(head), err)
	}
	if slices.Contains(paths(tree), "pipe") {
		t.Error("a pipe is listed")
	}
}

func TestFoldersThatCannotBeWalked(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "x")
	if _, err := Walk(t.Context(), filepath.Join(dir, "missing")); !fault.Is(err, fault.KindNotFound) {
		t.Error(err)
	}
	if _, err := Walk(t.Context(), filepath.Join(dir, "file")); !fault.Is(err, fault.KindValidation) {
		t.Error(err)
	}
	deep := dir
	for i := range maxDepth + 10 {
		deep = filepath.Join(deep, fmt.Sprint("d", i))
	}
	write(t, filepath.Join(deep, "x"), "x")
	if got := paths(walk(t, dir)); !slices.Equal(got, []string{"file"}) {
		t.Errorf("%q", got)
	}
}

func FuzzRules(f *testing.F) {
	f.Add("a/**/b\n!*.x\n[a-\n", "a/c/b", true)
	f.Fuzz(func(t *testing.T, text, path string, dir bool) {
		w := walker{left: maxSteps, ignores: []rules{parseIgnore("", []byte(text))}, attrs: []rules{parseAttributes("", []byte(text))}}
		w.ignored(path, dir)
		w.attributes(path)
	})
}
