package sync_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeasana"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakelinear"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

// A project is connected with a tracker: what is asked for, written, said and proposed.
func TestConnect(t *testing.T) {
	t.Parallel()
	linear, asana := newSide(t, conformance.Linear()), newSide(t, conformance.Asana())
	home := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keys := file("keys.toml", fmt.Sprintf("[providers.linear]\napi_key = %q\nurl = %q\n[providers.asana]\naccess_token = %q\nurl = %q\n", fakelinear.Key, linear.tracker.Server.URL, fakeasana.Token, asana.tracker.Server.URL+fakeasana.Path))
	wrong := file("wrong.toml", fmt.Sprintf("[providers.linear]\napi_key = \"lin_api_wrong\"\nurl = %q\n", linear.tracker.Server.URL))
	none := file("none.toml", "")
	service := &sync.Service{DB: linear.db}
	var b strings.Builder
	for _, c := range []struct {
		name, kind, part, file string
		more                   map[string]string
		written                string // .agit.toml before
	}{
		{"without a key", "linear", "SEM", none, nil, ""},
		{"with a wrong key", "linear", "SEM", wrong, nil, ""},
		{"which teams there are", "linear", "", keys, nil, ""},
		{"a team", "linear", "SEM", keys, nil, ""},
		{"a team of a file", "linear", "", keys, nil, "# mine\n[provider]\nteam_id = \"SEM\"\nstate_for = [\"todo=Todo\"]\n"},
		{"a team that does not exist", "linear", "NONE", keys, nil, ""},
		{"a team and more", "linear", "SEM", keys, map[string]string{"provider.project_id": ""}, ""},
		{"which projects there are", "asana", "", keys, nil, ""},
		{"a project", "asana", fakeasana.Project, keys, nil, ""},
		{"a project that does not exist", "asana", "999", keys, nil, ""},
		{"another tracker", "linear", "SEM", keys, nil, "[provider]\nname = \"asana\" # mine\nproject_id = \"12\"\nboard = \"acme/7\"\nstate_for = [\"in_progress=Doing\"]\nstatus_field = \"Stage\"\n\n[sync]\npush_debounce_seconds = 5\n"},
	} {
		project := t.TempDir()
		at := filepath.Join(project, config.ProjectFileName)
		if c.written != "" {
			if err := os.WriteFile(at, []byte(c.written), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		k, err := sync.KindNamed(c.kind)
		linear.must(err)
		o := config.Options{UserHome: home, File: c.file, Dir: project, Project: project}
		more := maps.Clone(c.more)
		done, err := service.Connect(t.Context(), k, c.part, c.more, o)
		fmt.Fprintf(&b, "%s\n", c.name)
		if f := fault.From(err); f != nil {
			fmt.Fprintf(&b, "\t%s %s: %s; %s\n", f.Kind, f.Field, f.Message, f.Hint)
		}
		text, err := json.MarshalIndent(done, "\t", "  ")
		linear.must(err)
		fmt.Fprintf(&b, "\t%s\n\tleft %q\n", text, done.Left)
		if !maps.Equal(more, c.more) {
			t.Errorf("%s: the caller's values became %v", c.name, c.more)
		}
		shown := func() {
			if now, err := os.ReadFile(at); err == nil {
				fmt.Fprintf(&b, "\t| %s\n", strings.Join(slices.DeleteFunc(strings.Split(string(now), "\n"), func(l string) bool { return l == "" }), "\n\t| "))
			}
		}
		if shown(); !done.Proposed.Empty() {
			linear.must(done.Proposed.Write(o))
			b.WriteString("\tand with what is proposed\n")
			shown()
		}
	}
	clitest.Golden(t, filepath.Join("testdata", "connect.txt"), steady(b.String()))
}
