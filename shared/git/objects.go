package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Objects reads objects by name from one git process that is started with the
// first of them. It is safe for concurrent use; reads wait for each other.
type Objects struct {
	repo *Repo
	ctx  context.Context // ends the process; the context of Read only ends waiting for a turn
	stop context.CancelFunc

	mu   sync.Mutex
	in   *os.File
	out  *bufio.Reader
	done chan error
	err  error
}

// Object is the object that a name stands for.
type Object struct {
	Found ObjectState
	OID   string // of a found object
	Type  string // blob, tree, commit or tag
	Size  int64
	// Data is the content, nil when it is larger than the limit. For LeavesTree it is the target of the symbolic link.
	Data []byte
}

// ObjectState is the outcome of looking up an object.
type ObjectState int

// The outcomes.
const (
	Missing    ObjectState = iota // no such object, or the name is ambiguous
	Found                         //
	LeavesTree                    // a symbolic link on the way points out of the tree
	BrokenLink                    // a symbolic link points nowhere or in a circle, or a folder is a file
)

// Objects prepares to read objects of r. Close it.
func (r *Repo) Objects(ctx context.Context) *Objects {
	ctx, stop := context.WithCancel(ctx)
	return &Objects{repo: r, ctx: ctx, stop: stop}
}

// Read returns the object that name stands for: an object name, REV^{commit}, REV:path (symbolic links inside the tree are followed) or any
// other name that git accepts. An object above limit bytes comes without Data.
func (o *Objects) Read(ctx context.Context, name string, limit int64) (Object, error) {
	if name == "" || strings.ContainsAny(name, "\n\x00") {
		return Object{}, nil // git reads one name a line, so a path with a line feed cannot be looked up
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Object{}, err
	}
	if o.err == nil {
		o.err = o.ctx.Err()
	}
	if o.err == nil && o.in == nil {
		o.err = o.start()
	}
	if o.err != nil {
		return Object{}, o.err
	}
	if _, err := io.WriteString(o.in, name+"\n"); err != nil {
		return Object{}, o.failed(err)
	}
	object, err := readObject(o.out, name, limit)
	if err != nil {
		return Object{}, o.failed(err)
	}
	return object, nil
}

func (o *Objects) start() error {
	stdin, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		stdin.Close()
		in.Close()
		return err
	}
	o.in, o.out, o.done = in, bufio.NewReaderSize(out, 64<<10), make(chan error, 1)
	go func() {
		_, err := o.repo.Output(o.ctx, Options{Stdin: stdin, Stdout: stdout, Env: []string{"GIT_NO_LAZY_FETCH=1"}},
			"cat-file", "--batch", "--follow-symlinks")
		stdout.Close() // only now does the reader see the end
		stdin.Close()
		o.done <- err
	}()
	return nil
}

// failed returns git's own error for a broken connection if it has one, else err.
func (o *Objects) failed(err error) error {
	o.in.Close()
	if gitErr := <-o.done; gitErr != nil {
		err = gitErr
	}
	o.done <- nil
	o.err = err
	return err
}

// Close ends the process.
func (o *Objects) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.in != nil {
		o.in.Close()
		<-o.done
		o.in = nil
	}
	o.stop()
	if o.err == nil {
		o.err = errors.New("git objects: closed")
	}
	return nil
}

// readObject reads one answer of `cat-file --batch --follow-symlinks`.
func readObject(r *bufio.Reader, name string, limit int64) (object Object, err error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return object, fmt.Errorf("git cat-file: cut short: %w", err)
	}
	head = strings.TrimSuffix(head, "\n")
	switch rest, _ := strings.CutPrefix(head, name); rest {
	case " missing", " ambiguous":
		return object, nil
	}
	kind, count, _ := strings.Cut(head, " ")
	switch kind {
	case "symlink":
		object.Found = LeavesTree
	case "dangling", "loop", "notdir":
		object.Found = BrokenLink
	default:
		object.Found, object.OID = Found, kind
		object.Type, count, _ = strings.Cut(count, " ")
	}
	if object.Size, err = strconv.ParseInt(count, 10, 63); err != nil || object.Found == Found && !IsOID(object.OID) {
		return object, fmt.Errorf("git cat-file: unexpected %.80q", head)
	}
	if object.Size > limit {
		_, err = io.CopyN(io.Discard, r, object.Size+1)
		return object, err
	}
	object.Data = make([]byte, object.Size)
	if _, err = io.ReadFull(r, object.Data); err == nil {
		_, err = r.Discard(1)
	}
	return object, err
}
