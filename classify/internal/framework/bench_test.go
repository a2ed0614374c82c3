package framework

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkFirstDetect: the first detection of a process, including the index of its table, beside compiling one regular expression of all
// names in the table.
func BenchmarkFirstDetect(b *testing.B) {
	manifests := manifest.ReadAll(fstest.MapFS{"package.json": {Data: []byte(`{"dependencies":{"next":"15","react":"19"}}`)}}, []string{"package.json"})
	var names []string
	for _, f := range table() {
		names = append(names, regexp.QuoteMeta(f.name))
	}
	expression := strings.Join(names, "|")
	benchtest.Beside(b, "regexp", benchtest.Of(func() error {
		indexes.Clear()
		Detect(Facts{Language: "TypeScript", Manifests: manifests})
		return nil
	}), benchtest.Of(func() error {
		_, err := regexp.Compile(expression)
		return err
	}))
}

// BenchmarkDetectMonorepo: the frameworks of 10,000 files and 300 packages, beside
// decoding the packages' manifests.
func BenchmarkDetectMonorepo(b *testing.B) {
	files := fstest.MapFS{}
	var names []string
	for i := range 300 {
		name := fmt.Sprintf("packages/p%d/package.json", i)
		files[name] = &fstest.MapFile{Data: []byte(`{"name":"x","dependencies":{"react":"19","a":"1","b":"1","c":"1"},"devDependencies":{"vite":"6","typescript":"5","eslint":"9"}}`)}
		names = append(names, name)
		for j := range 33 {
			names = append(names, fmt.Sprintf("packages/p%d/src/file%d.ts", i, j))
		}
	}
	manifests := manifest.ReadAll(files, names)
	benchtest.Beside(b, "json", benchtest.Of(func() error {
		Detect(Facts{Language: "TypeScript", Manifests: manifests, Files: names})
		return nil
	}), benchtest.Of(func() error {
		for _, file := range files {
			if err := json.Unmarshal(file.Data, new(any)); err != nil {
				return err
			}
		}
		return nil
	}))
}
