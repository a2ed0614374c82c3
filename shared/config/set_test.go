package config

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

func TestSet(t *testing.T) {
	for _, c := range []struct {
		name, before, key string
		values            []string
		after             string
	}{
		{"no file", "", "agent.stale_after", []string{"10m"}, "[agent]\nstale_after = \"10m\"\n"},
		{"replace", "# top\n[agent]\n# mine\n  stale_after = '1m' # why\nrelease_after = \"1h\"\n", "agent.stale_after", []string{"10m"},
			"# top\n[agent]\n# mine\n  stale_after = \"10m\" # why\nrelease_after = \"1h\"\n"},
		{"insert", "[agent]\nrelease_after = \"1h\" # x\n\n# next\n[log]\n", "agent.stale_after", []string{"10m"},
			"[agent]\nrelease_after = \"1h\" # x\nstale_after = \"10m\"\n\n# next\n[log]\n"},
		{"empty table", "[agent]\n[log]\n", "agent.stale_after", []string{"10m"}, "[agent]\nstale_after = \"10m\"\n[log]\n"},
		{"dotted", "agent.stale_after = \"1m\"\n", "agent.stale_after", []string{"10m"}, "agent.stale_after = \"10m\"\n"},
		{"dotted neighbour", "agent.release_after = \"1h\"\n", "agent.stale_after", []string{"10m"},
			"agent.release_after = \"1h\"\nagent.stale_after = \"10m\"\n"},
		{"other table", "[log]\nlevel = \"warn\"", "agent.stale_after", []string{"10m"}, "[log]\nlevel = \"warn\"\n\n[agent]\nstale_after = \"10m\"\n"},
		{"top level", "# c\n[log]\n", "max_database_size", []string{"1GB"}, "# c\nmax_database_size = \"1GB\"\n[log]\n"},
		{"top level after", "x = 1\n[log]\n", "max_database_size", []string{"1048576"}, "x = 1\nmax_database_size = \"1048576\"\n[log]\n"},
		{"lines of Windows", "[log]\r\nlevel = \"warn\"", "agent.stale_after", []string{"10m"}, "[log]\r\nlevel = \"warn\"\r\n\r\n[agent]\r\nstale_after = \"10m\"\r\n"},
		{"list", "[hooks]\npost_spawn = [\n  \"a\", # one\n  \"b\",\n]\ntimeout = \"1m\"\n", "hooks.post_spawn", []string{`say "hi"`, "c\td"},
			"[hooks]\npost_spawn = [\"say \\\"hi\\\"\", \"c\\td\"]\ntimeout = \"1m\"\n"},
		{"list as it is shown", "", "hooks.post_spawn", []string{`["say \"hi\"", "c"]`}, "[hooks]\npost_spawn = [\"say \\\"hi\\\"\", \"c\"]\n"},
		{"no list of texts", "", "hooks.post_spawn", []string{"[ -f x ]"}, "[hooks]\npost_spawn = [\"[ -f x ]\"]\n"},
		{"number", "", "conflicts.workers", []string{"4"}, "[conflicts]\nworkers = 4\n"},
		{"truth", "", "sync.auto_push_on_session_end", []string{"FALSE"}, "[sync]\nauto_push_on_session_end = false\n"},
		{"secret", "", "providers.linear.api_key", []string{"a\"b\\"}, "[providers.linear]\napi_key = \"a\\\"b\\\\\"\n"},
		{"multi-line text", "[worktree]\ndir = \"\"\"\nx\"\"\"\n", "worktree.dir", []string{"trees"}, "[worktree]\ndir = \"trees\"\n"},
		{"same key elsewhere", "[[repo]]\nname = \"a\"\nhooks.timeout = \"1m\"\n[hooks]\n", "hooks.timeout", []string{"2m"},
			"[[repo]]\nname = \"a\"\nhooks.timeout = \"1m\"\n[hooks]\ntimeout = \"2m\"\n"},
		{"upper case", "[Agent]\nStale_After = \"1m\"\n", "agent.stale_after", []string{"2m"}, "[Agent]\nStale_After = \"2m\"\n"},
		{"windows lines", "[agent]\r\nstale_after = \"1m\"\r\n", "agent.stale_after", []string{"2m"}, "[agent]\r\nstale_after = \"2m\"\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.before != "" {
				w.write("home/.agit/config.toml", c.before)
			}
			if err := Set(w.Options, c.key, c.values...); err != nil {
				t.Fatal(err)
			}
			path := w.path("home/.agit/config.toml")
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(got)); diff != "" {
				t.Error(diff)
			}
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct {
		before, key string
		values      []string
		kind        fault.Kind
	}{
		{"", "agent.stale", []string{"1m"}, fault.KindNotFound},
		{"", "agent.stale_after", []string{"soon"}, fault.KindValidation},
		{"", "agent.stale_after", []string{"1m", "2m"}, fault.KindValidation},
		{"", "conflicts.depth", []string{"deep"}, fault.KindValidation},
		{"", "max_database_size", []string{"1KB"}, fault.KindValidation},
		{"[agent]\nstale_after = \n", "agent.stale_after", []string{"1m"}, fault.KindValidation},
		{"agent = { stale_after = \"1m\" }\n", "agent.stale_after", []string{"2m"}, fault.KindOperation},
		{"agent = { stale_after = \"1m\" }\n", "agent.release_after", []string{"2m"}, fault.KindOperation},
		{"log = 1\n", "log.level", []string{"info"}, fault.KindOperation},
		{"", "aliases", []string{"mine=tasks", "mine"}, fault.KindValidation},
		{"", "gate", []string{" "}, fault.KindValidation},
		{"", "worktree.branch_prefix", []string{"refs/heads/"}, fault.KindValidation},
	} {
		w := newWorld(t)
		path := w.write("home/.agit/config.toml", c.before)
		if err := Set(w.Options, c.key, c.values...); !fault.Is(err, c.kind) {
			t.Errorf("%q, %s = %q: %v", c.before, c.key, c.values, err)
		}
		if err := Set(w.Options, c.key, c.values...); strings.Contains(err.Error(), "a value for log, which is a section") != (c.key == "log.level") {
			t.Errorf("%q: %v", c.before, err)
		}
		if got, _ := os.ReadFile(path); string(got) != c.before {
			t.Errorf("a refused edit changed the file to %q", got)
		}
	}
}

// Elements of lists that never have an effect are left out with a warning, in files and in variables.
func TestUselessElements(t *testing.T) {
	for _, c := range []struct{ key, kept, out string }{
		{"aliases", "mine=tasks --agent ann", "mine"}, {"aliases", " mine = tasks", "my tasks=tasks"}, {"aliases", "a=b=c", "=tasks"}, {"aliases", "a=b", "mine= "},
		{"conflicts.parties", "origin/feat/*", "["}, {"gate", "true", ""}, {"hooks.pre_merge", "true", " "}, {"hooks.post_spawn", "true", "\t"},
	} {
		list := listTOML([]string{c.out, c.kept})
		for where, load := range map[string]func(w *world){
			"~/.agit/config.toml:1: " + c.key: func(w *world) { w.write("home/.agit/config.toml", c.key+" = "+list+"\n") },
			"environment variable":            func(w *world) { w.Env = []string{EnvName(c.key) + "=" + list} },
		} {
			w := newWorld(t)
			load(w)
			v, err := w.load().Get(c.key)
			if warnings := w.load().Warnings(); err != nil || v.Text() != (Value{Value: []string{c.kept}}).Text() || len(warnings) != 1 || !strings.Contains(warnings[0], where) || !strings.Contains(warnings[0], strconv.Quote(c.out)) {
				t.Errorf("%s, %s: %s, %q, %v", where, list, v.Text(), warnings, err)
			}
		}
	}
	if why := useless("work.env", ""); why != "" {
		t.Errorf("of another list: %q", why)
	}
}

func TestUnset(t *testing.T) {
	w := newWorld(t)
	path := w.write("home/.agit/config.toml", "# a\n[hooks]\ntimeout = \"1m\" # x\npost_spawn = [\n \"a\",\n]\n# b\n")
	for _, key := range []string{"hooks.post_spawn", "hooks.timeout", "hooks.timeout", "log.level"} {
		if err := Unset(w.Options, key); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(path); string(got) != "# a\n[hooks]\n# b\n" {
		t.Errorf("left %q", got)
	}
}

func TestTemplate(t *testing.T) {
	w := newWorld(t)
	path, made, err := WriteTemplate(w.Options)
	if err != nil || !made || path != w.path("home/.agit/config.toml") {
		t.Fatal(path, made, err)
	}
	if _, made, err := WriteTemplate(w.Options); err != nil || made {
		t.Errorf("made again: %v, %v", made, err)
	}
	c := w.load()
	if len(c.Warnings()) > 0 || len(c.source.origins) > 0 {
		t.Errorf("the template sets %v, warns %q", c.source.origins, c.Warnings())
	}
	// The template without its comment marks yields the built-in values.
	var b strings.Builder
	for line := range strings.Lines(Template()) {
		if text := strings.TrimPrefix(line, "# "); strings.Contains(text, " = ") && text != line {
			if strings.HasPrefix(text, "name = \"myapp\"") || strings.HasPrefix(text, "default_branch") || strings.HasPrefix(text, "path = \"\"") {
				continue
			}
			line = text
		}
		b.WriteString(line)
	}
	w.write("home/.agit/config.toml", b.String())
	all := w.load()
	if len(all.source.origins) != len(schema())-1 {
		t.Errorf("the template has %d keys, the schema %d", len(all.source.origins), len(schema()))
	}
	for name := range schema() {
		a, b := c.value(name).Value, all.value(name).Value
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s is %v, the template says %v", name, a, b)
		}
	}
	for name := range schema() {
		if err := Set(w.Options, name, sampleValue(name)); err != nil {
			t.Errorf("set %s: %v", name, err)
		}
	}
	if got := w.load(); len(got.Warnings()) > 0 {
		t.Errorf("%q", got.Warnings())
	}
}

// sampleValue is some value that the key accepts.
func sampleValue(name string) string {
	k := schema()[name]
	switch {
	case len(k.oneof) > 0:
		return k.oneof[0]
	case name == "server.flush_after":
		return "1s"
	case name == "aliases":
		return "a=b"
	case k.kind == durationType:
		return "3d"
	case k.kind == sizeType:
		return "64MB"
	case k.kind.Kind() == reflect.Bool:
		return "true"
	case k.kind.Kind() == reflect.Int && name == "worktree.port_base":
		return "3000"
	case k.kind.Kind() == reflect.Int:
		return "7"
	}
	return "value"
}

// An edit never makes a document unreadable, and changes nothing but its key.
func FuzzSet(f *testing.F) {
	f.Add("[agent]\nstale_after = \"1m\" # x\n[hooks]\npost_spawn = [\"a\"]\n", "value")
	f.Add("log.level = 'info'\n[[repo]]\nname='x'\n[repo.hooks]\n[conflicts] # c", "")
	f.Add("agent.x = {y = 1}\r\n\"hooks\".'timeout' = '''1m'''", "a\nb\x7f\u2028")
	f.Fuzz(func(t *testing.T, document, value string) {
		before, err := (&file{data: []byte(document)}).parse()
		if err != nil || !utf8Text(value) {
			return
		}
		k := schema()["worktree.branch_prefix"]
		literal, err := k.literal([]string{value})
		if err != nil {
			return
		}
		edited, err := replaceSetting([]byte(document), k.name, literal)
		if err != nil {
			return
		}
		after, err := (&file{data: edited}).parse()
		if err != nil {
			return // checkEdited refuses it
		}
		tree, ok := after["worktree"].(map[string]any)
		if !ok || tree["branch_prefix"] != value {
			t.Fatalf("%q with %q became %q", document, value, edited)
		}
		delete(tree, "branch_prefix")
		if old, ok := before["worktree"].(map[string]any); ok {
			delete(old, "branch_prefix")
		} else if before != nil && len(tree) == 0 {
			before["worktree"] = tree
		}
		if before == nil {
			return
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%q became %q: %s", document, edited, diff)
		}
	})
}

func utf8Text(s string) bool { return strings.ToValidUTF8(s, "") == s }

// Values are added to a list behind those that it has, and each only once.
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		name, before string
		values       []string
		after        string
	}{
		{"no file", "", []string{"a"}, "[hooks]\npost_spawn = [\"a\"]\n"},
		{"no list", "[log]\nlevel = \"warn\"\n", []string{"a"}, "[log]\nlevel = \"warn\"\n\n[hooks]\npost_spawn = [\"a\"]\n"},
		{"a list", "[hooks]\npost_spawn = [\"a\"]\n", []string{"b", "c"}, "[hooks]\npost_spawn = [\"a\", \"b\", \"c\"]\n"},
		{"one that it has", "[hooks]\npost_spawn = [\"a\", \"b\"]\n", []string{"b", "c", "c"}, "[hooks]\npost_spawn = [\"a\", \"b\", \"c\"]\n"},
		{"nothing", "[log]\nlevel = \"warn\"\n", nil, "[log]\nlevel = \"warn\"\n"},
	} {
		w := newWorld(t)
		if c.before != "" {
			w.write("home/.agit/config.toml", c.before)
		}
		if err := Append(w.Options, "Hooks.post_spawn", c.values...); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got, err := os.ReadFile(w.path("home/.agit/config.toml"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.after, string(got)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	w := newWorld(t)
	for name, kind := range map[string]fault.Kind{"log.level": fault.KindValidation, "hooks.nothing": fault.KindNotFound} {
		if err := Append(w.Options, name, "a"); !fault.Is(err, kind) {
			t.Errorf("to %s: %v", name, err)
		}
	}
}

func TestSetAfterByteOrderMark(t *testing.T) {
	w := newWorld(t)
	w.write("home/.agit/config.toml", "\ufeff[agent]\nstale_after = \"7m\"\n")
	if v, err := w.load().Get("agent.stale_after"); err != nil || !strings.HasSuffix(v.Origin, ":2") {
		t.Errorf("the line is not known: %q, %v", v.Origin, err)
	}
	is := func(err error, want string) {
		t.Helper()
		got, _ := os.ReadFile(filepath.Join(w.UserHome, ".agit", "config.toml"))
		if err != nil || string(got) != want {
			t.Errorf("the file is %q, %v", got, err)
		}
	}
	is(Set(w.Options, "agent.stale_after", "8m"), "\ufeff[agent]\nstale_after = \"8m\"\n")
	is(Unset(w.Options, "agent.stale_after"), "\ufeff[agent]\n")
}

func TestSetThroughLinkToMissingFile(t *testing.T) {
	for name, to := range map[string]func(w *world) string{
		"relative": func(*world) string { return "../mine.toml" },
		"absolute": func(w *world) string { return filepath.Join(w.UserHome, "mine.toml") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write("home/.agit/other", "")
			if err := os.Symlink(to(w), filepath.Join(w.UserHome, ".agit", "config.toml")); err != nil {
				t.Skip(err)
			}
			if err := Set(w.Options, "agent.stale_after", "8m"); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(filepath.Join(w.UserHome, "mine.toml")); err != nil || !strings.Contains(string(data), "8m") {
				t.Errorf("the link's file has %q: %v", data, err)
			}
		})
	}
}
