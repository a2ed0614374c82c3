//go:build !linux || !(amd64 || arm64)

package scan

// statEntry is stat for a name of the index.
func (f folder) statEntry(name []byte) Stat { return f.stat(name) }
