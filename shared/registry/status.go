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

// Grant lets another role of the server read the registry, or also write it, in existing and future tables. It returns the URL settings
// with which the role finds the tables.
func (db *DB) Grant(ctx context.Context, role string, write bool) (settings string, err error) {
	e, of := db.engine.(*serverEngine)
	if !of {
		return "", fault.Validation("role", "the registry %q is a file, which has no roles", db.Name()).WithHint("who may read or write the registry is decided by the permissions of its file")
	}
	tables, sequences := `SELECT`, ``
	if write {
		tables, sequences = `SELECT, INSERT, UPDATE, DELETE`, `USAGE, SELECT`
	}
	var schema string
	err = db.Read(ctx, func(tx *Tx) (err error) {
		schema, err = One[string](tx.QueryRow(`SELECT current_schema()`))
		return err
	})
	if err != nil {
		return "", err
	}
	in, to := postgres.QuoteName(schema), postgres.QuoteName(role)
	statements := []string{
		`GRANT USAGE ON SCHEMA ` + in + ` TO ` + to,
		fmt.Sprintf(`GRANT %s ON ALL TABLES IN SCHEMA %s TO %s`, tables, in, to),
		fmt.Sprintf(`ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT %s ON TABLES TO %s`, in, tables, to),
	}
	if sequences != "" {
		statements = append(statements, fmt.Sprintf(`GRANT %s ON ALL SEQUENCES IN SCHEMA %s TO %s`, sequences, in, to),
			fmt.Sprintf(`ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT %s ON SEQUENCES TO %s`, in, sequences, to))
	}
	if _, err := e.aside(strings.Join(statements, `; `)); err != nil {
		return "", e.failure(err)
	}
	return "search_path=" + schema, nil
}
