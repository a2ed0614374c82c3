package sessions

import (
	"hash/fnv"
	"io"
	"os"
)

const markBytes = 4096

// HashEnds hashes the first and the last bytes of the first length bytes of a file, to tell a file that was replaced from one that grew. It
// returns -1 for a file that cannot be read.
func HashEnds(path string, length int64) int64 {
	h := fnv.New64a()
	if length == 0 {
		return int64(h.Sum64() >> 1)
	}
	in, err := os.Open(path)
	if err != nil {
		return -1
	}
	defer in.Close()
	n := min(length, markBytes)
	if _, err = io.Copy(h, io.NewSectionReader(in, 0, n)); err == nil {
		_, err = io.Copy(h, io.NewSectionReader(in, length-n, n))
	}
	if err != nil {
		return -1
	}
	return int64(h.Sum64() >> 1)
}
