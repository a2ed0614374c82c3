package registry

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry/internal/postgres"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Status describes how a registry is reached and which machines use it.
type Status struct {
	Place         string  `json:"place"`
	Engine        string  `json:"engine"`
	EngineVersion string  `json:"engine_version"`
	SchemaVersion int     `json:"schema_version"`
	LatencyMS     float64 `json:"latency_ms"` // of one query, the best of three
	Server        *Server `json:"server,omitempty"`
	Hosts         []Seen  `json:"hosts"`
}

// Server holds the properties that only a registry on a server has.
type Server struct {
	Schema         string `json:"schema"`
	Role           string `json:"role"`
	Encrypted      bool   `json:"encrypted"`
	Verified       bool   `json:"verified"`    // the server's certificate is checked
	Connections    int    `json:"connections"` // all open connections to the database
	MaxConnections int    `json:"max_connections"`
}

// Seen is a machine with folders or agents in the registry.
type Seen struct {
	Host string         `json:"host"`
	At   timestamp.Time `json:"last_seen_at"`
}

// Status reads the status of the registry.
func (db *DB) Status(ctx context.Context) (Status, error) {
	s := Status{Place: db.Name(), Engine: EngineSQLite, EngineVersion: SQLiteVersion(), SchemaVersion: SchemaVersion}
	err := db.Read(ctx, func(tx *Tx) (err error) {
		for try := range 3 {
			began := time.Now()
			if _, err := One[int](tx.QueryRow(`SELECT 1`)); err != nil {
				return err
			}
			if took := float64(time.Since(began).Microseconds()) / 1000; try == 0 || took < s.LatencyMS {
				s.LatencyMS = took
			}
		}
		s.Hosts, err = Collect(tx, func(row Scanner) (h Seen, err error) { return h, row.Scan(&h.Host, &h.At) },
			`SELECT h.host, MAX(h.at) FROM (SELECT host, last_seen_at AS at FROM agents WHERE host <> '' AND removed_at IS NULL
				UNION ALL SELECT host, last_seen_at FROM project_folders) h GROUP BY h.host ORDER BY h.host`)
		if err != nil || !tx.OnServer() {
			return err
		}
		server := &Server{}
		s.Engine, s.Server = EnginePostgreSQL, server
		return tx.QueryRow(`SELECT current_setting('server_version'), COALESCE(current_schema(), ''), current_user,
			(SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()), CAST(current_setting('max_connections') AS INTEGER),
			EXISTS (SELECT 1 FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl)`).
			Scan(&s.EngineVersion, &server.Schema, &server.Role, &server.Connections, &server.MaxConnections, &server.Encrypted)
	})
	if e, of := db.engine.(*serverEngine); of && s.Server != nil {
		s.Server.Verified = s.Server.Encrypted && e.server.Verified()
	}
	return s, err
}

// Grant lets another role of the server read the registry, or also write it, in existing and future tables; a role that may only read from
// now on loses the right to write. It returns the URL settings with which the role finds the tables. A role that does not exist is a
// NotFound fault. A role that does not own the tables, and one that keeps the right to write, is an Operation fault: the server only warns.
func (db *DB) Grant(ctx context.Context, role string, write bool) (settings string, err error) {
	e, of := db.engine.(*serverEngine)
	if !of {
		return "", fault.Validation("role", "the registry %q is a file, which has no roles", db.Name()).WithHint("who may read or write the registry is decided by the permissions of its file")
	}
	const projects = `to_regclass(quote_ident(current_schema()) || '.projects')`
	var schema, owner string
	var known, owns bool
	err = db.Read(ctx, func(tx *Tx) (err error) {
		return tx.QueryRow(`SELECT current_schema(), pg_get_userbyid(relowner), pg_has_role(current_user, relowner, 'USAGE'), EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ?)
			FROM pg_class WHERE oid = `+projects, role).Scan(&schema, &owner, &owns, &known)
	})
	switch {
	case err != nil:
		return "", err
	case !known:
		return "", fault.NotFound("role", role).WithHint("an administrator of the server makes it with CREATE ROLE")
	case !owns:
		return "", fault.Operation(nil, "role %q got no rights: the role of this registry's URL does not own the tables", role).
			WithHint("grant them with the URL of role %q", owner)
	}
	in, other := postgres.QuoteName(schema), postgres.QuoteName(role)
	verb, to := `GRANT`, ` TO `+other
	statements := []string{`GRANT USAGE ON SCHEMA ` + in + to, fmt.Sprintf(`GRANT SELECT ON ALL TABLES IN SCHEMA %s`, in) + to,
		fmt.Sprintf(`ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT SELECT ON TABLES`, in) + to}
	if !write {
		verb, to = `REVOKE`, ` FROM `+other
	}
	for rights, on := range map[string]string{`INSERT, UPDATE, DELETE`: `TABLES`, `USAGE, SELECT`: `SEQUENCES`} {
		statements = append(statements, fmt.Sprintf(`%s %s ON ALL %s IN SCHEMA %s`, verb, rights, on, in)+to,
			fmt.Sprintf(`ALTER DEFAULT PRIVILEGES IN SCHEMA %s %s %s ON %s`, in, verb, rights, on)+to)
	}
	if _, err := e.aside(strings.Join(statements, `; `)); err != nil {
		return "", e.failure(err)
	}
	writes, err := Read(ctx, db, func(tx *Tx) (bool, error) {
		return One[bool](tx.QueryRow(`SELECT has_table_privilege(CAST(? AS text), `+projects+`, 'INSERT')`, role))
	})
	if err == nil && writes && !write {
		err = fault.Operation(nil, "role %q can still write: it owns the tables, or belongs to a role that may write", role).
			WithHint("make a role of its own for those who look only")
	}
	return "search_path=" + schema, err
}
