//go:build unix

package filetree

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/goldentest"
)

var update = flag.Bool("update", false, "write the listings in testdata anew, for review")

var roles = map[Role]string{Source: "source", Asset: "asset", Test: "test", Sample: "sample", Docs: "docs", Config: "config"}

// told lists a tree in the order of the walk, with everything known of each file.
func told(tree *Tree) string {
	var b strings.Builder
	for _, f := range tree.Files {
		fmt.Fprintf(&b, "%s %s", roles[f.Role], f.Path)
		if f.Size != 1 {
			fmt.Fprintf(&b, " of %d bytes", f.Size)
		}
		if f.Link {
			b.WriteString(" link")
		}
		if f.Language != "" {
			b.WriteString(" in " + f.Language)
		}
		if f.Undetectable {
			b.WriteString(" undetectable")
		}
		if !tree.Has(f.Path) {
			b.WriteString(" not there")
		}
		b.WriteString("\n")
	}
	for _, p := range tree.Problems {
		fmt.Fprintf(&b, "problem: %s\n", p)
	}
	return b.String()
}

// The roles and the absence of files by their names and folders alone, without git.
func TestRolesAndAbsences(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{
		"", "src/", "src/main/", "src/main/java/com/example/", "a/src/main/", "srcx/main/", "main/", "java/", "x/java/org/test/", "com/test/", "x/kotlin/", "x/scala/doc/", "x/groovy/static/", "io/docs/", "net/x/", "test/", "tests/sample/", "sample/test/",
		"docs/", "docs/examples/", "doc/static/", "public/", "public/js/", "static/test/", "assets/docs/", "Public/", "template-app/", "template-app/test/", "templates/", "example/src/", "benchmarks/", "man/", "vignettes/", "inst/", "htdocs/", "resources/", "x/resources/main/", "revdep/", "androidTest/",
		"node_modules/x/", "x/node_modules/y/", "target/", "x/target/", "deps/", "x/deps/", "deps/zlib/", "x/deps/zlib/", "dependencies/own/", "submodules/y/", "wrapper/", "gradle/wrapper/", "x/gradle/wrapper/", "x/wrapper/", "lib/", "wwwroot/lib/", "x/wwwroot/lib/", "wwwroots/lib/",
		".hidden/", "x.egg-info/", "App.xcodeproj/", "App.xcworkspace/", "dist/", "coverage/", "_build/", "vendor/", "Vendor/", "x/third_party/", "3rdparty/", "com/vendor/", "src/main/external/", "external/", "externals/x/", "_vendored/", "Pods/", "__pycache__/",
	} {
		for _, name := range []string{"a.go", "a_test.go"} {
			write(t, filepath.Join(dir, folder, name), "x")
		}
	}
	for _, name := range []string{
		"b_test", "b.test.ts", "b.spec.js", "b_spec.rb", "test_b.py", "test_b.rb", "conftest.py", "conftest.rb", "BTest.java", "BTests.kt", "BIT.scala", "BTest.go", "BTest.php", "test_.py", ".test", "b.config.js", "b.conf.js", "b.conf", ".brc", ".brc.js", "brc", "b.kts", "b.gradle", "b.sbt", "b.cmake",
		"Gulpfile.js", "gruntfile.coffee", "setup.py", "noxfile.py", "fabfile.py", "build.rs", "webpack.mix.js", "next-env.d.ts", "vite-env.d.ts", "env.d.ts", "app.d.ts", "reportWebVitals.js", "reportWebVitals.ts", "karma.conf.js", "Rakefile", "Gemfile", "Dangerfile", "Fastfile", "Podfile", "Brewfile", "Vagrantfile", "Capfile", "Guardfile",
		"magefile.go", "tools.go", "mix.exs", "Package.swift", ".formatter.exs", "_ide_helper.php", "deploy.php", "setup.rb", "mvnw", "gradlew.bat", "lein", "package-lock.json", "yarn.lock", "go.sum", "Cargo.lock", ".pnp.cjs", "mockServiceWorker.js", "b.min.js", "b-min.js", "b.min.css", "b.map", "b.pb.go", "b_pb2.py", "b.g.dart", "b.designer.cs",
		"b_generated.go", "b.gen.go", "b.generated.ts", "b.snap", "zz_generated.b.go", "zz_generate.go", "minjs",
	} {
		write(t, filepath.Join(dir, "names", name), "x")
	}
	for _, name := range []string{"env/pyvenv.cfg", "env/a.py", "cache/CACHEDIR.TAG", "cache/a.go", "nested/.git/HEAD", "nested/a.go", "x/deps/other/LICENSE", "x/deps/other/a.go", "x/dependencies/other/COPYING", "x/dependencies/other/a.go", "x/submodules/other/LICENSE.md", "x/submodules/other/a.go", "x/plain/LICENSE", "x/plain/a.go", "x/deps/in/deep/LICENSE.txt", "x/deps/in/deep/a.go", "LICENSE", "CACHEDIR.TAG", "deps2/LICENSE"} {
		write(t, filepath.Join(dir, name), "x")
	}
	if err := os.Symlink("a.go", filepath.Join(dir, "link.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("src", filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "empty.go"), "")
	goldentest.Same(t, "roles.txt", told(walk(t, dir)), *update)
}

// The effect of .gitattributes and .gitignore, at every level, in a folder of a repository.
func TestAttributesAndRules(t *testing.T) {
	repo := gittest.New(t)
	write := func(name, text string) { write(t, filepath.Join(repo.Dir, name), text) }
	write(".gitattributes", "# *.no linguist-vendored\n*.one linguist-vendored\n*.two linguist-generated=true\n*.three -linguist-vendored linguist-documentation\n*.four linguist-detectable=false\n*.five linguist-language=Go\n*.six text\nsub/whole/** linguist-vendored\nsub/dir linguist-generated\n"+
		"sub/vendor linguist-vendored=false\nsub/vendor/** -linguist-vendored\nsub/go.sum -linguist-generated\n!sub/x linguist-vendored\n/sub/root.txt linguist-documentation=false linguist-language=TeX\nlonely\n")
	write(".git/info/attributes", "*.seven linguist-documentation\n")
	write(".git/info/exclude", "*.private\n")
	write(".gitignore", "*.log\n!keep.log\nsub/ignored/\n")
	write("sub/.gitignore", "keep.log\n!again.log\ninner.txt\n")
	write("sub/.gitattributes", "*.one -linguist-vendored\n")
	write("sub/deep/.gitignore", "!inner.txt\n")
	write("sub/deep/.gitattributes", "*.four linguist-detectable\n")
	for _, name := range []string{"a.one", "a.two", "a.three", "a.four", "a.five", "a.six", "a.seven", "a.no", "a.private", "x.log", "keep.log", "again.log", "whole/a.go", "whole/b/c.go", "dir/a.go", "vendor/a.go", "vendor/b/a.go", "vendor.go", "go.sum", "x", "root.txt", "deep/root.txt", "deep/a.one", "deep/a.four",
		"deep/inner.txt", "inner.txt", "deep/go.sum", "ignored/tracked.go", "ignored/not.go", "ignored/in/tracked.go", "deep/tracked.log"} {
		write("sub/"+name, "x")
	}
	repo.Git("add", "-f", "sub/ignored/tracked.go", "sub/ignored/in/tracked.go", "sub/deep/tracked.log")
	goldentest.Same(t, "rules.txt", "sub\n"+told(walk(t, filepath.Join(repo.Dir, "sub")))+"whole\n"+told(walk(t, repo.Dir)), *update)
}

// Reading stays within the size and the folder.
func TestReading(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "0123456789")
	write(t, filepath.Join(dir, "empty"), "")
	write(t, filepath.Join(dir, "full"), strings.Repeat("x", MaxFile))
	write(t, filepath.Join(dir, "over"), strings.Repeat("x", MaxFile+1))
	tree := walk(t, dir)
	for _, c := range []struct {
		what string
		read func() ([]byte, error)
		want string
	}{
		{"all", func() ([]byte, error) { return tree.ReadFile("a.txt") }, "0123456789"},
		{"nothing", func() ([]byte, error) { return tree.ReadFile("empty") }, ""},
		{"head", func() ([]byte, error) { return tree.Head("a.txt", 4) }, "0123"},
		{"head of all", func() ([]byte, error) { return tree.Head("a.txt", 10) }, "0123456789"},
		{"head of less", func() ([]byte, error) { return tree.Head("a.txt", 11) }, "0123456789"},
		{"tail", func() ([]byte, error) { return tree.Tail("a.txt", 4) }, "6789"},
		{"tail of less", func() ([]byte, error) { return tree.Tail("a.txt", 40) }, "0123456789"},
	} {
		got, err := c.read()
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", c.what, got, err)
		}
	}
	if got, err := tree.ReadFile("full"); err != nil || !bytes.Equal(got, bytes.Repeat([]byte("x"), MaxFile)) {
		t.Errorf("a file of just the size: %d bytes, %v", len(got), err)
	}
	for path, want := range map[string]string{"over": "it is larger than 1024 kB", "none": "no such file or directory", ".": "it is not a regular file"} {
		if _, err := tree.ReadFile(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := tree.Tail("none", 3); err == nil || err.Error() != "no such file or directory" {
		t.Errorf("the end of nothing: %v", err)
	}
	before := len(tree.Files)
	tree.Note("new")
	tree.Note("new")
	tree.Note("a.txt")
	if !tree.Has("new") || len(tree.Files) != before+1 {
		t.Errorf("%d files", len(tree.Files))
	}
	for _, dir := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "a.txt")} {
		if _, err := Walk(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "name the folder that holds it") && !strings.Contains(err.Error(), "name a folder that exists") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	for dir, want := range map[string]bool{"public": true, "a/Static/b": true, "src": false, "": false, "docs": false} {
		if InAssets(dir) != want {
			t.Errorf("%q is in assets: %t", dir, !want)
		}
	}
}

// A hostile tree is cut where it is deeper than is walked.
func TestDeepTrees(t *testing.T) {
	dir := t.TempDir()
	deep := strings.Repeat("d/", maxDepth)
	write(t, filepath.Join(dir, deep, "a.go"), "x")
	write(t, filepath.Join(dir, deep, "d", "b.go"), "x")
	if got := paths(walk(t, dir)); len(got) != 1 || got[0] != deep+"a.go" {
		t.Errorf("got %v", got)
	}
}
