package scan

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/shared/git/gitindex"
)

// Hash is the repository's hash function for object names.
type Hash int

// The kinds git has.
const (
	SHA1   Hash = sha1.Size
	SHA256 Hash = sha256.Size
)

// HashOf returns the hash function that made an object name.
func HashOf(oid string) Hash {
	if len(oid) == 2*SHA256.Len() {
		return SHA256
	}
	return SHA1
}

// Len is the length of a raw object name in bytes.
func (h Hash) Len() int { return int(h) }

// New returns a hash to compute object names with.
func (h Hash) New() hash.Hash {
	if h == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// content is the result of reading a file once.
type content struct {
	oid  string // of its bytes as they are
	cr   bool   // it has a carriage return: line-end conversion would matter
	stat Stat
}

var errMoving = errors.New("it changes while it is read")

// readContent computes the blob name of a file's bytes, without any filter.
func readContent(path string, kind Hash) (content, error) {
	for range 5 {
		c, err := readOnce(path, kind)
		if !errors.Is(err, errMoving) {
			return c, err
		}
	}
	return content{}, fmt.Errorf("read %q: %w", path, errMoving)
}

func readOnce(path string, kind Hash) (content, error) {
	st := statPath(path)
	sum := kind.New()
	switch st.Mode {
	case gitindex.ModeSymlink:
		target, err := os.Readlink(path)
		if err != nil {
			return content{}, err
		}
		target = filepath.ToSlash(target)
		fmt.Fprintf(sum, "blob %d\x00%s", len(target), target)
		return content{oid: hex.EncodeToString(sum.Sum(nil)), stat: st}, nil
	case gitindex.ModeFile, gitindex.ModeExec:
	default:
		return content{}, os.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	fmt.Fprintf(sum, "blob %d\x00", st.Size)
	look := &crFinder{}
	n, err := io.Copy(io.MultiWriter(sum, look), io.LimitReader(f, st.Size+1))
	if err != nil {
		return content{}, err
	}
	if n != st.Size || statPath(path) != st {
		return content{}, errMoving
	}
	return content{oid: hex.EncodeToString(sum.Sum(nil)), cr: look.found, stat: st}, nil
}

// crFinder is a writer that notes whether its input contains a carriage return.
type crFinder struct{ found bool }

func (c *crFinder) Write(p []byte) (int, error) {
	c.found = c.found || bytes.IndexByte(p, '\r') >= 0
	return len(p), nil
}
