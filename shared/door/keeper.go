package door

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Name is the socket's name in its folder.
const Name = "door"

// Keeper answers at a door: it runs the programs that are requested through it.
type Keeper struct {
	// Run runs a request with its streams and returns its exit status. ctx ends when the other side closes the connection, or the door is
	// closed.
	Run func(ctx context.Context, q Request, in io.Reader, out, errs io.Writer) (status int)

	folder string
	listen net.Listener
	end    context.CancelFunc
	runs   sync.WaitGroup
}

// Open makes the socket in a new folder, which the user alone can enter, and begins to answer.
func (k *Keeper) Open() error {
	// The path of a socket is at most 103 bytes long on some systems, and TMPDIR can be longer.
	folder, err := os.MkdirTemp("", "agit-door-")
	if err == nil && len(folder) > 80 {
		_ = os.Remove(folder)
		folder, err = os.MkdirTemp("/tmp", "agit-door-")
	}
	if err != nil {
		return err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return err
	}
	k.listen, err = (&net.ListenConfig{}).Listen(context.Background(), "unix", filepath.Join(folder, Name))
	if err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	k.folder = folder
	ctx, end := context.WithCancel(context.Background())
	k.end = end
	k.runs.Go(func() { k.accept(ctx) })
	return nil
}

// Folder returns the folder of the socket.
func (k *Keeper) Folder() string { return k.folder }

// Close ends the running programs, waits for them, and removes the socket.
func (k *Keeper) Close() error {
	k.end()
	err := k.listen.Close()
	k.runs.Wait()
	if failed := os.RemoveAll(k.folder); !errors.Is(failed, fs.ErrNotExist) {
		err = errors.Join(err, failed)
	}
	return err
}

// mostRuns bounds how many programs run at once for one agent.
const mostRuns = 32

func (k *Keeper) accept(ctx context.Context) {
	free := make(chan struct{}, mostRuns)
	for {
		conn, err := k.listen.Accept()
		if err != nil {
			return
		}
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			conn.Close()
			return
		}
		k.runs.Go(func() {
			defer func() { <-free }()
			k.answer(ctx, conn)
		})
	}
}

// answer runs one request.
func (k *Keeper) answer(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	kind, payload, err := readFrame(conn)
	var q Request
	if err != nil || kind != kindRequest || json.Unmarshal(payload, &q) != nil {
		return
	}
	in, feed := io.Pipe()
	defer in.Close()
	go func() {
		err := k.feed(conn, feed)
		feed.CloseWithError(err)
		if err != io.EOF { //nolint:errorlint // it is as feed returns it
			gone() // the other side is gone, too
			return
		}
		_, _ = io.Copy(io.Discard, conn) // until the other side is gone
		gone()
	}()
	w := &frames{to: conn}
	status := k.Run(ctx, q, in, w.stream(kindOutput), w.stream(kindErrors))
	_ = w.write(kindStatus, []byte(strconv.Itoa(status&0xff)))
}

// feed passes the input on. It returns io.EOF at the end of the input, and another error when the other side is gone.
func (k *Keeper) feed(conn io.Reader, to io.Writer) error {
	for {
		kind, payload, err := readFrame(conn)
		switch {
		case err == io.EOF: //nolint:errorlint // it is as readFrame returns it
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case kind != kindInput:
			return errFrame
		case len(payload) == 0:
			return io.EOF
		}
		if _, err := to.Write(payload); err != nil {
			// The program reads no more: the rest of the input is dropped.
			to = io.Discard
		}
	}
}
