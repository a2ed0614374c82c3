package registry

import (
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

// tryOut finds out whether a server keeps what the registry relies on: a row that one
// connection has locked is not given to another one, and is passed over where that is
// asked for. Some that speak PostgreSQL's protocol do not.
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
	return fault.Validation("target", "the server %q (%s) cannot keep a registry: %s; nothing was changed", e.name(), "PostgreSQL's protocol", what).
		WithHint("use PostgreSQL itself")
}
