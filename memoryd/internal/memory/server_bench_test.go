//go:build unix

package memory

import (
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// BenchmarkRecallOnServer: a question about 2,000 memories on PostgreSQL over a socket, beside the same question in a file.
func BenchmarkRecallOnServer(b *testing.B) {
	asking := newCorpus()
	list := asking.memories(2000)
	open := func(server string) (*Store, int64) {
		db, err := registry.Open(b.Context(), registry.Options{Path: filepath.Join(b.TempDir(), "agit.db"), Server: server, Readers: 2})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		return &Store{DB: db, Used: func([]int64) {}}, storeAll(b, db, list)
	}
	server, there := open(registrytest.NewDurableCluster(b).URL("postgres"))
	file, here := open("")
	ask := func(s *Store, in int64, question string) error {
		_, err := s.Recall(b.Context(), Query{ProjectID: in, Text: question})
		return err
	}
	var question string
	benchtest.Beside(b, "file", benchtest.Side{
		Prepare: func() error { question, _ = asking.question(list); return nil },
		Run:     func() error { return ask(server, there, question) },
	}, benchtest.Of(func() error { return ask(file, here, question) }))
}
