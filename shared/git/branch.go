package git

import "strings"

// ValidBranch reports whether git accepts name as a new branch's, by the rules
// of git-check-ref-format(1), --branch.
func ValidBranch(name string) bool {
	if name == "" || name == "@" || name == "HEAD" || name[0] == '-' || len(name) > maxBranch ||
		strings.HasSuffix(name, ".") || strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
}

// maxBranch keeps a branch, its reflog and its lock file within the 255 bytes
// that file systems give one name.
const maxBranch = 240
