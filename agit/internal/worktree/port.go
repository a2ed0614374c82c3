package worktree

import (
	"hash/fnv"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/registry"
)

// portEnd is the first port that Linux uses for outgoing connections. Only ranges that the user lets begin there are behind it.
const portEnd = 32768

// PickPort returns the first port of a range of ports that no other worktree of this host has: the range its ref hashes to, else the next
// free one; 0 when all are taken. The row keeps it, so it stays for the worktree's life.
func PickPort(tx *registry.Tx, ref string, set Settings) (int, error) {
	if set.slots() <= 0 {
		return 0, nil
	}
	taken, err := Ports(tx)
	return FreePort(taken, ref, set), err
}

// Ports returns the first ports of the worktrees of this host.
func Ports(tx *registry.Tx) (map[int]bool, error) {
	used, err := registry.Collect(tx, registry.One[int],
		`SELECT port FROM worktrees WHERE host = ? AND port IS NOT NULL AND `+repo.LiveWorktree, registry.Host())
	taken := map[int]bool{}
	for _, port := range used {
		taken[port] = true
	}
	return taken, err
}

// slots returns how many ranges of ports there are.
func (set Settings) slots() int {
	if set.PortBase <= 0 || set.PortCount <= 0 {
		return 0
	}
	end := portEnd
	if set.PortBase+set.PortCount > end {
		end = 1 << 16
	}
	return (end - set.PortBase) / set.PortCount
}

// FreePort is PickPort beside ports that were read.
func FreePort(taken map[int]bool, ref string, set Settings) int {
	slots := set.slots()
	if slots <= 0 {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(ref))
	first := int(h.Sum32() % uint32(slots))
	for i := range slots {
		if port := set.PortBase + (first+i)%slots*set.PortCount; !taken[port] {
			return port
		}
	}
	return 0
}

// RenewPort replaces the port of a restored worktree when its own was taken since.
func RenewPort(tx *registry.Tx, w Worktree, set Settings) error {
	n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM worktrees WHERE host = ? AND port = ? AND id <> ? AND `+repo.LiveWorktree,
		registry.Host(), w.Port, w.ID))
	if err != nil || n == 0 || w.Port == 0 {
		return err
	}
	port, err := PickPort(tx, w.Ref, set)
	if err != nil {
		return err
	}
	return tx.Do(`UPDATE worktrees SET port = ? WHERE id = ?`, registry.NullIfZero(port), w.ID)
}
