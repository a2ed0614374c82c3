package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ofEverything are the writes that may touch every project at once, with the reasons: on a server nothing runs beside them. All other
// writes name their project, which test registries check row by row.
var ofEverything = map[string]string{
	"agit/internal/doctor/doctor.go":     "counts what all items wait for",
	"agit/internal/agents/agents.go":     "an agent that is swept or removed gives back its tasks of every project",
	"integration/passtime/main.go":       "makes a whole registry older, for examples and pictures",
	"memoryd/internal/memory/decay.go":   "decay --all-projects is of the memories of every project",
	"memoryd/internal/memory/index.go":   "indexes what a merge brought",
	"memoryd/internal/memory/meaning.go": "keeps what a model read of memories of several projects",
	"memoryd/internal/record/buffer.go":  "what was collected of several projects",
	"memoryd/internal/session/sweep.go":  "a server that ended had sessions of several projects",
}

func TestFewWritesAreOfEverything(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, name := range sources(t, "shared/registry") { // and without the packages of fixtures, whose names end in test
		content, err := os.ReadFile(filepath.Join("..", name))
		must(t, err)
		if strings.Contains(name, "test/") || !strings.Contains(string(content), "registry.Everything") {
			continue
		}
		found[name] = true
		if ofEverything[name] == "" {
			t.Errorf("%s writes to every project: name the one it touches (registry.Scope, registry.Named), or say here why not", name)
		}
	}
	for name := range ofEverything {
		if !found[name] {
			t.Errorf("%s does not write to every project any more", name)
		}
	}
}
