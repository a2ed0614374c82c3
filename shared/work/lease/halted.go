package lease

import (
	"fmt"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// refuseHalted refuses work to an agent whose score points are used up. It runs inside the transaction of the claim, so that a halt that
// was stored before it counts. halted_agents is memoryd's view of its scores.
func refuseHalted(tx *registry.Tx, a agent.Agent) error {
	if a.ID == 0 {
		return nil // a look into the queue without an agent
	}
	var sp, bugs int64
	err := tx.QueryRow(`SELECT sp, bugs FROM halted_agents WHERE agent_id = ?`, a.ID).Scan(&sp, &bugs)
	if found, err := registry.Found(err); !found {
		return err
	}
	return fault.Conflict("agent", a.Name, "agent %q is halted with %d score points after %s, and gets no claim", a.Name, sp, bugsOf(bugs)).
		WithHint("stop, and let a person look at its work and run `memoryd agent resume %s`", text.ShellWord(a.Name))
}

func bugsOf(n int64) string {
	if n == 1 {
		return "1 bug"
	}
	return fmt.Sprintf("%d bugs", n)
}
