package gitindex

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// ListArgs are the arguments that make git print every entry for ParseList,
// whatever shape the index has.
func ListArgs() []string { return []string{"ls-files", "--stage", "--debug", "-z"} }

// Entry flags as --debug prints them (CE_* in git's read-cache).
const (
	debugAssume = 0x8000
	debugIntent = 1 << 29
	debugSkip   = 1 << 30
)

// ParseList reads what git prints for ListArgs:
//
//	100644 <oid> 0 TAB name NUL
//	  ctime: 1:2 LF  mtime: 3:4 LF  dev: 5 TAB ino: 6 LF
//	  uid: 7 TAB gid: 8 LF  size: 9 TAB flags: a LF
func ParseList(out []byte) (*Index, error) {
	ix := &Index{}
	for len(out) > 0 {
		head, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, errors.New("git ls-files: an entry is cut short")
		}
		var e Entry
		if err := e.readHead(head); err != nil {
			return nil, err
		}
		var debug [5][]byte
		for i := range debug {
			if debug[i], rest, ok = bytes.Cut(rest, []byte{'\n'}); !ok {
				return nil, errors.New("git ls-files: an entry is cut short")
			}
		}
		if err := e.readDebug(debug); err != nil {
			return nil, fmt.Errorf("git ls-files: entry %q: %w", e.Name, err)
		}
		ix.Entries = append(ix.Entries, e)
		out = rest
	}
	return ix, nil
}

func (e *Entry) readHead(head []byte) error {
	meta, name, ok := bytes.Cut(head, []byte{'\t'})
	fields := bytes.Fields(meta)
	if !ok || len(fields) != 3 {
		return fmt.Errorf("git ls-files: %q is not an entry", head)
	}
	mode, modeErr := strconv.ParseUint(string(fields[0]), 8, 32)
	oid, oidErr := hex.DecodeString(string(fields[1]))
	stage, stageErr := strconv.ParseUint(string(fields[2]), 10, 2)
	if err := errors.Join(modeErr, oidErr, stageErr); err != nil {
		return fmt.Errorf("git ls-files: %q is not an entry: %w", head, err)
	}
	e.Mode, e.OID, e.Stage = uint32(mode), oid, uint8(stage)
	e.Name = append(make([]byte, 0, len(name)+1), name...) // room for the NUL that names have behind them
	return nil
}

func (e *Entry) readDebug(lines [5][]byte) error {
	var flags uint32
	for i, want := range [5][]struct {
		key  string
		base int
		to   []*uint32
	}{
		{{"ctime", 10, []*uint32{&e.CtimeSec, &e.CtimeNsec}}},
		{{"mtime", 10, []*uint32{&e.MtimeSec, &e.MtimeNsec}}},
		{{"dev", 10, []*uint32{&e.Dev}}, {"ino", 10, []*uint32{&e.Ino}}},
		{{"uid", 10, []*uint32{&e.UID}}, {"gid", 10, []*uint32{&e.GID}}},
		{{"size", 10, []*uint32{&e.Size}}, {"flags", 16, []*uint32{&flags}}},
	} {
		pairs := bytes.Split(bytes.TrimSpace(lines[i]), []byte{'\t'})
		if len(pairs) != len(want) {
			return fmt.Errorf("%q is not understood", lines[i])
		}
		for j, w := range want {
			value, ok := bytes.CutPrefix(pairs[j], []byte(w.key+": "))
			numbers := bytes.Split(value, []byte{':'})
			if !ok || len(numbers) != len(w.to) {
				return fmt.Errorf("%q is not understood", lines[i])
			}
			for k, number := range numbers {
				n, err := strconv.ParseUint(string(number), w.base, 32)
				if err != nil {
					return err
				}
				*w.to[k] = uint32(n)
			}
		}
	}
	e.AssumeUnchanged, e.SkipWorktree, e.IntentToAdd = flags&debugAssume != 0, flags&debugSkip != 0, flags&debugIntent != 0
	return nil
}
