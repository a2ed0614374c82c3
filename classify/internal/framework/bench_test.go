package framework

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// A process detects once, so the table's index is part of what it pays.
func BenchmarkFirstDetect(b *testing.B) {
	manifests := manifest.ReadAll(fstest.MapFS{"package.json": {Data: []byte(`{"dependencies":{"next":"15","react":"19"}}`)}}, []string{"package.json"})
	for b.Loop() {
		indexes.Clear()
		Detect(Facts{Language: "TypeScript", Manifests: manifests})
	}
}

// A monorepo of 10,000 files and 300 packages.
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
	for b.Loop() {
		Detect(Facts{Language: "TypeScript", Manifests: manifests, Files: names})
	}
}
