package registry

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/fault"
)

// SQLite takes any log that stands beside a file for that file's own: nothing in
// the one names the other. So every registry has a number of its own in its
// header, a copy gets another one, and each transaction writes the header anew:
// the first page of every log then says whose it is. The counter beside it grows
// with the file, and tells an older copy of the same registry.

// header is what the first page holds about a registry.
type header struct {
	id      uint32 // SQLite's application_id; 0 for a registry made before there was one
	counter uint32 // SQLite's change counter
}

const (
	headerBytes  = 100
	idOffset     = 68
	counterBytes = 24 // where the counter stands

	logHeaderBytes   = 32
	frameHeaderBytes = 24
	logMagic         = 0x377f0682 // the lowest bit says in which order the log's sums are
)

func headerOf(page []byte) header {
	return header{id: binary.BigEndian.Uint32(page[idOffset:]), counter: binary.BigEndian.Uint32(page[counterBytes:])}
}

// newFileID is a number for the header of a new file; never 0.
func newFileID() uint32 { return rand.Uint32()>>1 | 1 } // SQLite reads it as signed

// heldFiles are the registries that this process reads headers of. They stay open
// while a DB uses them: to close any handle of a file gives up the locks that
// SQLite has on it, in the whole process (fcntl, POSIX.1-2024).
var heldFiles = struct {
	sync.Mutex
	byPath map[string]*heldFile
}{byPath: map[string]*heldFile{}}

type heldFile struct {
	users   int
	handles []*os.File // of the files that have stood at the path, the newest last
}

// hold keeps the file at path open once its header is read, until release.
func hold(path string) {
	heldFiles.Lock()
	defer heldFiles.Unlock()
	if heldFiles.byPath[path] == nil {
		heldFiles.byPath[path] = &heldFile{}
	}
	heldFiles.byPath[path].users++
}

func release(path string) {
	heldFiles.Lock()
	defer heldFiles.Unlock()
	held := heldFiles.byPath[path]
	if held.users--; held.users > 0 {
		return
	}
	for _, f := range held.handles {
		f.Close()
	}
	delete(heldFiles.byPath, path)
}

// readHeader returns the header of the file at path, which the caller holds; ok is false when no header can be read.
func readHeader(path string) (h header, ok bool) {
	f, err := handle(path)
	if err != nil {
		return h, false
	}
	page := make([]byte, headerBytes)
	if _, err := f.ReadAt(page, 0); err != nil || !strings.HasPrefix(string(page), "SQLite format 3\x00") {
		return h, false
	}
	return headerOf(page), true
}

// handle returns an open handle of the file that stands at path now.
func handle(path string) (*os.File, error) {
	heldFiles.Lock()
	defer heldFiles.Unlock()
	now, err := os.Stat(path)
	if err != nil || !now.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	held := heldFiles.byPath[path]
	if n := len(held.handles); n > 0 {
		if open, err := held.handles[n-1].Stat(); err == nil && os.SameFile(open, now) {
			return held.handles[n-1], nil
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	held.handles = append(held.handles, f)
	return f, nil
}

// logHeader returns the header in the first page of a registry's log; ok is false when that page holds none.
func logHeader(path string) (h header, ok bool) {
	start := make([]byte, logHeaderBytes+frameHeaderBytes+headerBytes)
	if readStart(path+"-wal", start) != nil || binary.BigEndian.Uint32(start)&^1 != logMagic {
		return h, false
	}
	frame := start[logHeaderBytes:]
	salts := string(start[16:24])
	if binary.BigEndian.Uint32(frame) != 1 || string(frame[8:16]) != salts {
		return h, false // another page comes first, or the frame is one of an earlier round
	}
	return headerOf(frame[frameHeaderBytes:]), true
}

// readStart reads the first bytes of a log, on which SQLite has no locks.
func readStart(path string, into []byte) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.ReadFull(f, into)
	return err
}

// checkLog refuses a registry whose log is that of another one, or that lost the
// file its log belongs to: SQLite would apply the one to the other.
func checkLog(path string) error {
	ofLog, ok := logHeader(path) // before the file, which only grows
	if !ok {
		return nil
	}
	ofFile, ok := readHeader(path)
	switch {
	case !ok:
		return nil // what the file is instead, opening it says
	case ofFile.id != 0 && ofLog.id != 0 && ofFile.id != ofLog.id:
		return foreignLog(path, "another registry")
	case int32(ofFile.counter-ofLog.counter+1) < 0:
		return foreignLog(path, "a later state of the registry")
	}
	return nil
}

func foreignLog(path, of string) error {
	return fault.Database(damage{}, "the log %q belongs to %s than the file %q: the file was replaced and the old log was left; nothing was changed", path+"-wal", of, path).
		WithHint("put the right file back, or take a backup with `agit db restore FILE`, which keeps all of these files")
}

// checkPresence refuses a registry that was one and is empty, which SQLite would
// take for a new one; of one that is gone it tells.
func checkPresence(path string, notice func(string)) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Size() >= smallestFile:
		return nil
	case err == nil && info.Size() > 0:
		return lost(path, fmt.Sprintf("has only %d bytes", info.Size()), "no registry is that small")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil // opening it says why
	}
	what := "is gone"
	if err == nil {
		what = "is empty (0 bytes)"
	}
	if fileSize(path+"-wal") > logHeaderBytes {
		return lost(path, what, "its log is still there")
	}
	if _, unmarked := os.Stat(path + marker); unmarked != nil {
		return nil
	}
	if err == nil {
		return lost(path, what, "it held something before")
	}
	notice(fmt.Sprintf("the registry %q is gone; a new one was made. `agit doctor` lists the copies that are there, `agit db restore FILE` puts one back", path))
	return nil
}

func lost(path, what, evidence string) error {
	return fault.Database(damage{}, "the registry %q %s, and %s; nothing was changed", path, what, evidence).
		WithHint("`agit doctor` lists the copies that are there, `agit db restore FILE` puts one back")
}

// smallestFile is the least size of a page, in bytes: SQLite takes what is shorter
// for a new file.
const smallestFile = 512

// marker names the file beside a registry which records that the registry exists.
const marker = "-id"

// mark leaves the marker, with the registry's uid.
func (db *sqliteEngine) mark(ctx context.Context) error {
	uid, err := db.registryUID(ctx)
	if err != nil {
		return err
	}
	// Without it a loss is described less well, which is not a reason to refuse to work.
	_ = os.WriteFile(db.path+marker, []byte(uid+"\n"), 0o600)
	return nil
}

// registryUID is the identity that the registry was made with.
func (db *sqliteEngine) registryUID(ctx context.Context) (uid string, err error) {
	err = db.reads.QueryRowContext(db.lasting(ctx), `SELECT value FROM registry_meta WHERE key = 'registry_uid'`).Scan(&uid)
	return uid, db.failure(err)
}

// stampFile returns a copy that no program has open a number of its own.
func stampFile(path string) error { return stampFileAs(path, newFileID()) }

func stampFileAs(path string, id uint32) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(binary.BigEndian.AppendUint32(nil, id), idOffset); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
