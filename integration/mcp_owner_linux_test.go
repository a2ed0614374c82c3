package integration

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const asOtherUser = "INTEGRATION_POST_TO"

func init() {
	if url := os.Getenv(asOtherUser); url != "" {
		os.Exit(postTo(url))
	}
}

// postTo acts as a process of another user: it sends the server a request and prints the status.
func postTo(url string) int {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(strings.TrimSpace(strings.Split(hello, "\n")[0])))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		var answer *http.Response
		if answer, err = http.DefaultClient.Do(r); err == nil {
			body, _ := io.ReadAll(answer.Body)
			os.Stdout.WriteString(answer.Status + " " + string(body))
			return 0
		}
	}
	os.Stdout.WriteString(err.Error())
	return 1
}

func TestHTTPServerAnswersItsUserOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	w := newWorld(t)
	for transport, path := range map[string]string{"http": "", "sse": "?sessionId=x"} {
		server := w.listen(t, transport)
		for uid, want := range map[uint32]string{0: "", 65534: "403 Forbidden this server answers only the user who started it"} {
			// Other users cannot enter the test binary's folder, so they get an open file of it.
			self, err := os.Open("/proc/self/exe")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("/proc/self/fd/3")
			cmd.ExtraFiles = []*os.File{self}
			cmd.Dir = "/"
			url := strings.Replace(server.URL, "/sse", "/message", 1) + path
			cmd.Env = []string{asOtherUser + "=" + url}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
			out, err := cmd.CombinedOutput()
			self.Close()
			if err != nil {
				t.Fatalf("%s as %d: %v: %s", transport, uid, err, out)
			}
			if got := strings.TrimSpace(string(out)); want != "" && got != want || want == "" && strings.HasPrefix(got, "403") {
				t.Errorf("%s as %d: %s", transport, uid, got)
			}
		}
	}
}
