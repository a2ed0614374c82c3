// Package limit keeps for how long a tracker wants no requests, so that every process that calls it obeys: the next command, a watch, the
// push at a session's end.
package limit

import (
	"context"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store keeps the limits of one account of a tracker. It is safe for concurrent use.
type Store struct {
	DB      *registry.DB
	Account string // the tracker and its address
	// Up returns a name of the machine's current boot and the time since it, which no change of the clock moves. The name is "" where the
	// system does not provide one.
	Up func() (boot string, since time.Duration)
}

// longest is how long a limit is obeyed at most, whatever the tracker's answer asked for.
const longest = transport.LongestHold

// Left returns how much longer the tracker wants no requests of a bucket, 0 for no limit. The limits of the bucket "" hold for all buckets.
func (s *Store) Left(ctx context.Context, bucket string) (left time.Duration, err error) {
	boot, since := s.up()
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := registry.Collect(tx, func(row registry.Scanner) (d time.Duration, err error) {
			var until, of string
			var up int64
			if err := row.Scan(&until, &of, &up); err != nil {
				return 0, err
			}
			return remaining(until, of, up, tx.Now(), boot, since), nil
		}, `SELECT until, boot, until_up FROM tracker_limits WHERE account = ? AND bucket IN ('', ?)`, s.Account, bucket)
		for _, d := range all {
			left = max(left, d)
		}
		return err
	})
	return left, err
}

// remaining returns how much of a limit is left. It measures by the time since boot when the limit was set in the same boot, else by the
// clock.
func remaining(until, of string, up int64, now time.Time, boot string, since time.Duration) time.Duration {
	if boot != "" && of == boot {
		return min(max(time.Duration(up)*time.Millisecond-since, 0), longest)
	}
	at, err := timestamp.Parse(until)
	if err != nil || at.Sub(now) > longest {
		return 0 // written by a clock that was wrong
	}
	return max(at.Sub(now), 0)
}

// Hold keeps requests of a bucket back for the duration d, an hour at most. A limit that lasts longer stays.
func (s *Store) Hold(ctx context.Context, bucket string, d time.Duration) error {
	left, err := s.Left(ctx, bucket)
	if d = min(d, longest); err != nil || d <= left {
		return err
	}
	boot, since := s.up()
	return s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		if err := tx.Do(`DELETE FROM tracker_limits WHERE until < ?`, registry.FormatTime(tx.Now().Add(-longest))); err != nil {
			return err
		}
		return tx.Do(`INSERT INTO tracker_limits (account, bucket, until, boot, until_up) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (account, bucket) DO UPDATE SET until = excluded.until, boot = excluded.boot, until_up = excluded.until_up`,
			s.Account, bucket, registry.FormatTime(tx.Now().Add(d)), boot, (since + d).Milliseconds())
	})
}

func (s *Store) up() (string, time.Duration) {
	if s.Up == nil {
		return "", 0
	}
	return s.Up()
}
