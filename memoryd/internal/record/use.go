package record

import (
	"context"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// UseKinds are the kinds of uses that earn an agent a tenth of XP.
var UseKinds = []string{"tool", "command"}

// maxTimes bounds the count of one call, so that a mistyped number does not make an expert.
const maxTimes = 1000

// Use is a number of tool uses or commands of an agent.
type Use struct {
	By    By
	Kind  string // one of UseKinds
	Times int64  // 1 when 0
}

func (u *Use) check() error {
	if u.Times == 0 {
		u.Times = 1
	}
	if !slices.Contains(UseKinds, u.Kind) {
		return fault.Validation("kind", "%q is not a kind of use", u.Kind).WithHint("use tool or command")
	}
	if u.Times < 1 || u.Times > maxTimes {
		return fault.Validation("times", "%d is not a number of uses", u.Times).WithHint("give 1 to %d", maxTimes)
	}
	return nil
}

// Use adds the XP of tool uses and commands.
func (s *Store) Use(ctx context.Context, u Use) (st Status, err error) {
	if err := u.check(); err != nil {
		return st, err
	}
	err = s.write(ctx, u.By, func(tx *registry.Tx, to booked) error {
		if err := u.apply(tx, to); err != nil {
			return err
		}
		st, err = load(tx, to.agent)
		return err
	})
	return st, err
}

func (u Use) xp() Tenths { return UseXP * Tenths(u.Times) }

// apply adds the uses to the day's row.
func (u Use) apply(tx *registry.Tx, to booked) error {
	day := registry.FormatTime(tx.Now().Truncate(24 * time.Hour))
	n, err := tx.Exec(`UPDATE score_events SET times = times + ?, d_xp_tenths = d_xp_tenths + ?, at = ?
		WHERE id = (SELECT MAX(id) FROM score_events WHERE agent_id = ? AND kind = ?) AND at >= ?`,
		u.Times, int64(u.xp()), tx.Stamp(), to.agent.ID, u.Kind, day)
	if err != nil {
		return err
	}
	if n == 0 {
		to.project.ID = 0 // a day's uses may be in many projects
		if err := to.tell(tx, event{kind: u.Kind, times: u.Times, dXP: u.xp()}); err != nil {
			return err
		}
	}
	_, err = to.add(tx, delta{xp: u.xp()})
	return err
}
