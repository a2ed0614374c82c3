package conflict

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/pack"
)

// cache is what is remembered of a repository between scans. Everything in it
// can be worked out again; it is only ever replaced as a whole.
type cache struct {
	Format        int
	SettingsFiles []string
	Worktrees     map[string]*rememberedState // by ref
	Merges        map[string]mergetree.Merge  // by commits and circumstances
	Hunks         map[string]mergetree.Hunks  // by blobs
	Uses          map[string][]foundUse       // by what both sides changed
	Attributes    knownAttributes             // of the default branch
	Key           [sha256.Size]byte           // what Report answers to
	Report        *Report
}

// cacheFormat changes with the types above and with what they mean.
const cacheFormat = 4

func newCache() *cache {
	return &cache{Format: cacheFormat, Worktrees: map[string]*rememberedState{}, Merges: map[string]mergetree.Merge{}, Hunks: map[string]mergetree.Hunks{}, Uses: map[string][]foundUse{}}
}

// cacheFile is the path of the file that remembers a repository's scans; "" when they are not remembered.
func (e *Engine) cacheFile(repo Repo) string {
	if e.cacheDir == "" {
		return ""
	}
	name := repo.UID
	if name == "" {
		name = repo.CommonDir
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(e.cacheDir, hex.EncodeToString(sum[:12])+".scan")
}

// loadCache reads the cache. An unusable cache counts as an empty one.
func loadCache(file string) *cache {
	c := newCache()
	buf, err := os.ReadFile(file)
	if err != nil || pack.Decode(buf, c) != nil || c.Format != cacheFormat {
		return newCache()
	}
	return c
}

// save replaces the file in one step, so that readers and other writers never see half of it. A failure to write only costs time.
func (c *cache) save(file string) {
	if file == "" {
		return
	}
	if os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(file), "scan-*")
	if err != nil {
		return
	}
	_, err = f.Write(pack.Append(nil, c))
	if closeErr := f.Close(); err != nil || closeErr != nil || os.Rename(f.Name(), file) != nil {
		os.Remove(f.Name())
	}
}
