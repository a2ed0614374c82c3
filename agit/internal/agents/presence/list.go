package presence

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// forgotten is how long an agent that is gone and left nothing is still shown.
const forgotten = 24 * time.Hour

// List returns what agents do: one row for each agent and worktree that it was given or is in, and one for an agent that is elsewhere. For
// a repository, 0 for all, it includes what its agents do on other machines. Agents that wait for a person come first, the longest wait first; then
// the others by state and name. An agent that is gone is listed while it has a worktree or a claim, and for a day; the worktrees that it left, and
// that no longer exist, are at most one row.
func List(tx *registry.Tx, staleAfter time.Duration, repoID int64) ([]Presence, error) {
	spots, err := spotsOf(tx, repoID)
	if err != nil {
		return nil, err
	}
	sessions := map[int64]int{}    // open ones by agent
	ended := map[int64]statement{} // the last that ended on this host, by agent
	host := registry.Host()
	for _, s := range spots {
		for _, one := range s.statements {
			switch {
			case one.state != Gone:
				sessions[s.AgentID]++
			case one.host == host && one.since.After(ended[s.AgentID].since):
				ended[s.AgentID] = one
			}
		}
	}
	list, placed := []Presence{}, map[[2]int64]bool{}
	for _, s := range spots {
		here := 0
		for _, one := range s.statements {
			if one.state != Gone {
				here++
			}
		}
		s.known.alone = sessions[s.AgentID] == here
		if last := ended[s.AgentID]; !last.since.IsZero() {
			s.known.left, s.known.leftBy = last.since, last.source
		}
		s.Sessions = awake(tx.Now(), host, staleAfter, s.statements, s.known)
		s.Shown = shown(tx.Now(), host, staleAfter, s.statements, s.known)
		if s.Shown.State == Gone && s.WorktreeID == 0 && !s.claims && s.Since.Before(tx.Now().Add(-forgotten)) {
			continue
		}
		if s.Host == host {
			s.Host = ""
		}
		if repoID != 0 && s.RepoID != repoID && s.Host == "" {
			continue
		}
		list = append(list, s.Presence)
		if !s.nowhere() {
			placed[[2]int64{s.AgentID, s.RepoID}] = true
		}
	}
	list = slices.DeleteFunc(list, func(p Presence) bool { return p.nowhere() && placed[[2]int64{p.AgentID, p.RepoID}] })
	slices.SortStableFunc(list, func(a, b Presence) int {
		if by := rank[a.State] - rank[b.State]; by != 0 {
			return by
		}
		if a.State == Waiting {
			return a.Since.Compare(b.Since.Time)
		}
		return strings.Compare(a.Agent+"\x00"+a.Worktree, b.Agent+"\x00"+b.Worktree)
	})
	return list, nil
}

// nowhere reports whether an agent is gone and has left no place, as when its work landed and its worktree was removed.
func (p Presence) nowhere() bool { return p.State == Gone && p.WorktreeID == 0 && p.Folder == "" }

// spot is an agent in a place, with what is known of it there.
type spot struct {
	Presence
	known      known
	claims     bool
	statements []statement
}

type spotKey struct {
	agent, worktree, repo int64
	folder                string // of a working tree without a row
}

// spotsOf returns the agents of a repository, or all for 0, with all their places: the state of an agent
// elsewhere counts for its state here.
func spotsOf(tx *registry.Tx, repoID int64) ([]*spot, error) {
	who, args := `1 = 1`, []any(nil)
	if repoID != 0 {
		who = `EXISTS (SELECT 1 FROM repos WHERE repos.id = ? AND (` + repo.Busy + `
			OR EXISTS (SELECT 1 FROM agent_states said JOIN repos made ON made.id = said.repo_id WHERE said.agent_id = agents.id AND ` + repo.Covers + `)))`
		args = []any{repoID}
	}
	left, leavers, err := seat.Left(tx)
	if err != nil {
		return nil, err
	}
	var spots []*spot
	at := map[spotKey]*spot{}
	add := func(s spot) *spot {
		if leavers[s.Agent] {
			s.known.left, s.known.leftBy = s.known.lastSeen, Silence
		}
		key := spotKey{agent: s.AgentID, worktree: s.WorktreeID}
		if s.WorktreeID == 0 {
			key.repo, key.folder = s.RepoID, s.Folder
		}
		if at[key] == nil {
			at[key] = &s
			spots = append(spots, &s)
		}
		return at[key]
	}
	for row, err := range tx.Rows(`SELECT `+spotColumns+`, CASE WHEN w.id IS NULL AND s.worktree_id IS NOT NULL THEN '' ELSE s.folder END, s.host, s.state, s.since, s.said_at, s.quiet_until, s.note, s.source, s.session,
		COALESCE(t.state, ''), COALESCE(t.pid, 0), COALESCE(t.mark, ''), t.started_at
		FROM agent_states s JOIN agents ON agents.id = s.agent_id AND agents.removed_at IS NULL
		LEFT JOIN attempts t ON t.run = s.session AND s.source = 'work'
		LEFT JOIN worktrees w ON w.id = s.worktree_id AND w.`+repo.LiveWorktree+`
		LEFT JOIN repos r ON r.id = s.repo_id WHERE `+who+` ORDER BY s.id`, args...) {
		if err != nil {
			return nil, err
		}
		var one statement
		var folder string
		var since, said timestamp.Time
		var quiet, began registry.Null[timestamp.Time]
		var run, mark string
		var pid int64
		s, err := scanSpot(row, &folder, &one.host, &one.state, &since, &said, &quiet, &one.note, &one.source, &one.session, &run, &pid, &mark, &began)
		if err != nil {
			return nil, err
		}
		s.Folder, s.Host = folder, one.host
		one.since, one.at, one.quietUntil = since.Time, said.Time, quiet.V.Time
		here := one.host == registry.Host()
		killed := here && (one.source == Hook && left[one.session] || run == "running" && !process.Alive(pid, mark, began.V.Time))
		if one.state != Gone && (killed || run != "" && run != "running") { // a killed run ends when another worker picks it up
			one.state, one.note, one.since = Gone, "", one.at
		}
		kept := add(s)
		kept.statements = append(kept.statements, one)
	}
	scan := func(row registry.Scanner) (spot, error) { return scanSpot(row) }
	own, err := registry.Collect(tx, scan, `SELECT `+spotColumns+` FROM worktrees w JOIN agents ON agents.id = w.agent_id AND agents.removed_at IS NULL
		JOIN repos r ON r.id = w.repo_id WHERE w.`+repo.LiveWorktree+` AND `+who, args...)
	if err != nil {
		return nil, err
	}
	for _, s := range own {
		add(s).known.busy = true
	}
	placed := map[int64]bool{}
	for _, s := range spots {
		placed[s.AgentID] = true
	}
	claims, err := registry.Collect(tx, scan, `SELECT `+spotColumns+` FROM leases l JOIN agents ON agents.id = l.agent_id AND agents.removed_at IS NULL
		JOIN tasks t ON t.item_id = l.item_id LEFT JOIN repos r ON r.id = t.repo_id LEFT JOIN worktrees w ON 1 = 0 WHERE `+who, args...)
	for _, s := range claims {
		if !placed[s.AgentID] { // it works by its claim alone
			add(s).known.busy = true
		}
	}
	return spots, err
}

const spotColumns = `agents.id, agents.name, agents.status, agents.last_seen_at, COALESCE(w.id, 0), COALESCE(w.ref, ''), COALESCE(w.path, ''), COALESCE(r.id, 0), COALESCE(r.name, ''),
	COALESCE(w.host, agents.host), CASE WHEN EXISTS (SELECT 1 FROM leases WHERE leases.agent_id = agents.id) THEN 1 ELSE 0 END`

// scanSpot reads spotColumns, and the columns behind them into more.
func scanSpot(row registry.Scanner, more ...any) (s spot, err error) {
	var seen timestamp.Time
	var path string
	err = row.Scan(append([]any{&s.AgentID, &s.Agent, &s.known.status, &seen, &s.WorktreeID, &s.Worktree, &path, &s.RepoID, &s.Repo, &s.Host, &s.claims}, more...)...)
	s.known.lastSeen, s.known.busy = seen.Time, s.claims
	if path != "" {
		s.Name = filepath.Base(path)
	}
	return s, err
}
