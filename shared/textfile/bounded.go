package textfile

import (
	"io"
	"os"

	"github.com/agit-suite/agit/shared/fault"
)

// ReadAtMost returns the content of a file of at most that many bytes; errors call the file name. A larger file is a Validation fault; no
// more of it is read.
func ReadAtMost(path, name string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, fault.NotFound("file", name)
	}
	if err != nil {
		return nil, fault.Operation(err, "read %q", name)
	}
	return Whole(file, name, most)
}

// Whole is ReadAtMost for an open file, which it closes.
func Whole(file io.ReadCloser, name string, most int64) ([]byte, error) {
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fault.Operation(err, "read %q", name)
	}
	if int64(len(data)) > most {
		return nil, fault.Validation("file", "the file %q is larger than %d MB", name, most>>20).WithHint("give it in parts")
	}
	return data, nil
}
