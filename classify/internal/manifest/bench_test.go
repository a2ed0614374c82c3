package manifest_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

func BenchmarkReadAll(b *testing.B) {
	files := fstest.MapFS{}
	var names []string
	for i := range 300 {
		for name, content := range map[string]string{
			"package.json":   `{"name":"x","dependencies":{"react":"19","a":"1","b":"1","c":"1"},"devDependencies":{"vite":"6","typescript":"5"}}`,
			"pyproject.toml": "[project]\nname = \"x\"\ndependencies = [\"flask\", \"requests\"]\n",
			"pom.xml":        "<project><artifactId>x</artifactId><dependencies><dependency><groupId>a</groupId><artifactId>b</artifactId></dependency></dependencies></project>",
		} {
			path := fmt.Sprintf("p%d/%s", i, name)
			files[path] = &fstest.MapFile{Data: []byte(content)}
			names = append(names, path)
		}
	}
	for b.Loop() {
		manifest.Packages(manifest.ReadAll(files, names))
	}
}
