package uses

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The packages that each kind of manifest names, with their lines.
func TestDependencies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"go.mod", "module x\n\nrequire github.com/a/b v1.2.3\nrequire (\n\tgolang.org/x/c v0.1.0 // indirect\n)\nreplace github.com/a/d v1.0.0 => ../d\n",
			"go github.com/a/b 3, go golang.org/x/c 5"},
		{"web/package.json", "{\n  \"name\": \"left\",\n  \"dependencies\": {\n    \"left\": \"^1\"\n  },\n  \"devDependencies\": {\n    \"@x/y\": \"2\"\n  }\n}\n", "js left 4, js @x/y 7"},
		{"package.json", "{", ""},
		{"Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\ntokio = { version = \"1\" }\n[dev-dependencies]\nrand = \"0\"\n[dependencies.regex]\nversion = \"1\"\n",
			"rust serde 4, rust tokio 5, rust rand 7, rust regex 8"},
		{"pyproject.toml", "[project]\nname = \"x\"\nkeywords = [\n  \"words\",\n]\ndependencies = [\n  \"requests>=2\",\n  \"attrs\",\n]\n[project.optional-dependencies]\ndev = [\n  \"pytest\",\n]\n[tool.poetry.dependencies]\npython = \"^3\"\nflask = \"^2\"\n",
			"python requests 7, python attrs 8, python pytest 12, python flask 16"},
		{"Pipfile", "[packages]\nrequests = \"*\"\n[scripts]\nrun = \"x\"\n", "python requests 2"},
		{"requirements-dev.txt", "# tools\nrequests==2.0\n-r other.txt\nFlask[async] >= 2\n", "python requests 2, python Flask 4"},
		{"Gemfile", "source 'https://rubygems.org'\ngem 'rails', '~> 7'\n", "ruby rails 2"},
		{"x.gemspec", "  s.add_development_dependency \"rspec\"\n", "ruby rspec 1"},
		{"build.gradle.kts", "dependencies {\n  implementation(\"com.google.guava:guava:32\")\n  println(\"a:b\")\n}\n", "jvm com.google.guava 2"},
		{"pom.xml", "<project>\n<groupId>own</groupId>\n<dependency>\n<groupId>org.slf4j</groupId>\n</dependency>\n<groupId>later</groupId>\n</project>\n", "jvm org.slf4j 4"},
		{"App.csproj", "<ItemGroup>\n<PackageReference Include=\"Newtonsoft.Json\" Version=\"13\" />\n", "cs Newtonsoft.Json 2"},
		{"notes.txt", "requests==2.0\n", ""},
	} {
		var got []string
		for _, d := range dependencies(c.file, c.text) {
			if d.file != c.file {
				t.Errorf("%s: a package of %s", c.file, d.file)
			}
			got = append(got, fmt.Sprint(d.kind, " ", d.name, " ", d.line))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: %s", c.file, diff)
		}
	}
}
