package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// An error in a file must be reported as a Problem, and the other manifests read as if the file did not exist.
func TestHostileFilesAreReported(t *testing.T) {
	cases := []struct {
		name, file, content string
		want                string // in a problem
	}{
		{"larger than any manifest", "package.json", `{"name":"` + strings.Repeat("x", 10<<20) + `"}`, "more than the"},
		{"binary", "composer.json", "PK\x03\x04\x00\x00\x00", "is binary"},
		{"not UTF-8", "Gemfile", "gem \"rails\" # caf\xe9\n", "not UTF-8"},
		{"JSON nested without end", "package.json", `{"dependencies":` + strings.Repeat(`{"a":`, 500_000), "not a JSON object"},
		{"JSON arrays nested without end", "composer.json", strings.Repeat(`[`, 1<<20), "not a JSON object"},
		{"TOML nested without end", "pyproject.toml", "x = " + strings.Repeat("{a=", 1<<20), "nests deeper"},
		{"TOML keys nested without end", "Cargo.toml", "[" + strings.Repeat("a.", 200_000) + "b]\n", ""},
		{"XML nested without end", "pom.xml", strings.Repeat("<a>", 1<<20), "nests deeper"},
		{"XML with as many elements as fit", "pom.xml", "<project>" + strings.Repeat("<a/>", 300_000) + "</project>", "elements"},
		{"billion laughs", "pom.xml", "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]><project><artifactId>&b;</artifactId></project>", "entities"},
		{"more dependencies than anybody has", "requirements.txt", manyRequirements(), "more than 10000 dependencies"},
		{"a dependency named by a book", "package.json", `{"dependencies":{"` + strings.Repeat("x", 100_000) + `":"1"}}`, "characters"},
		{"Gradle blocks without end", "build.gradle", strings.Repeat("dependencies { ", 60_000), ""},
		{"Gradle brackets without end", "build.gradle", "dependencies {\n" + strings.Repeat("implementation(", 60_000), ""},
		{"Gradle assignments without end", "build.gradle", strings.Repeat("a='$a$a$a$a'\nimplementation \"$a:b:c\"\n", 50_000), ""},
		{"setup.py brackets without end", "setup.py", "import setuptools\n" + strings.Repeat("install_requires=[", 200_000), ""},
		{"one list of setup.py used without end", "setup.py", "import setuptools\nx=[" + strings.Repeat("'a',", 4000) + "]\n" + strings.Repeat("install_requires=x\n", 100_000), ""},
		{"Gradle references without end", "build.gradle", manyAssignments() + "dependencies {\n" + strings.Repeat("api libs.a.b\n", 100_000), ""},
		{"setup.py names without end", "setup.py", "import setuptools\n" + strings.Repeat("a=[", 200_000), ""},
		{"Gemfile calls without end", "Gemfile", strings.Repeat("gem \"a\",\n", 100_000), ""},
		{"Gemfile blocks without end", "Gemfile", strings.Repeat("group :a do\n", 100_000), ""},
		{"YAML nested without end", "pnpm-workspace.yaml", yamlStairs(2000), ""},
		{"go.mod blocks without end", "go.mod", strings.Repeat("require (\n", 30_000), "not a valid go.mod"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			started := time.Now()
			files := fstest.MapFS{c.file: {Data: []byte(c.content)}, "other/go.mod": {Data: []byte("module good\n")}}
			all := manifest.ReadAll(files, []string{c.file, "other/go.mod"})
			if len(all) != 2 || all[1].Name != "good" {
				t.Fatalf("the other manifest was not read: %d manifests", len(all))
			}
			if c.want != "" && !mentions(all[0].Problems, c.want) {
				t.Errorf("problems %v do not mention %q", all[0].Problems, c.want)
			}
			if took := time.Since(started); took > 2*time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

func manyRequirements() string {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString("p")
		for n := i; n > 0; n /= 26 {
			b.WriteByte(byte('a' + n%26))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func manyAssignments() string {
	var b strings.Builder
	for i := range 2000 {
		b.WriteString("v" + strings.Repeat("a", i%50) + string(rune('a'+i%26)) + " = 'x'\n")
	}
	return b.String()
}

func yamlStairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func mentions(problems []manifest.Problem, word string) bool {
	for _, p := range problems {
		if strings.Contains(p.Message, word) {
			return true
		}
	}
	return false
}

// A project must not make its reader leave its folder, or wait.
func TestNothingOutsideTheFolderIsRead(t *testing.T) {
	dir := t.TempDir()
	project := filepath.Join(dir, "project")
	write := func(path, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "secret.json"), `{"name":"secret"}`)
	write(filepath.Join(dir, "secret.txt"), "secret\n")
	write(filepath.Join(project, "requirements.txt"), "-r ../secret.txt\n-r link.txt\nflask\n")
	write(filepath.Join(project, "real", "package.json"), `{"name":"real"}`)
	if err := os.MkdirAll(filepath.Join(project, "folder", "package.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"package.json":         "../secret.json",
		"link.txt":             "../secret.txt",
		"composer.json":        "composer.json", // a link to itself
		"a/Cargo.toml":         "../b/Cargo.toml",
		"b/Cargo.toml":         "../a/Cargo.toml",
		"within/package.json":  "../real/package.json",
		"dangling/Gemfile":     "nowhere",
		"absolute/go.mod":      filepath.Join(dir, "secret.json"),
		"device/settings.json": os.DevNull,
	} {
		path := filepath.Join(project, link)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Skipf("symbolic links cannot be made here: %v", err)
		}
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	all := manifest.ReadAll(root.FS(), []string{
		"package.json", "composer.json", "a/Cargo.toml", "b/Cargo.toml", "within/package.json", "dangling/Gemfile", "absolute/go.mod",
		"requirements.txt", "folder/package.json", "../secret.json", "/etc/package.json", "gone/package.json",
	})
	for _, m := range all {
		if m.Name == "secret" {
			t.Errorf("%s was read from outside", m.Path)
		}
		for _, dep := range m.Dependencies {
			if dep.Name == "secret" {
				t.Errorf("%s has a dependency from outside", m.Path)
			}
		}
		switch m.Path {
		case "within/package.json":
			if m.Name != "real" {
				t.Errorf("a link within the project was not followed: %+v", m)
			}
		default:
			if len(m.Problems) == 0 {
				t.Errorf("%s: nothing was reported", m.Path)
			}
		}
	}
}

// PowerShell's redirection writes UTF-16.
func TestUTF16IsRead(t *testing.T) {
	utf16 := func(text string, big bool) []byte {
		data := []byte{0xff, 0xfe}
		if big {
			data = []byte{0xfe, 0xff}
		}
		for _, c := range []byte(text) {
			if big {
				data = append(data, 0, c)
			} else {
				data = append(data, c, 0)
			}
		}
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"little endian":                    {utf16("Flask==3\r\n", false), "flask"},
		"big endian":                       {utf16("Flask==3\n", true), "flask"},
		"cut in the middle of a character": {utf16("Flask==3\n", false)[:9], "fla"},
	} {
		files := fstest.MapFS{"requirements.txt": {Data: c.data}}
		all := manifest.ReadAll(files, []string{"requirements.txt"})
		if len(all) != 1 || len(all[0].Dependencies) != 1 || all[0].Dependencies[0].Name != c.want {
			t.Errorf("%s: %+v", name, all)
		}
	}
}

func TestKindOf(t *testing.T) {
	for path, want := range map[string]manifest.Kind{
		"package.json":                 manifest.PackageJSON,
		"a/b/package.json":             manifest.PackageJSON,
		"package-lock.json":            "",
		"composer.lock":                "",
		"Cargo.lock":                   "",
		"go.sum":                       "",
		"poetry.lock":                  "",
		"Gemfile.lock":                 "",
		"uv.lock":                      "",
		"requirements.txt":             manifest.Requirements,
		"requirements-dev.txt":         manifest.Requirements,
		"requirements_test.txt":        manifest.Requirements,
		"dev-requirements.pip":         manifest.Requirements,
		"requirements/base.in":         manifest.Requirements,
		"requirementsx.txt":            "",
		"requirements-.txt":            "",
		"old requirements.txt":         "",
		"build.gradle.kts":             manifest.BuildGradle,
		"gradle/libs.gradle":           manifest.BuildGradle,
		"script.main.kts":              "",
		"settings.gradle":              manifest.SettingsGradle,
		"gradle/libs.versions.toml":    manifest.VersionCatalog,
		"gradle/tools.versions.toml":   manifest.VersionCatalog,
		"project/plugins.sbt":          manifest.BuildSBT,
		"my.gemspec":                   manifest.Gemspec,
		"environment.yml":              manifest.CondaEnvironment,
		"environment-dev.yaml":         manifest.CondaEnvironment,
		"config/environments.yml":      "",
		"deno.jsonc":                   manifest.DenoJSON,
		"pom.xml":                      manifest.PomXML,
		"pom.xml.bak":                  "",
		"":                             "",
		"src/main/resources/pom.xml/x": "",
	} {
		if got, ok := manifest.KindOf(path); got != want || ok != (want != "") {
			t.Errorf("KindOf(%q) = %q, %v; want %q", path, got, ok, want)
		}
	}
}
