package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
)

// narHash is a folder's hash as Nix writes it: "sha256-" and the hash of the folder in the
// form of a Nix archive (https://nix.dev/manual/nix/latest/protocols/nix-archive/).
func narHash(folder string) (string, error) {
	sum := sha256.New()
	w := nar{to: sum}
	w.text("nix-archive-1")
	w.node(folder)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)), w.err
}

// nar writes an archive; it stops at the first error.
type nar struct {
	to  io.Writer
	err error
}

// node writes a file, a link or a folder with all that is in it, by name.
func (w *nar) node(path string) {
	info, err := os.Lstat(path)
	if w.failed(err) {
		return
	}
	w.text("(", "type")
	switch {
	case info.IsDir():
		w.text("directory")
		entries, err := os.ReadDir(path) // which sorts by bytes, as the form wants
		if w.failed(err) {
			return
		}
		for _, entry := range entries {
			w.text("entry", "(", "name", entry.Name(), "node")
			w.node(filepath.Join(path, entry.Name()))
			w.text(")")
		}
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if w.failed(err) {
			return
		}
		w.text("symlink", "target", target)
	default:
		content, err := os.ReadFile(path)
		if w.failed(err) {
			return
		}
		w.text("regular")
		if info.Mode()&0o100 != 0 {
			w.text("executable", "")
		}
		w.text("contents", string(content))
	}
	w.text(")")
}

// text writes texts, each behind its length and filled up to eight bytes.
func (w *nar) text(all ...string) {
	for _, s := range all {
		if w.err != nil {
			return
		}
		b := binary.LittleEndian.AppendUint64(nil, uint64(len(s)))
		b = append(b, s...)
		_, err := w.to.Write(append(b, make([]byte, (8-len(s)%8)%8)...))
		w.failed(err)
	}
}

func (w *nar) failed(err error) bool {
	if w.err == nil {
		w.err = err
	}
	return w.err != nil
}
