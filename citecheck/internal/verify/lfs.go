package verify

import "bytes"

// lfsPointer reports whether a file is a pointer to one in Git LFS, as in a checkout without git-lfs (its "Specification", docs/spec.md:
// under 1024 bytes, the version first, then keys in order).
func lfsPointer(data []byte) bool {
	return len(data) < 1024 && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")) &&
		bytes.Contains(data, []byte("\noid ")) && bytes.Contains(data, []byte("\nsize "))
}
