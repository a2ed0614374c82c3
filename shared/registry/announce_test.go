package registry_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

func TestPresence(t *testing.T) {
	registrytest.OnlySQLite(t, "presence is a row")
	db := registrytest.Open(t)
	p, err := db.Announce()
	if err != nil {
		t.Fatal(err)
	}
	if !db.Present(p.ID) {
		t.Error("a process that announced itself is not there")
	}
	p.Leave()
	if db.Present(p.ID) || db.Present("v-nobody") {
		t.Error("a process that left, or never was, is there")
	}
	left, err := os.ReadDir(db.Path() + "-present")
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The end of a process is noticed, however it ends.
func TestPresenceEndsWithTheProcess(t *testing.T) {
	registrytest.OnlySQLite(t, "presence is a row")
	if path := os.Getenv("TEST_ANNOUNCE"); path != "" {
		p, err := registrytest.OpenAt(t, path).Announce()
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString(p.ID + "\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		return
	}
	db := registrytest.Open(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestPresenceEndsWithTheProcess$")
	cmd.Env = append(os.Environ(), "TEST_ANNOUNCE="+db.Path())
	in, _ := cmd.StdinPipe()
	defer in.Close()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 64)
	n, err := out.Read(line)
	if err != nil || n < 2 {
		t.Fatalf("the process said %q: %v", line[:n], err)
	}
	id := string(line[:n-1])
	if !db.Present(id) {
		t.Error("a process that runs is not there")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	file := filepath.Join(db.Path()+"-present", id)
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, long, long); err != nil {
		t.Fatal(err)
	}
	p, err := db.Announce() // which tidies up
	if err != nil {
		t.Fatal(err)
	}
	defer p.Leave()
	if _, err := os.Stat(file); err == nil {
		t.Error("what it left behind is kept")
	}
	if db.Present(id) {
		t.Error("a process that was killed is there")
	}
}

// No process says of another host's whether it is there: locks say nothing about it.
func TestPresenceIsJudgedByItsHost(t *testing.T) {
	registrytest.OnlySQLite(t, "presence is a row")
	db := registrytest.Open(t)
	t.Setenv(registry.HostVariable, "a/1")
	p, err := db.Announce()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Leave()
	files, err := os.ReadDir(db.Path() + "-present")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	file, long := filepath.Join(db.Path()+"-present", files[0].Name()), time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, long, long); err != nil {
		t.Fatal(err)
	}
	if !db.Present(p.ID) || db.Present("v-gone@a/1") {
		t.Error("its own host does not know it")
	}
	t.Setenv(registry.HostVariable, "b")
	if !db.Present(p.ID) || !db.Present("v-gone@a/1") {
		t.Error("another host judged it")
	}
	other, err := db.Announce() // which tidies up
	if err != nil {
		t.Fatal(err)
	}
	defer other.Leave()
	if _, err := os.Stat(file); err != nil {
		t.Errorf("another host removed what it left: %v", err)
	}
}

func TestHostsHaveNamesThatRowsCanHold(t *testing.T) {
	for name, good := range map[string]bool{
		"": true, "build-7.example.org": true, "größe": true, "a b": false, "a\nb": false, "a\xff": false, strings.Repeat("x", 256): false,
	} {
		t.Setenv(registry.HostVariable, name)
		db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db")})
		if good != (err == nil) || !good && !fault.Is(err, fault.KindValidation) {
			t.Errorf("%.20q: %v", name, err)
		}
		if err == nil {
			db.Close()
		}
	}
}
