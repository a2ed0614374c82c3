package conflict

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Depth is how deeply two worktrees interfere with each other.
type Depth string

// The depths, each including the one before it.
const (
	DepthFile  Depth = "file"  // both touch the file
	DepthLines Depth = "lines" // both touch the same lines, or lines that touch
	DepthUses  Depth = "uses"  // git merges them, and one uses what the other removed, renamed or changed
	DepthMerge Depth = "merge" // git's three-way merge of the two states conflicts
)

// Depths lists all depths from shallow to deep. A scan down to DepthMerge finds DepthUses too.
func Depths() []Depth { return []Depth{DepthFile, DepthLines, DepthUses, DepthMerge} }

// ParseDepth reads a depth to scan down to, as a person types it. Empty is DepthMerge, and so is "uses": what breaks without a conflict is
// found among what git has merged.
func ParseDepth(s string) (Depth, error) {
	switch d := Depth(strings.ToLower(strings.TrimSpace(s))); d {
	case "", DepthUses:
		return DepthMerge, nil
	case DepthFile, DepthLines, DepthMerge:
		return d, nil
	default:
		return "", fault.Validation("depth", "depth %q is not known", s).WithHint("use file, lines or merge")
	}
}

func (d Depth) rank() int { return slices.Index(Depths(), d) }

// AtLeast reports whether d goes as deep as other.
func (d Depth) AtLeast(other Depth) bool { return d.rank() >= other.rank() }
