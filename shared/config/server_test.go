package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
)

func TestPlacesOfServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		place            string
		server, password bool
		shown            string
	}{
		{"postgres://db.example.com/team", true, false, "postgres://db.example.com/team"},
		{"postgresql://ann@db:5433/team?search_path=x", true, false, "postgres://ann@db:5433/team"},
		{"postgres://ann:s3cret@db/team", true, true, "postgres://ann@db/team"},
		{"postgres://ann:@db/team", true, true, "postgres://ann@db/team"},
		{"postgres://db/team?password=s3cret", true, true, "postgres://db/team"},
		{"postgres://ann:s3cret@db:port/team", true, true, "postgres://…"},
		{"/home/ann/postgres://x", false, false, ""},
		{"~/.agit/agit.db", false, false, ""},
	} {
		if IsServer(c.place) != c.server || HasPassword(c.place) != c.password {
			t.Errorf("%s: a server %t, with a password %t", c.place, IsServer(c.place), HasPassword(c.place))
		}
		if got := WithoutPassword(c.place); c.server && got != c.shown {
			t.Errorf("%s is shown as %s", c.place, got)
		}
	}
}

// The URL of a registry may hold a password only where others do not see it: in the environment, not in a file or a flag.
func TestWhereAServerIsNamed(t *testing.T) {
	t.Parallel()
	const plain, secret = "postgres://ann@db/team", "postgres://ann:s3cret@db/team"
	home := t.TempDir()
	for dir, place := range map[string]string{"set": plain, "bad": secret} {
		folder := filepath.Join(home, dir, ".agit")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "config.toml"), []byte("db = \""+place+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		o       Options
		server  string
		refused bool
	}{
		"nowhere":              {o: Options{}},
		"a file's path":        {o: Options{Env: []string{"AGIT_DB=/x/agit.db"}}},
		"AGIT_DB":              {o: Options{Env: []string{"AGIT_DB=" + plain}}, server: plain},
		"AGIT_DB, a password":  {o: Options{Env: []string{"AGIT_DB=" + secret}}, server: secret},
		"its key's variable":   {o: Options{Env: []string{EnvName("database.path") + "=" + secret}}, server: secret},
		"--db":                 {o: Options{Database: plain}, server: plain},
		"--db, a password":     {o: Options{Database: secret}, refused: true},
		"the file":             {o: Options{UserHome: filepath.Join(home, "set")}, server: plain},
		"the file, a password": {o: Options{UserHome: filepath.Join(home, "bad")}, refused: true},
	} {
		if c.o.UserHome == "" {
			c.o.UserHome = home
		}
		c.o.Dir = home
		got, err := Load(c.o)
		if c.refused {
			if f := fault.From(err); err == nil || f.Field != "database.path" || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || got.Database.Server != c.server {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		exists, err := got.Database.Exists()
		if exists != (c.server != "") || err != nil {
			t.Errorf("%s: there is a registry: %t, %v", name, exists, err)
		}
		if place := got.Database.Place(); c.server != "" && place != plain || c.server == "" && place != got.Database.Path {
			t.Errorf("%s: its place is %s", name, place)
		}
	}
}
