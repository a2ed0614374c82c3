package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// Planning the statement that claims a task takes the server longer than running it. From its second time on a connection a statement has a
// name there, by which the server keeps its plan. A pooler that hands transactions to different server processes does not know the names of
// others: then the transaction fails, is run again, and the process uses no names any more. A name is made of the whole text, so that what
// another client keeps by it is the same statement.

// forgetful is set once a server did not know a name.
var forgetful atomic.Bool

// Bounds of what is kept for a connection.
const (
	mostKept = 200  // statements with a name
	mostSeen = 1000 // statements that ran once
)

// kept are the statements of one connection.
type kept struct {
	seen  map[string]bool
	names map[string]string
	round int // how often all were forgotten, since the server keeps the old ones
}

// nameOf returns the name of a statement on the server, "" for none. fresh means that the server must be told it first.
func (k *kept) nameOf(text string) (name string, fresh bool) {
	if forgetful.Load() {
		return "", false
	}
	if name := k.names[text]; name != "" {
		return name, false
	}
	switch word, _, _ := strings.Cut(strings.TrimLeft(text, " \t\n"), " "); word {
	case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE":
	default:
		return "", false
	}
	if !k.seen[text] || len(k.names) >= mostKept {
		if k.seen == nil || len(k.seen) >= mostSeen {
			k.seen = map[string]bool{}
		}
		k.seen[text] = true
		return "", false
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("agit_%x_%d", sum[:16], k.round), true
}

// keep records that the server knows a statement by a name.
func (k *kept) keep(text, name string) {
	if k.names == nil {
		k.names = map[string]string{}
	}
	k.names[text] = name
	delete(k.seen, text)
}

// forget takes note of an error that a name is the reason of.
func (k *kept) forget(err error) {
	switch unkept(err) {
	case otherReason:
		return
	case unknownName:
		forgetful.Store(true)
	}
	k.names = nil
	k.round++
}

// Reasons for which a statement with a name fails, and would not without.
const (
	otherReason = iota
	unknownName // or one that another client gave away
	changedRows // a migration changed what the statement returns
)

func unkept(err error) int {
	said, of := errors.AsType[*pgconn.PgError](err)
	switch {
	case !of:
		return otherReason
	case said.Code == "26000", said.Code == "42P05":
		return unknownName
	case said.Code == "0A000" && said.Routine == "RevalidateCachedQuery":
		return changedRows
	}
	return otherReason
}

// exchange sends statements in one message and reads the answers, up to the first that fails.
func (c *Conn) exchange(ctx context.Context, statements []sending) ([]*pgconn.Result, error) {
	results, errs := c.exchangeGroups(ctx, statements)
	return results[0], errs[0]
}

// exchangeGroups sends groups of statements in one message and reads the answers of each, up to the first that fails. Of a group that
// fails the rest is not run; the next group is.
func (c *Conn) exchangeGroups(ctx context.Context, groups ...[]sending) (results [][]*pgconn.Result, errs []error) {
	p := c.pg.StartPipeline(ctx)
	told := map[string]bool{} // in this message
	for g, statements := range groups {
		for i, s := range statements {
			name, fresh := c.kept.nameOf(s.text)
			switch {
			case name == "":
				p.SendQueryParams(s.text, s.values, nil, s.formats, nil)
				continue
			case fresh && !told[name]:
				told[name] = true
				statements[i].name = name
				p.SendPrepare(name, s.text, nil)
			}
			p.SendQueryPrepared(name, s.values, s.formats, nil)
		}
		if g < len(groups)-1 {
			p.SendPipelineSync()
		}
	}
	sent := p.Sync()
	results, errs = make([][]*pgconn.Result, len(groups)), make([]error, len(groups))
	for g, statements := range groups {
		if errs[g] = sent; sent == nil {
			results[g], errs[g] = c.answers(p, statements)
		}
		if g == len(groups)-1 {
			break
		}
		for done := false; !done && sent == nil; {
			answer, err := p.GetResults()
			if _, done = answer.(*pgconn.PipelineSync); done {
				break
			}
			if _, said := errors.AsType[*pgconn.PgError](err); err == nil && answer == nil || err != nil && !said { // the connection ended
				sent = cmp.Or(err, io.ErrUnexpectedEOF)
			}
			if errs[g] == nil {
				errs[g] = cmp.Or(err, sent)
			}
		}
	}
	if closing, last := p.Close(), len(groups)-1; errs[last] == nil {
		errs[last] = closing
	}
	for _, err := range errs {
		c.kept.forget(err)
	}
	return results, errs
}

// answers reads those of statements, up to the first that fails.
func (c *Conn) answers(p *pgconn.Pipeline, statements []sending) (results []*pgconn.Result, err error) {
	for len(results) < len(statements) && err == nil {
		var answer any
		if answer, err = p.GetResults(); err != nil {
			break
		}
		switch answer := answer.(type) {
		case *pgconn.StatementDescription:
			s := statements[len(results)]
			c.kept.keep(s.text, s.name)
		case *pgconn.ResultReader:
			result := answer.Read()
			if err = result.Err; err == nil {
				results = append(results, result)
			}
		default: // the server ended the connection without an answer
			err = io.ErrUnexpectedEOF
		}
	}
	return results, err
}
