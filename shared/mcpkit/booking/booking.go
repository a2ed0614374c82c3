// Package booking finds the agent and the project that a call over MCP is booked on, in the same way for every server of
// the suite. The agent of a call is its parameter, else the agent that registered or began work in the session, else
// AGIT_AGENT, else over stdio the agent of the client's seat, which the client's hooks and other servers share, else
// client and session. The project is the parameter, else the session's, else over stdio the folder of the server.
//
// It decides nothing about what a call does, and writes only an agent's heartbeat. A Desk is safe for concurrent use.
package booking

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Booking holds on which agent and project a write was booked; the answer to every write includes it.
type Booking struct {
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
	New     bool   `json:"new_agent,omitempty"` // it was registered by this call: its name may be mistyped
}

// Desk finds out which agent calls, and in which project.
type Desk struct {
	DB     *registry.DB        // nil when there is no registry to look a project up in
	Getenv func(string) string // the server's environment
	Dir    string              // the folder the server was started in
}

// Named returns the agent that a call names: by its parameter, by its session, or by AGIT_AGENT; "" when it names none.
func (d Desk) Named(c *mcpkit.Call, given string) string {
	for _, name := range []string{given, c.Session().Agent(), d.Getenv("AGIT_AGENT")} {
		if name != "" {
			c.BookedOn(name)
			return name
		}
	}
	return ""
}

// Caller returns the agent that a write is booked on: the named one, else client and session. given is the value of the parameter field; a
// value that cannot be a name is refused with that field.
func (d Desk) Caller(c *mcpkit.Call, field, given string) (string, error) {
	if err := Check(field, given); err != nil {
		return "", err
	}
	if name := d.Named(c, given); name != "" {
		return name, nil
	}
	name, err := d.seated(c.Session())
	if err != nil {
		return "", err
	}
	name = cmp.Or(name, OwnName(c.Session()))
	c.BookedOn(name)
	return name, nil
}

// seated returns the agent of the seat of the client that started the server, so that client, hooks and servers are one agent; "" when the
// client's process is not known. It takes a seat if the client has none.
func (d Desk) seated(session *mcpkit.Session) (name string, err error) {
	if known, _ := session.Get(seatedKey{}).(string); known != "" {
		return known, nil
	}
	c := seat.Client{Name: session.Client(), Process: seat.Starter()}
	if d.DB == nil || session.Transport() != mcpkit.Stdio || !c.Known() {
		return "", nil
	}
	name, err = registry.Write(context.Background(), d.DB, registry.Named, func(tx *registry.Tx) (string, error) { return seat.Take(tx, c) })
	if err == nil {
		session.Set(seatedKey{}, name)
	}
	return name, err
}

// Own returns the agent of a client that named none, as far as it is known without taking a seat.
func (d Desk) Own(session *mcpkit.Session) (name string) {
	if d.DB != nil && session.Transport() == mcpkit.Stdio {
		name, _ = registry.Read(context.Background(), d.DB, func(tx *registry.Tx) (string, error) {
			return seat.Find(tx, seat.Client{Name: session.Client(), Process: seat.Starter()})
		})
	}
	return cmp.Or(name, OwnName(session))
}

// Check refuses a text that cannot be an agent's name. The error is about the parameter field, where a store's error would be about a name.
func Check(field, given string) error {
	if given == "" {
		return nil
	}
	_, err := text.Name(field, given)
	return err
}

// OwnName returns a name for a client that did not register. A request over HTTP shows only the session's id, so its digest stands for the
// client.
func OwnName(session *mcpkit.Session) string {
	digest := sha256.Sum256([]byte(session.ID()))
	return seat.Word(session.Client()) + "-" + hex.EncodeToString(digest[:4])
}

type (
	seatedKey  struct{} // the agent of the client's seat
	ownKey     struct{} // marks a session that something was booked on under its own name
	aliveKey   struct{} // time of the last heartbeat of the session's agent
	projectKey struct{} // the project of the session
)

// Book returns on what a write was booked, once it is done.
func (d Desk) Book(ctx context.Context, c *mcpkit.Call, who, projectUID string) Booking {
	b := Booking{Project: projectUID, Agent: who}
	if who == "" {
		return b
	}
	_ = d.DB.Read(ctx, func(tx *registry.Tx) error { // the write itself stands
		a, err := agent.Get(tx, who)
		if err == nil {
			b.Agent, b.New = a.Name, a.RegisteredAt.Equal(a.LastSeen.Time)
		}
		return err
	})
	if who == OwnName(c.Session()) || who == c.Session().Get(seatedKey{}) {
		c.Session().Set(ownKey{}, true)
	}
	c.BookedOn(b.Agent)
	return b
}

// BookAt is Book for a store that returns the project's row.
func (d Desk) BookAt(ctx context.Context, c *mcpkit.Call, who string, projectID int64) Booking {
	p, _ := registry.Read(ctx, d.DB, func(tx *registry.Tx) (project.Project, error) { return project.ByID(tx, projectID) })
	return d.Book(ctx, c, who, p.UID)
}

// Alive is a heartbeat of the session's agent, for calls that write nothing. They come in bursts, so it writes at most once in every.
func (d Desk) Alive(ctx context.Context, c *mcpkit.Call, every time.Duration) {
	name := d.Named(c, "")
	if own, _ := c.Session().Get(ownKey{}).(bool); own && name == "" {
		if name, _ = c.Session().Get(seatedKey{}).(string); name == "" {
			name = OwnName(c.Session())
		}
	}
	last, _ := c.Session().Get(aliveKey{}).(time.Time)
	if name == "" || time.Since(last) < every {
		return
	}
	c.Session().Set(aliveKey{}, time.Now())
	// An agent that was removed, or never registered, stays so: looking changes nothing.
	_, _ = registry.Write(ctx, d.DB, registry.Named, func(tx *registry.Tx) (agent.Agent, error) { return agent.Heartbeat(tx, name) })
}

// Place returns where a call works. Over HTTP, without a folder, the first project that a call of the session names holds for calls that
// name none.
func (d Desk) Place(ctx context.Context, c *mcpkit.Call, given string) (project.Place, error) {
	session, kept := c.Session(), d.Project(c)
	dir := ""
	if session.Transport() == mcpkit.Stdio {
		dir = d.Dir
	}
	given = cmp.Or(given, kept)
	p, err := project.Locate(given, dir)
	if err == nil && dir == "" && kept == "" && d.exists(ctx, p) {
		session.Set(projectKey{}, given)
	}
	return p, err
}

// Project returns the session's project; "" when none is set.
func (d Desk) Project(c *mcpkit.Call) string {
	uid, _ := c.Session().Get(projectKey{}).(string)
	return uid
}

// exists keeps a mistyped project from becoming the session's.
func (d Desk) exists(ctx context.Context, p project.Place) bool {
	if p.At != nil || d.DB == nil {
		return p.At != nil
	}
	_, err := registry.Read(ctx, d.DB, p.Find)
	return err == nil
}

// SetProject sets the session's project.
func (d Desk) SetProject(c *mcpkit.Call, uid string) { c.Session().Set(projectKey{}, uid) }

// ProjectIDs completes the variable project of a resource: an mcpkit.Completer.
func (d Desk) ProjectIDs(ctx context.Context, prefix string, _ map[string]string) (ids []string, err error) {
	err = d.DB.Read(ctx, func(tx *registry.Tx) error {
		ids = nil
		all, err := project.List(tx)
		for _, p := range all {
			if strings.HasPrefix(p.UID, prefix) {
				ids = append(ids, p.UID)
			}
		}
		return err
	})
	return ids, err
}

// Concerns narrows a change down to the resources of its project, by their variable project: it is an mcpkit.Updates.Match. A change
// without a project concerns all.
func (d Desk) Concerns(ctx context.Context, change mcpkit.Change, _ string, vars map[string]string) bool {
	named := vars["project"]
	if named == "" || change.ProjectID == 0 {
		return true
	}
	p, err := registry.Read(ctx, d.DB, func(tx *registry.Tx) (project.Project, error) { return project.Get(tx, named) })
	return err != nil || p.ID == change.ProjectID
}
