package registry_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// The tests of this file run the test binary again as many real processes;
// the variable registryChild holds what such a process does.
const registryChild = "REGISTRY_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(registryChild); job != "" {
		os.Exit(child(job))
	}
	os.Exit(m.Run())
}

// child opens the registry named by its last argument and does the job.
func child(job string) int {
	path := os.Args[len(os.Args)-1]
	ctx := context.Background()
	db, err := registry.Open(ctx, registry.Options{Path: path, Server: os.Getenv(registryServer)})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	defer db.Close()
	name, count, _ := strings.Cut(job, ":")
	n, _ := strconv.Atoi(count)
	for i := 0; i < n; i++ {
		uid := fmt.Sprintf("%s-%d-%d", name, os.Getpid(), i)
		err := db.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
			// Two rows in one transaction: after a kill there are both or none.
			for _, half := range []string{"a", "b"} {
				if _, err := tx.Exec(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES (?, ?, ?, ?)`,
					uid+half, "x", tx.Stamp(), tx.Stamp()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Println(uid) // durable from here on
	}
	return 0
}

// registryServer is the URL of a child's registry, where it is on a server.
const registryServer = "REGISTRY_TEST_SERVER"

// startsOnNothing is where processes of a test make a registry: a file that is missing, or a
// schema of a server.
func startsOnNothing(t *testing.T, path string) registry.Options {
	t.Helper()
	o := registrytest.OptionsAt(t, path)
	if o.Server != "" {
		o.Server += "&search_path=of_nothing"
	}
	return o
}

func startChild(t *testing.T, job string, at registry.Options) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts processes other than git")
	}
	cmd := exec.Command(os.Args[0], at.Path)
	cmd.Env = append(os.Environ(), registryChild+"="+job, registryServer+"="+at.Server)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func TestManyProcessesStartOnNothingAndMigrateOnce(t *testing.T) {
	at := startsOnNothing(t, filepath.Join(t.TempDir(), "home", "agit.db"))
	var running sync.WaitGroup
	for range 20 {
		cmd, lines := startChild(t, "start:2", at)
		running.Go(func() {
			for lines.Scan() {
				if strings.HasPrefix(lines.Text(), "error:") {
					t.Error(lines.Text())
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	at.Readers = 2
	db, err := registry.Open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := len(projects(t, db)); got != 20*2*2 {
		t.Errorf("%d rows, want %d", got, 20*2*2)
	}
	err = db.Read(t.Context(), func(tx *registry.Tx) error {
		n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM registry_meta WHERE key = 'registry_uid'`))
		if n != 1 {
			t.Errorf("the registry was initialised %d times", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestKilledWritersLoseNothingTheyReported(t *testing.T) {
	at := startsOnNothing(t, filepath.Join(t.TempDir(), "agit.db"))
	var mu sync.Mutex
	reported := map[string]bool{}
	var running sync.WaitGroup
	for worker := range 8 {
		cmd, lines := startChild(t, "kill:100000", at)
		running.Go(func() {
			for seen := 0; lines.Scan(); seen++ {
				if strings.HasPrefix(lines.Text(), "error:") {
					t.Error(lines.Text())
				}
				mu.Lock()
				reported[lines.Text()] = true
				mu.Unlock()
				if seen == 5+3*worker {
					if err := cmd.Process.Kill(); err != nil {
						t.Error(err)
					}
				}
			}
			cmd.Wait() // killed: its status says only that
		})
	}
	running.Wait()
	at.Readers = 2
	db, err := registry.Open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	stored := map[string]int{}
	for _, uid := range projects(t, db) {
		stored[uid[:len(uid)-1]]++
	}
	for uid, halves := range stored {
		if halves != 2 {
			t.Errorf("half a transaction is stored: %s", uid)
		}
	}
	for uid := range reported {
		if stored[uid] != 2 {
			t.Errorf("%s was reported as written and is lost", uid)
		}
	}
	report, err := db.Check(t.Context())
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("after the kills: %v, %v", report.Problems, err)
	}
}
