package repo

import "testing"

// A repository is called as its project is, also where its git directory has a folder of its own.
func TestNameOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/src/app": "app", "/src/app.git": "app", "/src/shop/.git": "shop", "/src/blog/.bare": "blog"} {
		if got := NameOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := FolderOf("/src/blog/.bare"); got != "/src/blog" {
		t.Errorf("%q", got)
	}
}
