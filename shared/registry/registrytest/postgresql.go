//go:build unix

package registrytest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// PostgreSQL runs a server of the test's own on a socket in a temporary folder, where
// one is installed, and returns what asks it: standard output and error of psql. The
// test is skipped where there is none.
func PostgreSQL(t *testing.T, flags ...string) (ask func(sql string) (string, error)) {
	t.Helper()
	c := NewCluster(t)
	return func(sql string) (string, error) {
		cmd := exec.Command(filepath.Join(c.bin, "psql"), "-h", c.dir, "-U", "test", "-d", "postgres", "-q")
		cmd.Args = append(cmd.Args, flags...)
		cmd.Stdin = strings.NewReader(sql)
		return c.as(cmd)
	}
}

// Cluster is a PostgreSQL server of a test, on a socket in a temporary folder.
type Cluster struct {
	bin, dir string
	owner    *syscall.SysProcAttr // how programs run as the server's user
	settings string               // further ones, on its command line
}

// NewCluster starts a server that ends with the test, which is skipped where none is
// installed.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, "")
}

// NewDurableCluster is NewCluster of a server that syncs what it commits, as one does that people use: for what is measured.
func NewDurableCluster(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, " -c fsync=on")
}

func newCluster(t testing.TB, settings string) *Cluster {
	t.Helper()
	c, err := makeCluster()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(c.remove)
	c.settings = settings
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// makeCluster initialises a server that does not run yet.
func makeCluster() (*Cluster, error) {
	c := &Cluster{bin: postgreSQLPrograms()}
	if c.bin == "" {
		return nil, errors.New("no PostgreSQL server is installed here")
	}
	var err error
	if c.dir, err = os.MkdirTemp("", clusterFolder); err != nil { // a socket's path must be short
		return nil, err
	}
	if c.owner, err = asServer(c.dir); err != nil {
		return nil, err
	}
	if out, err := c.as(exec.Command(filepath.Join(c.bin, "initdb"), "-D", c.data(), "-A", "trust", "-U", "test", "--no-locale", "-E", "UTF8", "-N")); err != nil {
		c.remove()
		return nil, fmt.Errorf("PostgreSQL cannot be initialised here: %w\n%s", err, out)
	}
	return c, nil
}

const clusterFolder = "agit-pg"

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// Start starts the server and waits until it answers. It syncs nothing, since its files end with the test.
func (c *Cluster) Start() error {
	return c.control("start", "-l", filepath.Join(c.dir, "log"), "-o", "-k "+c.dir+" -c listen_addresses= -F -c max_connections=200"+c.settings)
}

// Stop stops the server as a crash does, without a farewell to its clients.
func (c *Cluster) Stop() error { return c.control("stop", "-m", "immediate") }

func (c *Cluster) control(what string, flags ...string) error {
	out, err := c.as(exec.Command(filepath.Join(c.bin, "pg_ctl"), append(flags, "-D", c.data(), "-w", what)...))
	if err != nil {
		return fmt.Errorf("%s PostgreSQL: %w\n%s", what, err, out)
	}
	return nil
}

// Listen has the server listen at an address too, with TLS by a certificate and its key in
// PEM, and let everyone in. It starts anew.
func (c *Cluster) Listen(address string, port int, certificate, key []byte) error {
	files := map[string][]byte{"server.crt": certificate, "server.key": key, "pg_hba.conf": []byte("local all all trust\nhostssl all all all trust\n")}
	for name, content := range files {
		file := filepath.Join(c.data(), name)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return err
		}
		if c.owner != nil {
			if err := os.Chown(file, int(c.owner.Credential.Uid), int(c.owner.Credential.Gid)); err != nil {
				return err
			}
		}
	}
	c.settings = fmt.Sprintf(" -c listen_addresses=%s -p %d -c ssl=on", address, port)
	if err := c.Stop(); err != nil {
		return err
	}
	return c.Start()
}

// Logged is what the server has written into its log.
func (c *Cluster) Logged() string {
	text, _ := os.ReadFile(filepath.Join(c.dir, "log"))
	return string(text)
}

// Socket is the folder of the server's socket.
func (c *Cluster) Socket() string { return c.dir }

// URL names a database of the server.
func (c *Cluster) URL(database string) string {
	return "postgres://test@/" + database + "?host=" + url.QueryEscape(c.dir)
}

func (c *Cluster) remove() {
	_ = c.Stop() // it may not run
	os.RemoveAll(c.dir)
}

// ownPipe is held open until the process ends.
var ownPipe io.WriteCloser //nolint:unused // a pipe that nothing refers to is closed

// ownServer starts a server that ends with this process, and removes what servers of
// processes that were killed left.
func ownServer() (string, error) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), clusterFolder+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
			if _, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid")); err != nil {
				os.RemoveAll(dir)
			}
		}
	}
	c, err := makeCluster()
	if err != nil {
		return "", err
	}
	// The watcher has the server stopped when the pipe from this process closes.
	watcher := exec.Command("sh", "-c", `read -r line; "$1" -D "$2" -m immediate -w stop > /dev/null 2>&1; rm -rf "$3"`, "sh", filepath.Join(c.bin, "pg_ctl"), c.data(), c.dir)
	if ownPipe, err = watcher.StdinPipe(); err != nil {
		return "", err
	}
	watcher.SysProcAttr, watcher.Dir = c.owner, "/"
	if err := watcher.Start(); err != nil {
		return "", err
	}
	return c.URL("postgres"), c.Start()
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

// asServer is how programs run as a user that PostgreSQL accepts, since it refuses root;
// the folder becomes that user's.
func asServer(dir string) (*syscall.SysProcAttr, error) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		return nil, nil
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		return nil, errors.New("PostgreSQL does not run as root, and there is no user for it")
	}
	uid, _ := strconv.Atoi(owner.Uid)
	gid, _ := strconv.Atoi(owner.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// as runs a program as the server's user and returns what it printed.
func (c *Cluster) as(cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr, cmd.Dir = &out, &out, c.owner, c.dir
	err := cmd.Run()
	return out.String(), err
}
