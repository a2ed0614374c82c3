package runlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// pollEvery is the polling interval of Follow.
const pollEvery = 100 * time.Millisecond

// Tail writes the last n lines of the log, or all for a negative n. The output is safe for a terminal, whoever wrote the file.
func (f File) Tail(w io.Writer, n int) error {
	_, err := f.tail(w, n)
	return err
}

// Follow writes the last n lines and then new ones, until the run or ctx has ended.
func (f File) Follow(ctx context.Context, w io.Writer, n int) error {
	at, err := f.tail(w, n)
	if err != nil {
		return err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		open := f.Open() // before reading, so that everything written before the close is read
		if at, err = f.more(w, at); err != nil || !open {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// place is the position up to which a log was read.
type place struct {
	part   int
	offset int64
}

func (f File) tail(w io.Writer, n int) (at place, err error) {
	numbers, err := f.parts()
	if err != nil {
		return at, err
	}
	if len(numbers) == 0 {
		return at, fault.NotFound("log", f.Path)
	}
	// Reads parts backwards until there are enough lines.
	var blocks [][]byte
	lines := 0
	for i := len(numbers) - 1; i >= 0 && (n < 0 || lines < n); i-- {
		data, err := os.ReadFile(f.part(numbers[i]))
		if errors.Is(err, fs.ErrNotExist) { // it was removed meanwhile
			continue
		}
		if err != nil {
			return at, fault.Operation(err, "read the log %q", f.Path)
		}
		if i == len(numbers)-1 {
			at = place{numbers[i], int64(len(data))}
		}
		lines += bytes.Count(data, []byte("\n"))
		blocks = append(blocks, data)
		if i > 0 && numbers[i-1] != numbers[i]-1 {
			blocks = append(blocks, []byte(leftOut))
		}
	}
	slices.Reverse(blocks)
	data := bytes.Join(blocks, nil)
	if n >= 0 {
		data = lastOf(data, n)
	}
	return at, show(w, data)
}

const leftOut = "[… the middle of this log was left out]\n"

// lastOf returns the last n lines of data.
func lastOf(data []byte, n int) []byte {
	end := len(bytes.TrimSuffix(data, []byte("\n")))
	for range n {
		end = bytes.LastIndexByte(data[:max(0, end)], '\n')
		if end < 0 {
			return data
		}
	}
	if n == 0 {
		return nil
	}
	return data[end+1:]
}

// more writes the content after at.
func (f File) more(w io.Writer, at place) (place, error) {
	for {
		n, err := f.copyFrom(w, at)
		at.offset += n
		if err != nil {
			return at, err
		}
		numbers, err := f.parts()
		if err != nil {
			return at, err
		}
		i, _ := slices.BinarySearch(numbers, at.part+1)
		if i == len(numbers) {
			return at, nil
		}
		if _, err := f.copyFrom(w, at); err != nil { // the last lines of a part come before the next part
			return at, err
		}
		if numbers[i] != at.part+1 {
			if err := show(w, []byte(leftOut)); err != nil {
				return at, err
			}
		}
		at = place{part: numbers[i]}
	}
}

func (f File) copyFrom(w io.Writer, at place) (int64, error) {
	part, err := os.Open(f.part(at.part))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fault.Operation(err, "read the log %q", f.Path)
	}
	defer part.Close()
	data, err := io.ReadAll(io.NewSectionReader(part, at.offset, 2*partSize))
	if err != nil {
		return 0, fault.Operation(err, "read the log %q", f.Path)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1] // whole lines
	return int64(len(data)), show(w, data)
}

func show(w io.Writer, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	_, err := fmt.Fprint(w, term.EscapeText(string(data)))
	return err
}
