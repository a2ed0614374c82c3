package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// attributeNames are the attributes under which git may store other content than is on disk.
var attributeNames = []string{"text", "crlf", "eol", "filter", "ident", "working-tree-encoding"}

// converted returns the files in read that git would store with other bytes than are on disk: because of line ends, filters (LFS is one) or
// encodings. It starts git only when the attributes in force could matter to one of them.
func (w *Tree) converted(ctx context.Context, ix *gitindex.Index, extra []string, read map[string]content) (map[string]bool, error) {
	anyFile, more := w.attributes(ix, extra)
	if !anyFile && !w.settings.AutoCRLF {
		return nil, nil
	}
	var ask []string
	for path, c := range read {
		if c.stat.Mode != gitindex.ModeSymlink && (more || c.cr) {
			ask = append(ask, path)
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	slices.Sort(ask)
	args := append([]string{"check-attr", "-z", "--stdin"}, attributeNames...)
	out, err := w.Repo.Output(ctx, git.Options{Stdin: strings.NewReader(strings.Join(ask, "\x00") + "\x00"), Config: quiet}, args...)
	if err != nil {
		return nil, git.Fault(err, "read the attributes of %q", w.Repo.WorkTree)
	}
	values, err := parseAttributes(out)
	if err != nil {
		return nil, err
	}
	through := map[string]bool{}
	for _, path := range ask {
		if w.settings.converts(values[path], read[path].cr) {
			through[path] = true
		}
	}
	return through, nil
}

// quiet keeps git from starting its own helpers and from splitting the index.
var quiet = []string{"core.fsmonitor=false", "core.splitIndex=false", "core.untrackedCache=keep"}

// attributes reports whether any attribute file is in force, and whether one could set more than line ends. An unreadable file could set
// anything.
func (w *Tree) attributes(ix *gitindex.Index, extra []string) (anyFile, more bool) {
	if w.settings.attributesUnknown {
		return true, true
	}
	look := func(file string, must bool) {
		text, err := os.ReadFile(file)
		if err != nil {
			if must || !errors.Is(err, os.ErrNotExist) {
				anyFile, more = true, true
			}
			return
		}
		anyFile = true
		more = more || mentionsConversion(text)
	}
	for i := range ix.Entries {
		if e := &ix.Entries[i]; isAttributes(e.Name) {
			look(filepath.Join(w.Repo.WorkTree, filepath.FromSlash(string(e.Name))), true)
		}
	}
	for _, path := range extra {
		if isAttributes([]byte(path)) {
			look(filepath.Join(w.Repo.WorkTree, filepath.FromSlash(path)), false)
		}
	}
	for _, file := range w.settings.attributeFiles {
		if file != "" {
			look(file, false)
		}
	}
	return anyFile, more
}

// mentionsConversion reports whether attributes could set more than line ends.
func mentionsConversion(text []byte) bool {
	return slices.ContainsFunc([]string{"filter", "ident", "working-tree-encoding"}, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

// parseAttributes reads `git check-attr -z`: path NUL attribute NUL value NUL.
func parseAttributes(out []byte) (map[string]map[string]string, error) {
	values := map[string]map[string]string{}
	fields := strings.Split(string(out), "\x00")
	if len(fields)%3 != 1 || fields[len(fields)-1] != "" {
		return nil, errors.New("git check-attr: the answer is cut short")
	}
	for i := 0; i+2 < len(fields); i += 3 {
		path := fields[i]
		if values[path] == nil {
			values[path] = map[string]string{}
		}
		values[path][fields[i+1]] = fields[i+2]
	}
	return values, nil
}

// converts reports whether content under these attributes may be stored differently. It may report true too often: git decides.
func (s *Settings) converts(values map[string]string, cr bool) bool {
	given := func(name string) bool {
		return values[name] != "unspecified" && values[name] != "unset" && values[name] != ""
	}
	if name := values["filter"]; given("filter") && s.filters[name] {
		return true
	}
	if given("ident") || given("working-tree-encoding") {
		return true
	}
	return cr && values["text"] != "unset" && (s.AutoCRLF || given("text") || given("eol") || given("crlf"))
}

// Blob is a file as git stores it.
type Blob struct {
	Mode uint32 // 0: not there
	OID  string
}

// Clean has git store files, with every filter applied as `git add` would, and returns the resulting blobs. The objects go to the object
// store at objects, which borrows from the repository's; the index used is a private copy beside it. The repository is not written to.
func (w *Tree) Clean(ctx context.Context, objects string, paths []string) (map[string]Blob, error) {
	if err := w.load(ctx); err != nil {
		return nil, err
	}
	private, err := w.copyIndex(filepath.Dir(objects))
	if err != nil {
		return nil, fmt.Errorf("copy the index of %q: %w", w.Repo.WorkTree, err)
	}
	defer os.Remove(private)
	o := git.Options{
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"),
		Env:   []string{"GIT_INDEX_FILE=" + private, "GIT_OBJECT_DIRECTORY=" + objects},
		Config: append([]string{
			// The hook post-index-change is not meant for a private index.
			"core.hooksPath=" + filepath.Join(filepath.Dir(objects), "none"),
			// LFS keeps a copy of each file it cleans; this must not go into the user's repository.
			"lfs.storage=" + filepath.Join(filepath.Dir(objects), "lfs"),
			"core.fsync=none", "core.safecrlf=false",
		}, quiet...),
	}
	if _, err := w.Repo.Output(ctx, o, "update-index", "--add", "--remove", "-z", "--stdin"); err != nil {
		return nil, git.Fault(err, "apply the filters of %q", w.Repo.WorkTree)
	}
	buf, err := os.ReadFile(private)
	if err != nil {
		return nil, err
	}
	ix, err := gitindex.Parse(buf, w.settings.Hash.Len())
	if err != nil {
		return nil, err
	}
	blobs := map[string]Blob{}
	for _, path := range paths {
		if e, ok := ix.Find(path); ok && e.Stage == 0 {
			blobs[path] = entryBlob(&e)
		}
	}
	return blobs, nil
}

// copyIndex copies the index into dir and keeps its times: git compares them with the files' times to decide which entries to trust.
func (w *Tree) copyIndex(dir string) (string, error) {
	f, err := os.CreateTemp(dir, "index-*")
	if err != nil {
		return "", err
	}
	defer f.Close()
	source := filepath.Join(w.Repo.GitDir, "index")
	info, statErr := os.Stat(source)
	buf, err := os.ReadFile(source)
	if errors.Is(err, os.ErrNotExist) {
		return f.Name(), os.Remove(f.Name()) // an empty file is not an index
	}
	if err := errors.Join(err, statErr); err != nil {
		return "", err
	}
	if _, err := f.Write(buf); err != nil {
		return "", err
	}
	return f.Name(), os.Chtimes(f.Name(), info.ModTime(), info.ModTime())
}
