// Package mcpserver is memoryd's MCP server: a file for each kind of tools, the resources, and
// the prompts. Tools are thin faces of the same stores as the command line; they
// hold no SQL and never run memoryd again. The parts that all servers share are in
// shared/mcpkit and shared/mcpkit/server.
package mcpserver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/server"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// The instructions are sent to the model in every conversation, which pays for them.
const (
	instructions = `memoryd keeps what agents do and know across sessions: work sessions, long-term memory, each agent's record.
Work in this order: session_start first (resume_last after an interruption); session_note for each decision, discovery, blocker and error as it happens; memory_recall with a plain question before you search or decide; memory_store for what will still matter in weeks; session_end when you finish, also when you did not succeed.
What is recalled is from another time: its age, project and verdict say how far to trust it, and your present task comes first. A refused call says what to do next.`
	readInstructions = `memoryd keeps what agents do and know across sessions: work sessions, long-term memory, each agent's record.
This server only looks: list_sessions and get_session_context show what was done, prior_art what was tried before, agent_status how an agent stands.`
)

// hints replaces the commands in hints of the stores by tools.
var hints = strings.NewReplacer(
	"`memoryd recall` finds", "memory_recall finds",
	"`memoryd recall --key ID` reads", "memory_recall with id reads",
	"several wordings with `--also`", "several wordings in also",
	"`memoryd remember TEXT` keeps", "memory_store keeps",
	"memoryd restore", "memory_update with restore, key",
	"`memoryd history show", "`history_show",
	"`memoryd history` lists", "history_search lists",
	"`memoryd recall` finds them", "memory_recall finds them",
	"memoryd session resume", "session_start with resume",
	"`memoryd session list` lists", "list_sessions lists",
	"`memoryd session start` starts one", "session_start starts one",
	"resume_last (--resume-last)", "resume_last",
	"new content, title, summary, context,", "new content, summary,",
)

// Server is the server that `memoryd serve` starts. Sessions record its presence, and are interrupted when the server stops without ending
// them.
var Server = server.Spec[*service]{
	Name: "memoryd", Port: stores.Port, Instructions: instructions, ReadOnlyInstructions: readInstructions,
	Core: []string{"session_start", "session_note", "session_end", "memory_store", "memory_recall", "history_search"},
	Hint: hints.Replace, Readers: 3,
	Open: open, SessionEnd: (*service).flushRecords, Stop: (*service).stop,
	Present: func(s *service, id string) { s.stores.Sessions.Server = id },
	Offers:  slices.Concat(sessionTools, memoryTools, recordTools, historyTools, []func(*service){addResources, addPrompts}),
}

// service holds the dependencies of the tools.
type service struct {
	*server.Base
	stores  *stores.Stores
	records *record.Buffer // buffered records of agents
}

func open(ctx context.Context, b *server.Base) (*service, error) {
	st, err := stores.Open(ctx, b.Env)
	if err != nil {
		return nil, err
	}
	return &service{Base: b, stores: st, records: newRecords(b, st.Records)}, nil
}

// stop stores the buffer and closes the sessions of this server.
func (s *service) stop(ctx context.Context) error {
	return errors.Join(s.records.Close(ctx), s.stores.Sessions.Stop(ctx))
}

// workFolder returns the folder in which a session works: the given path, else over stdio the server's own.
func (s *service) workFolder(c *mcpkit.Call, given string) string {
	stdio := c.Session().Transport() == mcpkit.Stdio
	switch {
	case filepath.IsAbs(given):
		return given
	case stdio && len(given) > 0 && given[0] == '.':
		return filepath.Join(s.Env.Dir, given)
	case stdio:
		return s.Env.Dir
	}
	return ""
}

// repository returns a folder of the place's project in which commits and files of a call are looked up: the given path, else over stdio
// the server's own folder if it belongs to the project, else a folder on this host that the project was last seen in. "" when none is
// known.
func (s *service) repository(ctx context.Context, c *mcpkit.Call, place project.Place, given string) (folder string) {
	work := s.workFolder(c, given)
	if place.At != nil {
		if work == "" { // over HTTP the path may be from an earlier call
			return place.At.Folder
		}
		return work
	}
	// After a read error no folder is used: commits and places are kept as given.
	_ = s.stores.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		folder, err = folderOf(tx, place, work)
		return err
	})
	return folder
}

// folderOf returns a folder of a place's project: work if it is one, else the first existing folder on this host that the project was seen
// in; "" when there is none.
func folderOf(tx *registry.Tx, place project.Place, work string) (string, error) {
	of, err := place.Find(tx)
	if err != nil {
		return "", err
	}
	if work != "" {
		if id, err := project.Identify(work); err == nil {
			if here, err := project.At(tx, id); err == nil && here.ID == of.ID {
				return work, nil
			}
		}
	}
	seen, err := project.Folders(tx, of.ID)
	for _, path := range seen {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path, nil
		}
	}
	return "", err
}
