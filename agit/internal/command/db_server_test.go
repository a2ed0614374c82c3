package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

func TestServerCommands(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	if o, err := clitest.Options(env, newDBMove, "postgres://db/team"); err != nil || o.Name != "postgres://db/team" {
		t.Errorf("%+v, %v", o, err)
	}
	for flag, want := range map[string][2]bool{"--read": {true, false}, "--write": {false, true}} {
		if o, err := clitest.Options(env, newDBGrant, "dashboard", flag); err != nil || o.Role != "dashboard" || [2]bool{o.Read, o.Write} != want {
			t.Errorf("%s: %+v, %v", flag, o, err)
		}
	}
	for _, args := range [][]string{{}, {"a", "b"}} {
		if o, err := clitest.Options(env, newDBMove, args...); err == nil {
			t.Errorf("move %q is not refused: %+v", args, o)
		}
		if o, err := clitest.Options(env, newDBGrant, args...); err == nil {
			t.Errorf("grant %q is not refused: %+v", args, o)
		}
	}
}

// A move that cannot be made, and a grant in a file, change nothing.
func TestRefusedOnAServer(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	elsewhere := filepath.Join(t.TempDir(), "agit.db")
	for target, want := range map[string]string{
		"postgres://ann:s3cret@db/team":      "holds a password",
		"postgres://db/team?password=s3cret": "holds a password",
		elsewhere:                            "from a file to a server, or from a server to a file",
	} {
		err := runDBMove(t.Context(), &nameOptions{run.Env, target})
		if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", target, err)
		}
	}
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("a file was made")
	}
	for _, o := range []dbGrantOptions{{Role: "bob"}, {Role: "bob", Read: true, Write: true}, {Role: "bob", Read: true}} {
		o.env = run.Env
		if err := runDBGrant(t.Context(), &o); !fault.Is(err, fault.KindValidation) || o.Read != o.Write && !strings.Contains(err.Error(), "is a file") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestStatusOfAFile(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	if err := stored(run.Env, runDBStatus)(t.Context(), &dbOptions{env: run.Env}); err != nil {
		t.Fatal(err)
	}
	shown := run.Out.String()
	if !strings.Contains(shown, "SQLite "+registry.SQLiteVersion()) || !strings.Contains(shown, "host\t"+registry.Host()+"\tlast seen just now") || strings.Contains(shown, "server") {
		t.Errorf("%s", shown)
	}
}

func TestTransport(t *testing.T) {
	t.Parallel()
	for s, want := range map[registry.Server]string{{}: "not encrypted", {Encrypted: true}: "TLS, not verified", {Encrypted: true, Verified: true}: "TLS, verified"} {
		if got := transport(s); got != want {
			t.Errorf("%+v: %s", s, got)
		}
	}
	for place, want := range map[string]string{"/x/agit.db": "/x/agit.db", "postgres://ann:x@db/team?sslmode=disable": "postgres://ann@db/team"} {
		if got := shownPlace(place); got != want {
			t.Errorf("%s is shown as %s", place, got)
		}
	}
}
