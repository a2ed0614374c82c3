package registry

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

const (
	// renewal is how often a running process renews its presence row.
	renewal = 20 * time.Second
	// silence is the time without a renewal after which a process counts as gone, on any host: it, its machine or its network has
	// failed.
	silence = 90 * time.Second
	// presenceLimit bounds one read or renewal of a presence row.
	presenceLimit = 10 * time.Second
)

// serverNow is the server's time in the registry's format.
const serverNow = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

// Announce adds a presence row on the server and renews it until Leave.
func (e *serverEngine) Announce() (*Presence, error) {
	p := &Presence{ID: NewID("v-") + ShortID(6) + "@" + Host()}
	renew := fmt.Sprintf(`INSERT INTO presences (id, host, renewed_at) VALUES (%s, %s, %s) ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at`,
		postgres.Quote(p.ID), postgres.Quote(Host()), serverNow)
	const tidy = `DELETE FROM presences WHERE renewed_at < to_char((clock_timestamp() - interval '1 day') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
	err := e.read(context.Background(), func(*Tx) error { return nil }) // creates the tables
	if err == nil {
		_, err = e.aside(renew + `; ` + tidy)
	}
	if err != nil {
		return nil, fault.Operation(e.failure(err), "announce this process")
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(renewal)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_, _ = e.aside(renew) // an unreachable server is tried again at the next tick
			}
		}
	}()
	p.leave = func() {
		cancel()
		<-ended
		_, _ = e.aside(`DELETE FROM presences WHERE id = ` + postgres.Quote(p.ID)) // if this fails, the row expires
	}
	return p, nil
}

// Present reports by the row whether a process is running, on any host.
func (e *serverEngine) Present(id string) bool {
	answer, err := e.aside(fmt.Sprintf(`SELECT 1 FROM presences WHERE id = %s AND renewed_at > to_char((clock_timestamp() - interval '%s seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
		postgres.Quote(id), strconv.Itoa(int(silence.Seconds()))))
	return err != nil || len(answer) > 0
}

// Running returns the processes that announced themselves on a server and run, on any host, as the transaction sees them.
func Running(tx *Tx) (map[string]bool, error) {
	ids, err := Collect(tx, One[string], fmt.Sprintf(`SELECT id FROM presences WHERE renewed_at > to_char((clock_timestamp() - interval '%d seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
		int(silence.Seconds())))
	running := map[string]bool{}
	for _, id := range ids {
		running[id] = true
	}
	return running, err
}

// aside runs one statement in a transaction of its own on a pooled connection, and returns its rows.
func (e *serverEngine) aside(statement string) (rows [][]string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), presenceLimit)
	defer cancel()
	conn, err := e.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		answers, err := c.(*postgres.Conn).Batch(ctx, `BEGIN; `+e.settings()+`; `+statement+`; COMMIT`)
		if err != nil {
			return err
		}
		rows = answers[len(answers)-2]
		return nil
	})
	return rows, err
}
