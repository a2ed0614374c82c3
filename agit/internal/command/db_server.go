package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
)

type dbMoveOptions struct {
	env    *cli.Env
	Target string
}

func newDBMove(env *cli.Env, run cli.Func[dbMoveOptions]) *cobra.Command {
	o := &dbMoveOptions{env: env}
	return cli.Command(&cobra.Command{
		Use:   "move TARGET",
		Short: "Move the registry to a PostgreSQL database, or from there into a file",
		Long: `Copy everything that the registry holds to TARGET, postgres://HOST/DATABASE or a file,
compare the counts, and have the user's configuration name it. The registry that was
stays as it is. While it runs nothing can be written; after a kill it can be begun again.
A password belongs in PGPASSWORD or ~/.pgpass, not in the URL.`,
		Example: "agit db move postgres://db.example.com/team\nagit db move ~/.agit/agit.db",
	}, o, func(g cli.Given) error { o.Target = g.Args[0]; return nil }, run)
}

// movedRegistry is the document of `agit db move`.
type movedRegistry struct {
	From   string                `json:"from"`
	To     string                `json:"to"`
	Tables []registry.MovedTable `json:"tables"`
}

func runDBMove(ctx context.Context, o *dbMoveOptions) error {
	to, err := o.env.RegistryOptions(ctx)
	if err != nil {
		return err
	}
	place := o.Target
	if config.IsServer(place) {
		if config.HasPassword(place) {
			return fault.Validation("target", "the URL of the database holds a password, which the configuration must not keep").
				WithHint("leave it out; PGPASSWORD and ~/.pgpass are read")
		}
		to.Server = place
	} else {
		if place, err = o.env.Path(place); err != nil {
			return err
		}
		to.Path, to.Server = place, ""
	}
	db, err := o.env.Registry(ctx)
	if err != nil {
		return err
	}
	progress := o.env.Streams.Progress("moving the registry")
	tables, err := registry.Move(ctx, db, to, func() error {
		return config.Set(o.env.ConfigOptions(""), "database.path", place)
	})
	progress.Done()
	if err != nil {
		return err
	}
	moved := movedRegistry{From: db.Name(), To: shownPlace(place), Tables: tables}
	return o.env.Printer().Document(ctx, moved, func(s *term.Streams) error {
		if o.env.Globals.DB != "" || o.env.Getenv("AGIT_DB") != "" {
			s.Warn("AGIT_DB or --db still names the old place, and takes precedence over the configuration")
		}
		s.Notice("%s was not changed; restart running servers, which still use it", moved.From)
		rows := int64(0)
		for _, t := range tables {
			rows += t.Rows
		}
		return s.Line("moved", moved.To, fmt.Sprintf("%d rows of %d tables", rows, len(tables)))
	})
}

func shownPlace(place string) string {
	if config.IsServer(place) {
		return config.WithoutPassword(place)
	}
	return place
}

func runDBStatus(ctx context.Context, o *dbOptions, db *registry.DB) error {
	status, err := db.Status(ctx)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, status, func(s *term.Streams) error {
		engine := "SQLite"
		if status.Engine == registry.EnginePostgreSQL {
			engine = "PostgreSQL"
		}
		rows := [][]string{{"registry", status.Place, engine + " " + status.EngineVersion,
			fmt.Sprintf("schema %d", status.SchemaVersion), fmt.Sprintf("answers in %.1f ms", status.LatencyMS)}}
		if server := status.Server; server != nil {
			rows = append(rows, []string{"server", "role " + server.Role, "tables in " + server.Schema,
				fmt.Sprintf("%d of %d connections", server.Connections, server.MaxConnections), transport(*server)})
		}
		for _, h := range status.Hosts {
			rows = append(rows, []string{"host", h.Host, "last seen " + term.Ago(h.At.Time, time.Now())})
		}
		return s.Lines(rows...)
	})
}

func transport(s registry.Server) string {
	switch {
	case s.Verified:
		return "TLS, verified"
	case s.Encrypted:
		return "TLS, not verified"
	}
	return "not encrypted"
}

type dbGrantOptions struct {
	env         *cli.Env
	Role        string
	Read, Write bool
}

func newDBGrant(env *cli.Env, run cli.Func[dbGrantOptions]) *cobra.Command {
	o := &dbGrantOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "grant ROLE",
		Short: "Let another role of the server read the registry, or write it",
		Long: `Give a role of the PostgreSQL server the rights to the registry's tables: to read them, as
a dashboard does, or to work with them. Its administrator makes the role.`,
		Example: "agit db grant dashboard --read\nagit db grant bob --write",
	}, o, func(g cli.Given) error { o.Role = g.Args[0]; return nil }, run)
	cmd.Flags().BoolVar(&o.Read, "read", false, "it may look at everything")
	cmd.Flags().BoolVar(&o.Write, "write", false, "it may change everything, too")
	return cmd
}

func runDBGrant(ctx context.Context, o *dbGrantOptions) error {
	if o.Read == o.Write {
		return fault.Validation("read", "role %q needs exactly one of --read and --write", o.Role).WithHint("--read is for dashboards, --write for those who work")
	}
	db, err := o.env.Registry(ctx)
	if err != nil {
		return err
	}
	settings, err := db.Grant(ctx, o.Role, o.Write)
	if err != nil {
		return err
	}
	what := "read"
	if o.Write {
		what = "read and write"
	}
	result := map[string]string{"role": o.Role, "may": what, "settings": settings}
	return o.env.Printer().Document(ctx, result, func(s *term.Streams) error {
		s.Notice("its URL ends in %s", "?"+strings.TrimPrefix(settings, "?"))
		return s.Line("granted", o.Role, what)
	})
}
