package registry

import (
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

// tryOut checks two properties of a server that the registry relies on: a row locked by one connection cannot be locked by another, and
// SKIP LOCKED skips it. Some servers that speak PostgreSQL's protocol lack them.
func (e *serverEngine) tryOut(ctx context.Context) error {
	one, err := e.server.Dial(ctx)
	if err != nil {
		return err
	}
	defer one.Close()
	other, err := e.server.Dial(ctx)
	if err != nil {
		return err
	}
	defer other.Close()
	begin := `BEGIN; ` + e.settings() + `; `
	if _, err := one.Batch(ctx, begin+lockRow(registryLock, `FOR UPDATE`)); err != nil {
		return err
	}
	answers, err := other.Batch(ctx, begin+lockRow(registryLock, `FOR UPDATE SKIP LOCKED`))
	if err != nil {
		return err
	}
	if len(answers[len(answers)-1]) > 0 {
		return e.lacks("a row that one connection has locked is not passed over by SKIP LOCKED")
	}
	_, err = other.Batch(ctx, `SET LOCAL lock_timeout = '100ms'; `+lockRow(registryLock, `FOR UPDATE`))
	switch {
	case err == nil:
		return e.lacks("a row that one connection has locked is given to another one")
	case postgres.Judge(err) != postgres.Waiting:
		return err
	}
	return nil
}

func (e *serverEngine) lacks(what string) error {
	return fault.Validation("target", "the server %q (%s) cannot keep a registry: %s; nothing was changed", e.Name(), "PostgreSQL's protocol", what).
		WithHint("use PostgreSQL itself")
}
