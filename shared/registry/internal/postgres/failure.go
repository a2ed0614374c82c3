package postgres

import (
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Failure is what an error of the server means to its caller.
type Failure int

// The fates of a statement or a connection.
const (
	Other       Failure = iota // none of these, or no error of a server
	Unreachable                // there is no connection
	Refused                    // the server refuses this login
	Lost                       // the connection ended in the middle
	Busy                       // the server takes no connection now: it starts, stops or is full
	Conflict                   // the transaction must be run again
	Waiting                    // a lock was not free in time
	Duplicate                  // a unique key is taken
	Constraint                 // a row breaks another rule of its table
	Missing                    // a table, column or schema does not exist
	Denied                     // the role may not do it
	ReadOnly                   // the server takes no writes
	Full                       // there is no room
)

// codes are those of PostgreSQL, appendix A of its manual: whole ones, else classes.
var codes = map[string]Failure{
	"40001": Conflict, "40P01": Conflict,
	"55P03": Waiting,
	"23505": Duplicate, "23": Constraint,
	"57P01": Lost, "57P02": Lost, "57P05": Lost, "25P03": Lost, "08": Lost,
	"57P03": Busy, "53300": Busy,
	"42P01": Missing, "3F000": Missing, "42703": Missing,
	"42501": Denied,
	"25006": ReadOnly,
	"53100": Full, "53200": Full,
	"28": Refused, "3D000": Refused,
}

// Judge returns what an error means.
func Judge(err error) Failure {
	if err == nil {
		return Other
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		if unkept(err) != otherReason {
			return Conflict
		}
		for _, code := range []string{said.Code, said.Code[:min(2, len(said.Code))]} {
			if f, known := codes[code]; known {
				return f
			}
		}
		return Other
	}
	if _, dialing := errors.AsType[*pgconn.ConnectError](err); dialing {
		return Unreachable
	}
	if _, network := errors.AsType[net.Error](err); network || pgconn.SafeToRetry(err) || isClosed(err) {
		return Lost
	}
	return Other
}

// isClosed reports the error of a connection that ended.
func isClosed(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// Said returns the server's own sentence of an error; empty when the error is not the server's.
func Said(err error) string {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return said.Message
	}
	return ""
}

// Briefly returns err with one line as its text: the server's sentence, else the last thing that failed. The driver lists every address
// and each way to it that it tried, a line for each.
func Briefly(err error) error { return brief{err} }

type brief struct{ error }

func (b brief) Unwrap() error { return b.error }

func (b brief) Error() string {
	if said := Said(b.error); said != "" {
		return said
	}
	if op, dialing := errors.AsType[*net.OpError](b.error); dialing {
		return op.Error()
	}
	last := b.error
	if tried, dialing := errors.AsType[*pgconn.ConnectError](last); dialing {
		last = tried.Unwrap()
	}
	lines := strings.Split(last.Error(), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
