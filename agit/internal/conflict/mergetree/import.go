package mergetree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// Commit is a state to make a commit of.
type Commit struct {
	Parents []string // Files change the first one's tree, or an empty tree when there is none
	Files   []File   // each path once
}

// File is a path of a Commit that differs from the first parent.
type File struct {
	Path string
	To   scan.Blob // Mode 0: the file is gone
	Disk string    // path of its bytes; empty when the object is in a store already
	// Opaque is set when only equality of the content matters, not the content: then large files need not be copied.
	Opaque bool
}

const (
	// largeFile is the size in bytes from which an opaque file is not copied.
	largeFile = 1 << 20
	// hugeFile is the size in bytes from which git itself does not look into a file (core.bigFileThreshold), so that it never needs a copy.
	hugeFile = 512 << 20
)

// Import makes commits of the states in one run of git, always with the same names for the same states. moved holds the files whose content
// no longer matched the state: it maps each expected object to the actual one ("" when the file is gone).
func (s *ObjectStore) Import(ctx context.Context, commits []Commit) (oids []string, moved map[string]string, err error) {
	im := &importer{marks: map[string]int{}, moved: map[string]string{}}
	marksFile := filepath.Join(s.dir, "marks")
	err = s.fastImport(ctx, func(w *bufio.Writer) error {
		if err := im.blobs(w, commits); err != nil {
			return err
		}
		im.firstCommit = im.last + 1
		for _, c := range commits {
			im.last++
			if err := im.commit(w, c, im.last); err != nil {
				return err
			}
		}
		return nil
	}, "--export-marks="+marksFile)
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(marksFile)
	if err != nil {
		return nil, nil, fault.Operation(err, "read what git fast-import made")
	}
	made, err := parseMarks(text)
	if err != nil {
		return nil, nil, fault.Operation(err, "read what git fast-import made")
	}
	for expected, mark := range im.marks {
		if mark > 0 && made[mark] != expected && !im.standIn[mark] {
			im.moved[expected] = made[mark]
		}
	}
	for i := range commits {
		oid := made[im.firstCommit+i]
		if oid == "" {
			return nil, nil, fault.Operation(nil, "git fast-import did not make a commit")
		}
		oids = append(oids, oid)
	}
	return oids, im.moved, nil
}

// fastImport runs git fast-import with the output of write as input.
func (s *ObjectStore) fastImport(ctx context.Context, write func(*bufio.Writer) error, args ...string) error {
	reader, writer := io.Pipe()
	wrote := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(writer, 64<<10)
		err := write(w)
		if err == nil {
			_, err = w.WriteString("done\n")
		}
		err = errors.Join(err, w.Flush())
		writer.CloseWithError(err)
		wrote <- err
	}()
	o := s.own(git.Options{Stdin: reader, Config: []string{
		"fastimport.unpackLimit=0",                                    // one pack, not a file for every object
		"core.fsync=none", "pack.compression=0", "core.compression=0", // it is thrown away in a moment
		"core.bigFileThreshold=16m", // larger files stream to disk instead of standing in memory
	}})
	_, err := s.repo.Output(ctx, o, append([]string{"fast-import", "--quiet", "--done", "--force", "--date-format=raw"}, args...)...)
	reader.Close() // git may have ended before everything was written
	if writeErr := <-wrote; err != nil || writeErr != nil {
		if err == nil || writeErr != nil && !errors.Is(writeErr, io.ErrClosedPipe) {
			err = writeErr
		}
		return git.Fault(err, "make commits of the worktrees' states")
	}
	return nil
}

type importer struct {
	last        int            // mark given last
	firstCommit int            // mark of the first commit
	marks       map[string]int // by expected object; 0: the file is gone
	standIn     map[int]bool   // marks of blobs that stand in for a large file
	moved       map[string]string
}

// blobs writes the content of every changed file once.
func (im *importer) blobs(w *bufio.Writer, commits []Commit) error {
	im.standIn = map[int]bool{}
	for _, c := range commits {
		for _, f := range c.Files {
			if f.Disk == "" || f.To.Mode == 0 {
				continue
			}
			if _, done := im.marks[f.To.OID]; done {
				continue
			}
			if err := im.blob(w, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (im *importer) blob(w *bufio.Writer, f File) error {
	if f.To.Mode == gitindex.ModeSymlink {
		if target, err := os.Readlink(f.Disk); err == nil {
			return im.data(w, f, int64(len(target)), strings.NewReader(filepath.ToSlash(target)))
		}
	}
	file, err := os.Open(f.Disk)
	if err != nil {
		im.marks[f.To.OID], im.moved[f.To.OID] = 0, ""
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		im.marks[f.To.OID], im.moved[f.To.OID] = 0, ""
		return nil
	}
	if size := info.Size(); size > hugeFile || f.Opaque && size > largeFile {
		text := "content " + f.To.OID + "\n"
		im.standIn[im.last+1] = true
		return im.data(w, f, int64(len(text)), strings.NewReader(text))
	}
	return im.data(w, f, info.Size(), file)
}

// data writes a blob of exactly size bytes. When a file shrinks meanwhile, it is padded with zeros and reported as moved.
func (im *importer) data(w *bufio.Writer, f File, size int64, from io.Reader) error {
	im.last++
	im.marks[f.To.OID] = im.last
	fmt.Fprintf(w, "blob\nmark :%d\ndata %d\n", im.last, size)
	n, err := io.CopyN(w, from, size)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n < size {
		if _, err := io.CopyN(w, zeros{}, size-n); err != nil {
			return err
		}
	}
	return w.WriteByte('\n')
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// commit writes a state. Its name depends on nothing but the state.
func (im *importer) commit(w *bufio.Writer, c Commit, mark int) error {
	fmt.Fprintf(w, "commit refs/states/%d\nmark :%d\ncommitter agit <> 0 +0000\ndata 0\n", mark, mark)
	for i, parent := range c.Parents {
		verb := "merge"
		if i == 0 {
			verb = "from"
		}
		fmt.Fprintf(w, "%s %s\n", verb, parent)
	}
	for _, f := range c.Files { // deletions first, to make room for the new files
		if f.To.Mode == 0 || im.gone(f) {
			fmt.Fprintf(w, "D %s\n", git.Quote(f.Path))
		}
	}
	for _, f := range c.Files {
		if f.To.Mode == 0 || im.gone(f) {
			continue
		}
		ref := f.To.OID
		if f.Disk != "" {
			ref = ":" + strconv.Itoa(im.marks[f.To.OID])
		}
		fmt.Fprintf(w, "M %06o %s %s\n", f.To.Mode, ref, git.Quote(f.Path))
	}
	return w.WriteByte('\n')
}

func (im *importer) gone(f File) bool {
	mark, known := im.marks[f.To.OID]
	return f.Disk != "" && known && mark == 0
}

// parseMarks reads the file of --export-marks: ":12 OID" a line.
func parseMarks(text []byte) (map[int]string, error) {
	made := map[int]string{}
	for line := range bytes.Lines(text) {
		mark, oid, ok := strings.Cut(strings.TrimSpace(string(line)), " ")
		n, err := strconv.Atoi(strings.TrimPrefix(mark, ":"))
		if !ok || err != nil || !git.IsOID(oid) {
			return nil, fmt.Errorf("git fast-import: %q is not a mark", line)
		}
		made[n] = oid
	}
	return made, nil
}
