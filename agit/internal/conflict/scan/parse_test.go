package scan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseConfigList(t *testing.T) {
	out := "file:.git/config\x00core.filemode\nfalse\x00file:/home/ada/.gitconfig\x00core.bare\x00command line:\x00a.b\nx\ny\x00"
	entries, files := parseConfigList([]byte(out), "/repo")
	wantEntries := []configEntry{{"core.filemode", "false"}, {"core.bare", "true"}, {"a.b", "x\ny"}}
	if diff := cmp.Diff(wantEntries, entries, cmp.AllowUnexported(configEntry{})); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/repo/.git/config", "/home/ada/.gitconfig"}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func FuzzParseConfigList(f *testing.F) {
	f.Add([]byte("file:.git/config\x00core.filemode\nfalse\x00"))
	f.Fuzz(func(t *testing.T, out []byte) { parseConfigList(out, "/repo") })
}

func FuzzParseAttributes(f *testing.F) {
	f.Add([]byte("a\x00text\x00auto\x00"))
	f.Fuzz(func(t *testing.T, out []byte) { parseAttributes(out) })
}
