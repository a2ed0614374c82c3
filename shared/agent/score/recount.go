// Package score recomputes agents' scores from their events, after registries were merged: the effect of each event is
// kept once, and the scores are their sum.
//
// Otherwise memoryd's records keep the scores.
package score

import "github.com/agit-suite/agit/shared/registry"

// start is the score points that every agent begins with.
const start = 1

// counted selects the scores that an agent's events add up to. An agent is halted if a halt, or a bug that left it no points, came after
// the last time a person resumed it.
const counted = `SELECT e.agent_id AS agent_id, ? + SUM(e.d_sp) AS sp, SUM(e.d_xp_tenths) AS xp_tenths, SUM(e.d_cs) AS cs,
	SUM(CASE WHEN e.kind = 'commit' THEN 1 ELSE 0 END) AS commits, SUM(CASE WHEN e.kind = 'bug' THEN 1 ELSE 0 END) AS bugs,
	CASE WHEN COALESCE(MAX(CASE WHEN e.kind = 'halt' THEN e.at END), '') > COALESCE(MAX(CASE WHEN e.kind = 'resume' THEN e.at END), '') THEN 1
	  WHEN ? + SUM(e.d_sp) <= 0 AND COALESCE(MAX(CASE WHEN e.kind = 'bug' THEN e.at END), '') > COALESCE(MAX(CASE WHEN e.kind = 'resume' THEN e.at END), '') THEN 1
	  ELSE 0 END AS halted
	FROM score_events e GROUP BY e.agent_id`

// Recount sets the scores of every agent to the sum of its events, and returns how many scores were wrong.
func Recount(tx *registry.Tx) (wrong int, err error) {
	n, err := tx.Exec(`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at)
		SELECT c.agent_id, c.sp, CASE WHEN c.xp_tenths < 0 THEN 0 ELSE c.xp_tenths END, c.cs, c.commits, c.bugs, c.halted, ? FROM (`+counted+`) c WHERE 1 = 1
		ON CONFLICT (agent_id) DO UPDATE SET sp = excluded.sp, xp_tenths = excluded.xp_tenths, cs = excluded.cs, commits = excluded.commits,
		  bugs = excluded.bugs, halted = excluded.halted, updated_at = excluded.updated_at
		WHERE agent_scores.sp <> excluded.sp OR agent_scores.xp_tenths <> excluded.xp_tenths OR agent_scores.cs <> excluded.cs
		  OR agent_scores.commits <> excluded.commits OR agent_scores.bugs <> excluded.bugs OR agent_scores.halted <> excluded.halted`,
		tx.Stamp(), start, start)
	if n > 0 {
		tx.Changed(registry.TopicAgents, 0, "")
	}
	return int(n), err
}
