package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// world is a HOME with a registry of its own and one repository, "app".
type world struct {
	home string
	repo string
	env  []string
}

func newWorld(t testing.TB, variables ...string) *world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{home: home, repo: filepath.Join(home, "app"), env: append(environment(home), variables...)}
	t.Cleanup(func() { dropPlace(home) })
	w.makeRepo(t, w.repo)
	w.agit(t, "add", w.repo, "--name", "app")
	return w
}

// makeRepo makes a repository whose file.txt has ten lines.
func (w *world) makeRepo(t testing.TB, dir string) {
	t.Helper()
	write(t, dir, "file.txt", strings.Repeat("line\n", 10))
	w.git(t, dir, "init", "-q")
	w.git(t, dir, "add", ".")
	w.git(t, dir, "commit", "-qm", "first")
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// program is one of the binaries under test, in the world's environment.
func (w *world) program(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(binaries, "agit"), args...)
	cmd.Env, cmd.Dir = w.env, w.home
	return cmd
}

// agit runs a command that succeeds and returns its standard output.
func (w *world) agit(t testing.TB, args ...string) []byte {
	t.Helper()
	cmd := w.program(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("agit %q: %v\n%s", args, err, &errs)
	}
	return out
}

// read runs a command with --json and decodes what it prints.
func (w *world) read(t testing.TB, out any, args ...string) {
	t.Helper()
	if err := json.Unmarshal(w.agit(t, append(args, "--json")...), out); err != nil {
		t.Fatal(err)
	}
}

func (w *world) git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// listen starts an HTTP or SSE server on a free port.
func (w *world) listen(t testing.TB, transport string, args ...string) *mcpclient.Server {
	t.Helper()
	return mcpclient.Start(t, w.program(append([]string{"serve", "--transport", transport, "--port", "0"}, args...)...))
}

// connect returns a client over a transport, with a server of its own.
func (w *world) connect(t testing.TB, transport string, args ...string) *mcpclient.Client {
	t.Helper()
	switch transport {
	case "http":
		return mcpclient.HTTP(t, w.listen(t, transport, args...).URL)
	case "sse":
		return mcpclient.SSE(t, w.listen(t, transport, args...).URL)
	}
	return mcpclient.Command(t, w.program(append([]string{"serve"}, args...)...))
}

// everywhere runs a test over each transport, in a world of its own.
func everywhere(t *testing.T, test func(t *testing.T, w *world, c *mcpclient.Client)) {
	for _, transport := range []string{"stdio", "http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			test(t, w, w.connect(t, transport))
		})
	}
}

type args = map[string]any

// patience is how long a test waits for another process. It only ends tests that would wait for ever; machines may be slow and busy.
const patience = 3 * time.Minute

// within polls until ok, at most for patience.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		<-time.After(5 * time.Millisecond) // leaves the cores to the other process
	}
}

// oneShot sends a server all its input at once and returns its answers and its log.
func (w *world) oneShot(t testing.TB, input string, args ...string) (out, errs string) {
	t.Helper()
	cmd := w.program(append([]string{"serve"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return stdout.String(), stderr.String()
}

// inTurn sends a server one line at a time, each after the answer to the one before, and returns its answers and its output.
func (w *world) inTurn(t testing.TB, input string) (out, errs string) {
	t.Helper()
	cmd := w.program("serve")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, answers := pipes(t, cmd)
	must(t, cmd.Start())
	var answered strings.Builder
	for line := range strings.Lines(input) {
		_, err := io.WriteString(in, line)
		must(t, err)
		if strings.Contains(line, `"method":"notifications/`) {
			continue // a notification, which gets no answer
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatalf("%s is not answered: %v\n%s", line, err, &stderr)
		}
		answered.WriteString(answer)
	}
	must(t, in.Close())
	rest, err := io.ReadAll(answers)
	must(t, err)
	must(t, cmd.Wait())
	return answered.String() + string(rest), stderr.String()
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// callLine is a tools/call as one line.
func callLine(id int, tool string, in args) string {
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": args{"name": tool, "arguments": in},
	})
	if err != nil {
		panic(err)
	}
	return string(line) + "\n"
}

// post sends one message; header is a list of names and values.
func post(ctx context.Context, url, body string, header ...string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, string(text), err
}
