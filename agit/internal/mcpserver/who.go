package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// booking says whom and what a write was booked on; every write answers with it.
type booking struct {
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
}

// named is the agent that a call names, in its parameter, by its session, or by
// AGIT_AGENT; "" when nobody is named.
func (s *service) named(c *mcpkit.Call, given string) string {
	for _, name := range []string{given, c.Session().Agent(), s.env.Getenv("AGIT_AGENT")} {
		if name != "" {
			c.BookedOn(name)
			return name
		}
	}
	return ""
}

// caller is the agent that a write is booked on: the one named, else client and
// session. given comes from the parameter field.
func (s *service) caller(c *mcpkit.Call, field, given string) (string, error) {
	if err := checkAgent(field, given); err != nil {
		return "", err
	}
	if name := s.named(c, given); name != "" {
		return name, nil
	}
	name := ownName(c.Session())
	c.BookedOn(name)
	return name, nil
}

// checkAgent refuses what cannot be an agent's name under the parameter's own
// name; the store would speak of a name.
func checkAgent(field, given string) error {
	if given == "" {
		return nil
	}
	_, err := text.Name(field, given)
	return err
}

// ownName names a client that did not register. The session's id is all that a
// request over HTTP shows, so its digest stands for it.
func ownName(session *mcpkit.Session) string {
	client, _ := session.Client()
	digest := sha256.Sum256([]byte(session.ID()))
	return plain(client) + "-" + hex.EncodeToString(digest[:4])
}

// plain makes a word of what a client calls itself.
func plain(client string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(client), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_'
	})
	if word := text.Cut(strings.Join(words, "-"), most); word != "" {
		return word
	}
	return "client"
}

// ownKey marks a session that something was booked on under its own name.
type ownKey struct{}

// book says on whom a write was booked, now that it is done.
func (s *service) book(ctx context.Context, c *mcpkit.Call, who, projectUID string) booking {
	b := booking{Project: projectUID, Agent: who}
	if who == "" {
		return b
	}
	if e, err := s.stores.Roster.Get(ctx, who); err == nil { // the write itself stands
		b.Agent = e.Name
	}
	if who == ownName(c.Session()) {
		c.Session().Set(ownKey{}, true)
	}
	c.BookedOn(b.Agent)
	return b
}

// bookAt is book for a store that tells the project's row.
func (s *service) bookAt(ctx context.Context, c *mcpkit.Call, who string, projectID int64) booking {
	var p project.Project
	_ = s.stores.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		p, err = project.ByID(tx, projectID)
		return err
	})
	return s.book(ctx, c, who, p.UID)
}
