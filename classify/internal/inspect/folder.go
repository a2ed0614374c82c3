// Package inspect profiles a folder: it lists its files, reads its manifests and AGENTS.md, and makes a profile for the whole and one for
// each package of a monorepo.
//
// It only reads, only inside the folder, starts no process and stores nothing. A part that cannot be read is a problem in the profile and
// never an error. A Folder belongs to one goroutine.
package inspect

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/classify/internal/agentsmd"
	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/project"
)

// rulesVersion is part of every hash: a new one makes every profile anew.
const rulesVersion = 16

// maxManifests bounds how many manifests are read, the nearest to the root first.
const maxManifests = 2000

// AgentsFile is the file in which a project describes itself to agents.
const AgentsFile = "AGENTS.md"

// Folder is a folder under inspection.
type Folder struct {
	Dir      string           // real path
	Identity project.Identity // of the project it belongs to
	Package  string           // its place in the project, "" for the whole
	// Path is the project's folder for the profile: Dir, but for a linked worktree, which is temporary, the same folder of the main working
	// tree.
	Path string
	// Hash changes when AGENTS.md, a manifest or a README does.
	Hash string
	// AgentsHash is AGENTS.md's, "" without one.
	AgentsHash string
	// IgnoreBlock leaves out the block that classify itself wrote into AGENTS.md.
	IgnoreBlock bool

	tree      *filetree.Tree
	manifests []string // paths
	site      bool     // it is the source of a static site
	beside    []string // folders of manifests among tests, samples and documentation
}

// Open lists a folder's files and finds its manifests. The folder need not be the root of its git repository. Errors are faults about the
// folder.
func Open(ctx context.Context, dir string) (*Folder, error) {
	tree, err := filetree.Walk(ctx, dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: tree.Dir, tree: tree}
	if f.Identity, f.Package, err = place(tree.Dir); err != nil {
		tree.Close()
		return nil, err
	}
	f.Path = lasting(tree.Dir, f.Package)
	f.leaveOutThemes()
	f.findManifests()
	f.hash()
	return f, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.tree.Close() }

// Whole reports whether the folder is the whole project.
func (f *Folder) Whole() bool { return f.Package == "" }

// place returns a folder's project and its path in it. Folders of a worktree have the same paths as in the main one.
func place(dir string) (id project.Identity, pkg string, err error) {
	if id, err = project.Identify(dir); err != nil {
		return id, "", err
	}
	repo, err := git.Find(dir)
	if err != nil || repo.WorkTree == "" {
		return id, "", nil
	}
	rel, err := filepath.Rel(repo.WorkTree, dir)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return id, "", nil
	}
	return id, filepath.ToSlash(rel), nil
}

// lasting returns the same folder in the main working tree, for a folder of a linked worktree, when it exists; otherwise dir itself.
func lasting(dir, pkg string) string {
	repo, err := git.Find(dir)
	if err != nil || !repo.Linked() {
		return dir
	}
	main, err := repo.Main()
	if err != nil || main.Bare || main.WorkTree == "" {
		return dir
	}
	there := filepath.Join(main.WorkTree, filepath.FromSlash(pkg))
	if info, err := os.Stat(there); err != nil || !info.IsDir() {
		return dir
	}
	return there
}

// Place returns where a folder lies, for lookups that need none of its files.
func Place(dir string) (project.Identity, string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir // Identify reports the error
	}
	return place(real)
}

// leaveOutThemes drops the themes of a static site, which are others' code like vendor. It notes a Hugo site, which consists of its
// content, whatever bundles its scripts.
func (f *Folder) leaveOutThemes() {
	hugo, config, content, archetypes := false, false, false, false
	for i := range f.tree.Files {
		switch file := f.tree.Files[i].Path; file {
		case "hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json":
			hugo = true
		case "config.toml", "config.yaml", "config.yml", "config.json", "_config.yml":
			config = true
		default:
			hugo = hugo || strings.HasPrefix(file, "config/_default/")
			archetypes = archetypes || strings.HasPrefix(file, "archetypes/")
			content = content || strings.HasPrefix(file, "content/") || strings.HasPrefix(file, "source/_posts/")
		}
	}
	f.site = content && (hugo || config && archetypes)
	if (hugo || config) && (content || archetypes) {
		f.tree.Files = slices.DeleteFunc(f.tree.Files, func(file filetree.File) bool { return strings.HasPrefix(file.Path, "themes/") })
	}
}

// findManifests keeps the project's own manifests. Those of tests, samples and documentation count only when there are no others.
func (f *Folder) findManifests() {
	var others []string
	sources := false
	for i := range f.tree.Files {
		file := &f.tree.Files[i]
		if _, ok := manifest.KindOf(file.Path); !ok {
			if file.Role == filetree.Source && !sources {
				_, kind := language.OfName(path.Base(file.Path))
				sources = kind == language.Programming
			}
			continue
		}
		if (file.Role == filetree.Test || file.Role == filetree.Sample || file.Role == filetree.Docs) && !oneOfPackages(file.Path) {
			others = append(others, file.Path)
			f.beside = append(f.beside, path.Dir(file.Path))
			continue
		}
		f.manifests = append(f.manifests, file.Path)
	}
	if len(f.manifests) == 0 && !sources {
		f.manifests = others
	}
	slices.SortFunc(f.manifests, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	if len(f.manifests) > maxManifests {
		f.tree.Problems = append(f.tree.Problems, strconv.Itoa(len(f.manifests)-maxManifests)+" manifests are left out")
		f.manifests = f.manifests[:maxManifests]
	}
}

// oneOfPackages reports whether a file is in a folder such as packages/testing, which has the name of a folder of tests but is among
// packages.
func oneOfPackages(file string) bool {
	parts := strings.Split(file, "/")
	return len(parts) == 3 && slices.Contains([]string{"packages", "crates", "libs", "modules", "plugins", "apps", "projects"}, parts[0])
}

// hash covers the files whose change requires a new profile: AGENTS.md, the manifests, and the READMEs beside them.
func (f *Folder) hash() {
	h := sha256.New()
	add := func(path string) (text []byte) {
		text, err := f.tree.ReadFile(path)
		if err != nil {
			text = []byte(err.Error())
		}
		h.Write([]byte(path + "\x00" + strconv.Itoa(len(text)) + "\x00"))
		h.Write(text)
		return text
	}
	h.Write([]byte(strconv.Itoa(rulesVersion) + "\x00"))
	told := map[string]bool{}
	f.addReadme(h, ".", told)
	for _, file := range f.manifests {
		add(file)
		f.addReadme(h, path.Dir(file), told)
	}
	for i := range f.tree.Files {
		file := &f.tree.Files[i]
		switch path.Base(file.Path) {
		case ".gitattributes":
			add(file.Path)
		case AgentsFile:
			text := add(file.Path)
			if target := agentsmd.Pointer(string(text)); target != "" && target != AgentsFile {
				add(path.Join(path.Dir(file.Path), target))
			}
			if file.Path == AgentsFile {
				sum := sha256.Sum256(text)
				f.AgentsHash = hex.EncodeToString(sum[:])
			}
		}
	}
	f.Hash = hex.EncodeToString(h.Sum(nil)[:16])
}

// addReadme adds the read part of a folder's README, once.
func (f *Folder) addReadme(h hash.Hash, dir string, told map[string]bool) {
	if told[dir] {
		return
	}
	told[dir] = true
	for _, name := range readmes {
		if dir != "." {
			name = dir + "/" + name
		}
		if !f.tree.Has(name) && name != hiddenReadme {
			continue
		}
		if text, err := f.tree.Head(name, readmeRead); err == nil {
			h.Write([]byte(name + "\x00" + strconv.Itoa(len(text)) + "\x00"))
			h.Write(text)
		}
	}
}

// Rehash updates the hashes after AGENTS.md was written.
func (f *Folder) Rehash(all []profile.Profile) {
	f.tree.Note(AgentsFile)
	f.hash()
	for i := range all {
		all[i].InputHash = f.Hash
	}
	all[0].AgentsmdHash = f.AgentsHash
}
