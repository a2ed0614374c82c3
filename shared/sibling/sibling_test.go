package sibling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

// TestMain lets the test binary be the sibling: SIBLING_ACT says what it does.
func TestMain(m *testing.M) {
	switch os.Getenv("SIBLING_ACT") {
	case "":
		os.Exit(m.Run())
	case "echo":
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"args": os.Args[1:]})
	case "fault":
		fmt.Fprintln(os.Stderr, `{"level":"warn","tool":"x"}`)
		fmt.Fprintln(os.Stderr, `{"error":"ConflictError","message":"taken","entityType":"task","entityId":"t-1","retryable":true}`)
		os.Exit(4)
	case "text":
		fmt.Fprintln(os.Stderr, "it broke")
		os.Exit(1)
	case "silent":
		os.Exit(3)
	case "noise":
		fmt.Println("hello")
	case "loud":
		fmt.Fprintln(os.Stderr, strings.Repeat("x", 3*maxErrors))
		fmt.Fprintln(os.Stderr, `{"error":"ProviderError","message":"offline"}`)
		os.Exit(5)
	case "sleep":
		<-time.After(time.Minute)
	}
}

func call(t *testing.T, act string) Call {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Call{Program: own, Env: append(os.Environ(), "SIBLING_ACT="+act)}
}

func TestRun(t *testing.T) {
	c := call(t, "echo")
	c.Args = []string{"pull", "a b", "--", "--json"}
	var got struct{ Args []string }
	if err := Run(context.Background(), c, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"pull", "a b", "--json", "--", "--json"}, got.Args); diff != "" {
		t.Error(diff)
	}
	if err := Run(context.Background(), c, nil); err != nil {
		t.Error(err)
	}
}

func TestRunFaults(t *testing.T) {
	for act, want := range map[string]fault.Fault{
		"fault":  {Kind: fault.KindConflict, Message: "taken", EntityType: "task", EntityID: "t-1", Retryable: true},
		"loud":   {Kind: fault.KindProvider, Message: "offline"},
		"text":   {Kind: fault.KindOperation, Message: "failed: it broke"},
		"silent": {Kind: fault.KindOperation, Message: "failed"},
		"noise":  {Kind: fault.KindOperation, Message: "is not what was expected"},
	} {
		var result any
		err := Run(context.Background(), call(t, act), &result)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != want.Kind || !strings.Contains(f.Message, want.Message) ||
			f.EntityID != want.EntityID || f.Retryable != want.Retryable {
			t.Errorf("%s: %+v", act, err)
		}
	}
}

func TestRunEnds(t *testing.T) {
	c := call(t, "sleep")
	c.Timeout = 50 * time.Millisecond
	if err := Run(context.Background(), c, nil); !fault.Is(err, fault.KindOperation) || !strings.Contains(err.Error(), "longer than 50ms") {
		t.Errorf("out of time: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	beside, onPath := filepath.Join(dir, "beside"), filepath.Join(dir, "path")
	for _, d := range []string{beside, onPath, filepath.Join(beside, executable("folder"))} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := func(dir, name string) string {
		path := filepath.Join(dir, executable(name))
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := program(beside, "agit")
	near, far := program(beside, "agit-mcp"), program(onPath, "pmsync")
	program(onPath, "agit-mcp")
	t.Setenv("PATH", onPath)

	for name, want := range map[string]string{"agit-mcp": near, "pmsync": far} {
		if got, err := find(name, own); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"folder", "memoryd"} {
		if _, err := find(name, own); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "../agit", "..", "a/b"} {
		if got, err := find(name, own); err == nil {
			t.Errorf("%q is %s", name, got)
		}
	}
	link := filepath.Join(dir, executable("agit"))
	if err := os.Symlink(own, link); err != nil {
		t.Skip("no symbolic links here")
	}
	if got, err := find("agit-mcp", link); err != nil || filepath.Base(filepath.Dir(got)) != "beside" {
		t.Errorf("through a link: %s, %v", got, err)
	}
}
