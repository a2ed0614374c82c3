package memoryfile

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// MaxSize bounds a memory, in bytes. The largest of a thousand real ones has 60 kB.
const MaxSize = 4 << 20

// Read returns the content of a memory below root. Only a regular file inside root
// is read, also when name is, or passes, a symbolic link.
func Read(root *os.Root, name string) ([]byte, error) {
	src, _, err := read(root, name)
	return src, err
}

func read(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, nil, readFault(err, name)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, readFault(err, name)
	case !info.Mode().IsRegular():
		return nil, nil, fault.Validation("memory", "%q is not a regular file", name).About("memory", name)
	case info.Size() > MaxSize:
		return nil, nil, tooLarge(name)
	}
	src := make([]byte, info.Size()+1)           // one byte more, to detect a file over the limit
	n, err := io.ReadAtLeast(f, src, len(src)-1) // one read usually returns all of it
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), err == nil && n < len(src):
		return src[:n], info, nil
	case err != nil:
		return nil, nil, readFault(err, name)
	}
	rest, err := io.ReadAll(io.LimitReader(f, MaxSize)) // it grew meanwhile
	if err != nil {
		return nil, nil, readFault(err, name)
	}
	return append(src, rest...), info, nil
}

// A Reader reads files below Root, one after the other. It keeps the folder of the last one open, since most are in the same folder as the
// one before. A symbolic link is followed inside that folder only. Close it after use.
type Reader struct {
	Root   *os.Root
	dir    string
	folder *os.Root
}

// Read returns the content of a file, as the function Read does.
func (r *Reader) Read(name string) ([]byte, error) {
	dir, base := path.Split(name)
	if r.folder == nil || dir != r.dir {
		r.Close()
		folder, err := r.Root.OpenRoot(filepath.FromSlash(path.Clean(dir)))
		if err != nil {
			return nil, readFault(err, name)
		}
		r.dir, r.folder = dir, folder
	}
	return Read(r.folder, base)
}

// Close releases the folder.
func (r *Reader) Close() {
	if r.folder != nil {
		r.folder.Close()
		r.folder = nil
	}
}

func tooLarge(name string) error {
	return fault.Validation("memory", "%q is larger than %d MB", name, MaxSize>>20).About("memory", name)
}

func readFault(err error, name string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.NotFound("memory", name)
	}
	return fault.Operation(fault.Cause(err), "read the memory %q", name).About("memory", name)
}

// lockFile locks a memory against other writers. Each writer replaces the file, so a writer that waited for the old file must wait again
// for the new one.
func lockFile(ctx context.Context, root *os.Root, local string) (*flock.Flock, error) {
	for {
		lock := flock.New(filepath.Join(root.Name(), local), flock.SetFlag(os.O_RDONLY))
		if got, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil || !got {
			lock.Close()
			return nil, errors.Join(err, ctx.Err())
		}
		held, err := lock.Stat()
		if err == nil {
			var now fs.FileInfo
			if now, err = root.Lstat(local); err == nil && os.SameFile(held, now) {
				return lock, nil
			}
		}
		if lock.Close(); err != nil {
			return nil, err
		}
	}
}

// Update rewrites a memory below root in one step: edit gets its content and returns the new one. Concurrent calls wait for each other. A
// file that another program changes meanwhile is left alone, with a Conflict fault. Mode and owner are kept. A symbolic link is refused,
// since it would be replaced by a file.
func Update(ctx context.Context, root *os.Root, name string, edit func(src []byte) ([]byte, error)) (changed bool, err error) {
	local := filepath.FromSlash(name)
	info, err := root.Lstat(local)
	switch {
	case err != nil:
		return false, readFault(err, name)
	case info.Mode()&fs.ModeSymlink != 0:
		return false, fault.Validation("memory", "%q is a symbolic link, which is not written through", name).
			WithHint("name the file it leads to").About("memory", name)
	}
	lock, err := lockFile(ctx, root, local)
	if err != nil {
		return false, fault.Operation(err, "lock the memory %q", name).About("memory", name)
	}
	defer lock.Close()

	src, info, err := read(root, name)
	if err != nil {
		return false, err
	}
	text, err := edit(src)
	if err != nil || bytes.Equal(text, src) {
		return false, err
	}
	if len(text) > MaxSize { // it could not be read again
		return false, tooLarge(name)
	}
	return true, replace(root, local, name, info, src, text)
}

// replace writes a temporary file beside the memory and renames it over it,
// unless the memory is no longer what it was.
func replace(root *os.Root, local, name string, info fs.FileInfo, before, after []byte) (err error) {
	folder, base := filepath.Split(local)
	sweep(root, folder, base)
	temp := folder + tempName(base)
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fault.Operation(err, "write beside the memory %q", name).About("memory", name)
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp) // the first error is the one to return
		}
	}()
	_, err = f.Write(after)
	if err == nil {
		keepOwner(f, info)
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fault.Operation(err, "write beside the memory %q", name).About("memory", name)
	}
	now, current, err := read(root, name)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) || !os.SameFile(current, info) {
		return fault.Conflict("memory", name, "the memory %q was changed by another program meanwhile; it was left alone", name).Retry()
	}
	if err = root.Rename(temp, local); err != nil {
		return fault.Operation(err, "replace the memory %q", name).About("memory", name)
	}
	if err := durable.SyncFolderIn(root, path.Clean(filepath.ToSlash(folder))); err != nil {
		return fault.Operation(err, "make the new memory %q last", name).About("memory", name)
	}
	return nil
}

const tempMark = ".citecheck-"

func tempName(base string) string { return "." + base + tempMark + rand.Text()[:10] }

// sweep removes the temporary file of a killed writer beside the memory. The lock is held, so no other writer uses it now.
func sweep(root *os.Root, folder, base string) {
	entries, err := fs.ReadDir(root.FS(), path.Clean(filepath.ToSlash(folder)))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+base+tempMark) {
			_ = root.Remove(folder + e.Name())
		}
	}
}
