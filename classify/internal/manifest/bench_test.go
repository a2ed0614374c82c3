package manifest_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pelletier/go-toml/v2"

	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkReadAll: the packages of 900 manifests of three kinds, beside decoding each into an untyped value with the library of its
// format.
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
	benchtest.Beside(b, "decode", benchtest.Of(func() error {
		manifest.Packages(manifest.ReadAll(files, names))
		return nil
	}), benchtest.Of(func() error {
		for _, name := range names {
			var into any
			text, err := files.ReadFile(name)
			switch {
			case err != nil:
			case strings.HasSuffix(name, ".json"):
				err = json.Unmarshal(text, &into)
			case strings.HasSuffix(name, ".toml"):
				err = toml.Unmarshal(text, &into)
			default:
				err = xml.Unmarshal(text, new(struct{}))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}
