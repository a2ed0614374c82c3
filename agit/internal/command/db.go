package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/agent/score"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

type dbOptions struct {
	env  *cli.Env
	File string
	Yes  bool
}

func newDB(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "db",
		Short: "Back up, restore, check, merge and inspect the registry",
		Long:  "Care for the registry as a whole. Every command here is safe while agents work.",
	},
		newDBCommand(env, "backup FILE", "Write a checked copy of the registry", "agit db backup ~/agit-backup.db", stored(env, runDBBackup)),
		newDBCommand(env, "restore FILE", "Put a backup's content into the registry", "agit db restore ~/agit-backup.db", runDBRestore),
		newDBCommand(env, "check", "Check the registry's pages, indexes and references", "", runDBCheck),
		newDBCommand(env, "merge FILE", "Add what another registry has and this one lacks", "agit db merge ~/from-the-laptop/agit.db", stored(env, runDBMerge)),
		newDBMove(env, runDBMove),
		newDBCommand(env, "status", "Show how the registry is reached, and which hosts use it", "agit db status", stored(env, runDBStatus)),
		newDBGrant(env, runDBGrant),
		newDBCommand(env, "vacuum", "Give unused pages back to the disk", "", stored(env, runDBVacuum)),
		newDBCommand(env, "path", "Print the registry's path", "", runDBPath),
		newDBCommand(env, "schema", "Print the registry's tables", "", stored(env, runDBSchema)),
	)
}

// newDBCommand makes a subcommand; one whose use names a FILE takes its path.
func newDBCommand(env *cli.Env, use, short, example string, run cli.Func[dbOptions]) *cobra.Command {
	o := &dbOptions{env: env}
	cmd := cli.Command(&cobra.Command{Use: use, Short: short, Example: example}, o, o.take, run)
	if strings.HasPrefix(use, "restore ") {
		cmd.Long = "Put a backup's content into the registry, under the write lock, while others have\nit open. It works over a damaged, empty or missing registry too. The registry from\nbefore is kept beside it."
		cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	}
	if strings.HasPrefix(use, "merge ") {
		cmd.Long = "Add the rows of another registry that this one lacks. Rows that are here are never changed. A row with\nthe name of one here and other content is left out with all rows that depend on it, and\nnamed. The other registry is only read; merging twice is the same as merging once."
	}
	return cmd
}

func (o *dbOptions) take(g cli.Given) (err error) {
	if len(g.Args) > 0 {
		o.File, err = o.env.Path(g.Args[0])
	}
	return err
}

func runDBBackup(ctx context.Context, o *dbOptions, db *registry.DB) error {
	err := db.Backup(ctx, o.File)
	return printChange(ctx, o.env, map[string]string{"registry": db.Name(), "backup": o.File}, err, "backup", o.File)
}

func runDBRestore(ctx context.Context, o *dbOptions) error {
	// Not by opening it: what is there may be damaged.
	options, err := o.env.RegistryOptions(ctx)
	if err != nil {
		return err
	}
	agreed, err := o.env.Streams.Confirm(ctx, fmt.Sprintf("Replace the content of %q with %q? What is there is kept.", options.Path, o.File), o.Yes)
	if err != nil {
		return err
	}
	if !agreed {
		o.env.Streams.Notice("the registry is as it was")
		return nil
	}
	kept, err := registry.Restore(ctx, options, o.File)
	return printDocument(ctx, o.env, restored{options.Path, o.File, kept}, err, func(s *term.Streams) error {
		for _, file := range kept {
			s.Notice("the registry from before is now %q", file)
		}
		return s.Line("restored", o.File)
	})
}

type restored struct {
	Registry string   `json:"registry"`
	Restored string   `json:"restored"`
	Kept     []string `json:"kept,omitempty"` // the files that were there, as they are called now
}

func runDBCheck(ctx context.Context, o *dbOptions) error {
	report, err := o.check(ctx)
	err = printDocument(ctx, o.env, report, err, func(s *term.Streams) error {
		for _, problem := range report.Problems {
			if err := s.Line("problem", problem); err != nil {
				return err
			}
		}
		if len(report.Problems) > 0 {
			s.Notice("`agit doctor` lists the copies that are there, `agit db restore FILE` puts one back")
			return nil
		}
		return s.Line("sound", report.Path, fmt.Sprintf("schema %d", report.SchemaVersion), storedSize(report))
	})
	return exitWhen(err, len(report.Problems) > 0, fault.ExitFailure)
}

// storedSize returns the size of a registry, and its limit where it has one.
func storedSize(r registry.Report) string {
	if r.LimitBytes == 0 {
		return text.Size(r.StoredBytes)
	}
	return text.Size(r.StoredBytes) + " of at most " + text.Size(r.LimitBytes)
}

// check reports what cannot even be opened as damage, too.
func (o *dbOptions) check(ctx context.Context) (registry.Report, error) {
	db, err := o.env.Registry(ctx)
	if err == nil {
		return db.Check(ctx)
	}
	options, failed := o.env.RegistryOptions(ctx)
	if failed != nil || !registry.IsDamaged(err) {
		return registry.Report{}, err
	}
	return registry.Report{Path: options.Path, SQLiteVersion: registry.SQLiteVersion(), Problems: []string{fault.From(err).Message}}, nil
}

func runDBMerge(ctx context.Context, o *dbOptions, db *registry.DB) error {
	progress := o.env.Streams.Progress("merging " + o.File)
	var cycles [][]string
	counts, err := db.Merge(ctx, o.File, func(tx *registry.Tx) error {
		if _, err := work.Recount(tx); err != nil {
			return err
		}
		if _, err := score.Recount(tx); err != nil {
			return err
		}
		var err error
		cycles, err = work.Cycles(tx)
		return err
	})
	progress.Done()
	if err != nil {
		return err
	}
	for _, way := range cycles {
		o.env.Streams.Warn("these now wait for each other in a circle: %s (`agit graph unlink` takes an edge away)", strings.Join(way, " → "))
	}
	if names := registry.ConflictNames(counts); len(names) > 0 {
		o.env.Streams.Warn("left out, since this registry has something else under the same name: %s; rename one of each and merge again", text.Few(names))
	}
	return output.List(ctx, o.env.Printer(), "tables", counts, []output.Column[registry.MergeCount]{
		{Title: "TABLE", Value: func(c registry.MergeCount) string { return c.Table }},
		{Title: "ADDED", Value: func(c registry.MergeCount) string { return fmt.Sprint(c.Added) }, Right: true},
		{Title: "SKIPPED", Value: func(c registry.MergeCount) string { return fmt.Sprint(c.Skipped) }, Right: true},
		{Title: "LEFT OUT", Value: func(c registry.MergeCount) string { return fmt.Sprint(c.LeftOut) }, Right: true},
	})
}

func runDBVacuum(ctx context.Context, o *dbOptions, db *registry.DB) error {
	freed, err := db.Vacuum(ctx)
	return printChange(ctx, o.env, map[string]int64{"freed_bytes": freed}, err, "freed", fmt.Sprintf("%d bytes", freed))
}

func runDBPath(ctx context.Context, o *dbOptions) error {
	o.env.OnlyLooks()
	cfg, err := o.env.Config(ctx)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, map[string]string{"path": cfg.Database.Place()}, func(s *term.Streams) error { return s.Line(cfg.Database.Place()) })
}

func runDBSchema(ctx context.Context, o *dbOptions, db *registry.DB) error {
	statements, err := db.Schema(ctx)
	result := map[string]any{"schema_version": registry.SchemaVersion, "statements": statements}
	return printDocument(ctx, o.env, result, err, func(s *term.Streams) error {
		for _, statement := range statements {
			if err := s.Text(statement + ";\n\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

func sqliteDetails() []cli.VersionDetail {
	return []cli.VersionDetail{
		{Name: "sqlite", Value: registry.SQLiteVersion()},
		{Name: "schema", Value: fmt.Sprint(registry.SchemaVersion)},
	}
}

func newDBMove(env *cli.Env, run cli.Func[nameOptions]) *cobra.Command {
	o := &nameOptions{env: env}
	return cli.Command(&cobra.Command{
		Use:   "move TARGET",
		Short: "Move the registry to a PostgreSQL database, or from there into a file",
		Long: `Copy everything that the registry holds to TARGET, postgres://HOST/DATABASE or a file,
compare the counts, and have the user's configuration name it. The registry that was
stays as it is. While it runs nothing can be written; after a kill it can be begun again.
A password belongs in PGPASSWORD or ~/.pgpass, not in the URL.`,
		Example: "agit db move postgres://db.example.com/team\nagit db move ~/.agit/agit.db",
	}, o, cli.Take(&o.Name), run)
}

// movedRegistry is the document of `agit db move`.
type movedRegistry struct {
	From   string                `json:"from"`
	To     string                `json:"to"`
	Tables []registry.MovedTable `json:"tables"`
}

func runDBMove(ctx context.Context, o *nameOptions) error {
	to, err := o.env.RegistryOptions(ctx)
	if err != nil {
		return err
	}
	place := o.Name
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
	moved := movedRegistry{From: db.Name(), To: shownPlace(place), Tables: tables}
	return printDocument(ctx, o.env, moved, err, func(s *term.Streams) error {
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
	return printDocument(ctx, o.env, status, err, func(s *term.Streams) error {
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
	}, o, cli.Take(&o.Role), run)
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
	what := "read"
	if o.Write {
		what = "read and write"
	}
	result := map[string]string{"role": o.Role, "may": what, "settings": settings}
	return printDocument(ctx, o.env, result, err, func(s *term.Streams) error {
		s.Notice("its URL ends in %s", "?"+strings.TrimPrefix(settings, "?"))
		return s.Line("granted", o.Role, what)
	})
}
