package unattended

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// alone reserves an agent's name for one worker on this machine: two would take each other's claims for their own, and work in one
// worktree. The lock ends with its process. A second worker is refused rather than numbered, so that a service started twice is noticed.
func (s *Store) alone(agent string) (release func(), err error) {
	folder := filepath.Join(filepath.Dir(s.DB.Path()), "workers")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Operation(err, "make the folder %q", folder)
	}
	sum := sha256.Sum256([]byte(text.Key(agent)))
	lock := flock.New(filepath.Join(folder, hex.EncodeToString(sum[:8])+".lock"), flock.SetPermissions(0o600))
	free, err := lock.TryLock()
	if err != nil {
		lock.Close()
		return nil, fault.Operation(err, "lock the name of agent %q", agent)
	}
	if !free {
		lock.Close()
		return nil, fault.Conflict("agent", agent, "another `agit work` runs as agent %q", agent).
			WithHint("give each worker a name of its own, such as --agent %s-2, or let one run several with --workers", agent)
	}
	return func() { lock.Close() }, nil
}
