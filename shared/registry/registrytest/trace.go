package registrytest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// TraceVariable names a folder in which every test process leaves the statements
// that registries of this package ran, each once, ended by a NUL.
const TraceVariable = "REGISTRY_TRACE"

// Statements collects the statements of a registry: its Log, for tests that count or
// read them. It is safe for concurrent use.
type Statements struct {
	mu   sync.Mutex
	list []string
}

// Take returns the statements since the last call, in their order.
func (s *Statements) Take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.list
	s.list = nil
	return list
}

// Log is the logger that a registry tells its statements.
func (s *Statements) Log() *slog.Logger {
	return slog.New(told(func(statement string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = append(s.list, statement)
	}))
}

// told is a slog handler that hears statements.
type told func(statement string)

func (told) Enabled(context.Context, slog.Level) bool { return true }
func (t told) WithAttrs([]slog.Attr) slog.Handler     { return t }
func (t told) WithGroup(string) slog.Handler          { return t }
func (t told) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "statement" {
			t(a.Value.String())
		}
		return true
	})
	return nil
}

// trace is the process's file of statements; nil when none is wanted.
var trace = sync.OnceValue(func() *slog.Logger {
	dir := os.Getenv(TraceVariable)
	if dir == "" || !testing.Testing() {
		return nil
	}
	file, err := os.Create(filepath.Join(dir, filepath.Base(os.Args[0])+"."+strconv.Itoa(os.Getpid())))
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	return slog.New(told(func(statement string) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[statement] {
			seen[statement] = true
			if _, err := file.WriteString(statement + "\x00"); err != nil {
				panic(err)
			}
		}
	}))
})
