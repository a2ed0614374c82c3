//go:build unix

package registrytest

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// PostgreSQL runs a server of the test's own on a socket in a temporary folder, where
// one is installed, and returns what asks it: standard output and error of psql. The
// test is skipped where there is none.
func PostgreSQL(t *testing.T, flags ...string) (ask func(sql string) (string, error)) {
	t.Helper()
	bin := postgreSQLPrograms()
	if bin == "" {
		t.Skip("no PostgreSQL server is installed here")
	}
	dir, err := os.MkdirTemp("", "pg") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	run := asServer(t, dir)
	data := filepath.Join(dir, "data")
	if out, err := run(exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "test", "--no-locale", "-E", "UTF8", "-N")); err != nil {
		t.Skipf("PostgreSQL cannot be initialised here: %v\n%s", err, out)
	}
	if out, err := run(exec.Command(filepath.Join(bin, "pg_ctl"), "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", "-k "+dir+" -c listen_addresses= -F", "start")); err != nil {
		t.Fatalf("start PostgreSQL: %v\n%s", err, out)
	}
	t.Cleanup(func() { _, _ = run(exec.Command(filepath.Join(bin, "pg_ctl"), "-D", data, "-m", "immediate", "stop")) })
	return func(sql string) (string, error) {
		cmd := exec.Command(filepath.Join(bin, "psql"), "-h", dir, "-U", "test", "-d", "postgres", "-q")
		cmd.Args = append(cmd.Args, flags...)
		cmd.Stdin = strings.NewReader(sql)
		return run(cmd)
	}
}

func postgreSQLPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		if initdb, err := exec.LookPath("initdb"); err == nil {
			return filepath.Dir(initdb)
		}
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// asServer runs programs as a user that PostgreSQL accepts: it refuses root.
func asServer(t *testing.T, dir string) func(*exec.Cmd) (string, error) {
	t.Helper()
	var as *syscall.SysProcAttr
	if runtime.GOOS == "linux" && os.Getuid() == 0 {
		owner, err := user.Lookup("postgres")
		if err != nil {
			t.Skip("PostgreSQL does not run as root, and there is no user for it")
		}
		uid, _ := strconv.Atoi(owner.Uid)
		gid, _ := strconv.Atoi(owner.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	return func(cmd *exec.Cmd) (string, error) {
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr, cmd.SysProcAttr, cmd.Dir = &out, &out, as, dir
		err := cmd.Run()
		return out.String(), err
	}
}
