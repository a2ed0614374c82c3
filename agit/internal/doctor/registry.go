package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

func (d *Doctor) registry(ctx context.Context, _ bool) ([]Check, error) {
	report, err := d.DB.Check(ctx)
	if err != nil {
		return nil, err
	}
	if len(report.Problems) > 0 {
		return damaged(ctx, report.Path, report.Problems[0]), nil
	}
	if report.Engine != registry.EngineSQLite { // its files and its limits are the server's
		return []Check{{Name: "registry", Category: "registry", Status: OK,
			Message: fmt.Sprintf("%s is sound: schema %d, PostgreSQL %s, %s", report.Path, report.SchemaVersion, report.EngineVersion, text.Size(report.StoredBytes))}}, nil
	}
	sound := Check{Name: "registry", Category: "registry", Status: OK,
		Message: fmt.Sprintf("%s is sound: schema %d, SQLite %s, journal %s, %s of at most %s", report.Path, report.SchemaVersion, report.SQLiteVersion, report.JournalMode,
			text.Size(report.StoredBytes), text.Size(report.LimitBytes))}
	checks := []Check{canWrite(sound, registryFiles(report.Path), orElsewhere)}
	if report.StoredBytes > report.LimitBytes*9/10 {
		checks = append(checks, Check{Name: "registry size", Category: "registry", Status: Warning,
			Message: fmt.Sprintf("the registry uses %s of %s", text.Size(report.StoredBytes), text.Size(report.LimitBytes)),
			Fix:     "raise max_database_size, or give unused pages back with `agit db vacuum`"})
	}
	return checks, nil
}

// Damaged is the report on a registry that cannot be used: no other check is possible then. err holds what is wrong with it.
func Damaged(ctx context.Context, path string, err error) Report {
	return Report{Checks: damaged(ctx, path, fault.From(err).Message)}
}

// damaged names the command that mends a registry and the copies it can use.
func damaged(ctx context.Context, path, problem string) []Check {
	if !strings.Contains(problem, path) {
		problem = path + ": " + problem
	}
	broken := Check{Name: "registry", Category: "registry", Status: Error, Message: problem,
		Fix: "no copy was found beside it; `agit db restore FILE` puts a backup from elsewhere back and keeps the damaged file"}
	copies := registry.Copies(ctx, path)
	if len(copies) > 0 {
		broken.Fix = fmt.Sprintf("`agit db restore %s` puts the newest copy back and keeps the damaged file", text.ShellWord(copies[0].Path))
	}
	checks := []Check{broken}
	for _, c := range copies {
		checks = append(checks, Check{Name: "copy", Category: "registry", Status: OK,
			Message: fmt.Sprintf("%s, of %s, is sound", c.Path, c.Modified.Local().Format("2006-01-02 15:04"))})
	}
	return checks
}
