package verify

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/git"
)

// commitTree is the tree of a commit.
type commitTree struct {
	repo    *git.Repo
	objects *git.Objects
	oid     string
}

func (c *commitTree) read(ctx context.Context, p string) (content, error) {
	if p == "." {
		return content{is: folder}, nil
	}
	object, err := c.objects.Read(ctx, c.oid+":"+p, maxFile)
	if err != nil {
		return content{}, err
	}
	switch object.Found {
	case git.LeavesTree:
		return content{is: escaping, why: "a symbolic link on the way leaves the repository"}, nil
	case git.Missing, git.BrokenLink:
		return c.submodule(ctx, p)
	}
	return blob(object), nil
}

// submodule checks whether a missing path lies below a submodule.
func (c *commitTree) submodule(ctx context.Context, p string) (content, error) {
	list, err := c.list(ctx)
	if err != nil {
		return content{}, err
	}
	if list.belowSubmodule(p) {
		return content{is: unreadable, why: submodule}, nil
	}
	return content{is: absent}, nil
}

func (c *commitTree) list(ctx context.Context) (*listing, error) {
	out, err := c.repo.Output(ctx, git.Options{}, "ls-tree", "-r", "-z", "--full-tree", c.oid)
	if err != nil {
		return nil, git.Fault(err, "list the files of %s", short(c.oid))
	}
	files, err := git.ParseTreeList(out)
	if err != nil {
		return nil, err
	}
	return newListing(files), nil
}

func (c *commitTree) files(ctx context.Context) ([]string, error) {
	list, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	return list.names(), nil
}

// blob reads the content of an object at a path.
func blob(o git.Object) content {
	switch {
	case o.Type == "tree":
		return content{is: folder}
	case o.Type != "blob":
		return content{is: unreadable, why: submodule}
	case o.Data == nil:
		return content{is: unreadable, why: fmt.Sprintf("is larger than %d MB", maxFile>>20)}
	}
	return content{data: o.Data}
}

// indexTree is the staged files.
type indexTree struct {
	*listing
	objects *git.Objects
}

// newIndexTree reads the index of repo.
func newIndexTree(ctx context.Context, repo *git.Repo, objects *git.Objects) (*indexTree, error) {
	out, err := repo.Output(ctx, git.Options{Dir: repo.Dir()}, git.ListIndexArgs()...)
	if err != nil {
		return nil, git.Fault(err, "list the index")
	}
	files, err := git.ParseIndexList(out)
	if err != nil {
		return nil, err
	}
	return &indexTree{listing: newListing(files), objects: objects}, nil
}

func (x *indexTree) read(ctx context.Context, p string) (content, error) {
	file, c := x.resolve(ctx, x.objects, p)
	if file == nil {
		return c, nil
	}
	object, err := x.objects.Read(ctx, file.OID, maxFile)
	if err != nil {
		return content{}, err
	}
	if object.Found != git.Found {
		return content{is: unreadable, why: "is not in this partial clone"}, nil
	}
	return blob(object), nil
}

func (x *indexTree) files(context.Context) ([]string, error) { return x.names(), nil }

// skipped returns a file that a sparse checkout leaves out; other files are absent.
func (x *indexTree) skipped(ctx context.Context, p string) (content, error) {
	if x.belowSubmodule(p) {
		return content{is: unreadable, why: submodule}, nil
	}
	if file, ok := x.byPath[p]; ok && file.Skipped {
		return x.read(ctx, p)
	}
	return content{is: absent}, nil
}

// listing is the files of an index or a tree.
type listing struct {
	list    []git.ListedFile
	byPath  map[string]*git.ListedFile
	once    sync.Once
	folders map[string]bool
}

func newListing(files []git.ListedFile) *listing {
	l := &listing{list: files, byPath: make(map[string]*git.ListedFile, len(files))}
	for i := range files {
		// In a conflict, people most likely cite our side.
		if _, seen := l.byPath[files[i].Path]; !seen || files[i].Stage == 2 {
			l.byPath[files[i].Path] = &files[i]
		}
	}
	return l
}

func (l *listing) names() []string {
	var names []string
	for _, file := range l.list {
		if file.Mode != git.ModeSubmodule && (len(names) == 0 || names[len(names)-1] != file.Path) {
			names = append(names, file.Path)
		}
	}
	return names
}

func (l *listing) belowSubmodule(p string) bool {
	for ; p != "." && p != "/"; p = path.Dir(p) {
		if file, ok := l.byPath[p]; ok {
			return file.Mode == git.ModeSubmodule
		}
	}
	return false
}

func (l *listing) isFolder(p string) bool {
	l.once.Do(func() {
		l.folders = map[string]bool{".": true}
		for _, file := range l.list {
			for dir := path.Dir(file.Path); !l.folders[dir]; dir = path.Dir(dir) {
				l.folders[dir] = true
			}
		}
	})
	return l.folders[p]
}

// maxLinks is how many symbolic links are followed, as kernels do.
const maxLinks = 40

// resolve follows symbolic links to the file at p.
func (l *listing) resolve(ctx context.Context, objects *git.Objects, p string) (*git.ListedFile, content) {
	leaves := content{is: escaping, why: "a symbolic link on the way leaves the repository"}
	for range maxLinks {
		link, rest := l.firstLink(p)
		if link == nil {
			switch file, ok := l.byPath[p]; {
			case ok && file.Mode != git.ModeSubmodule:
				return file, content{}
			case l.belowSubmodule(p):
				return nil, content{is: unreadable, why: submodule}
			case l.isFolder(p):
				return nil, content{is: folder}
			}
			return nil, content{is: absent}
		}
		object, err := objects.Read(ctx, link.OID, 1<<16)
		if err != nil || object.Data == nil {
			return nil, content{is: absent}
		}
		target, _, ok := clean(path.Dir(link.Path), string(object.Data))
		if !ok {
			return nil, leaves
		}
		p = path.Join(target, rest)
	}
	return nil, content{is: absent}
}

// firstLink returns the first symbolic link on the way to p, p itself included, and the rest of the path behind it.
func (l *listing) firstLink(p string) (*git.ListedFile, string) {
	for at := 0; at <= len(p); at++ {
		if at < len(p) && p[at] != '/' {
			continue
		}
		if file, ok := l.byPath[p[:at]]; ok && file.Mode == git.ModeLink {
			return file, strings.TrimPrefix(p[at:], "/")
		}
	}
	return nil, ""
}

func short(oid string) string { return oid[:min(len(oid), 10)] }
