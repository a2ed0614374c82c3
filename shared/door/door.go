// Package door is the way out of a sandbox for the suite's own programs. Behind the wall that `agit work` puts around an
// agent there is no registry. A program of the suite that starts there (by the agent, by a hook of its client, or as its
// MCP server) passes its arguments and streams through a Unix socket to the worker, which runs it outside if it may.
// AGIT_DOOR names the socket.
//
// door.go is the side behind the wall, keeper.go the worker's, frame.go the protocol between them. The package makes no
// decisions, and starts no process. A Keeper is safe for concurrent use.
package door

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Variable names the socket.
const Variable = "AGIT_DOOR"

// Request asks for a run of a program.
type Request struct {
	Program string   `json:"program"` // its bare name
	Args    []string `json:"args"`
	Dir     string   `json:"dir"` // where it was started
}

// dialTime is how long the worker has to answer.
const dialTime = 5 * time.Second

// Pass hands a run over to the door. passed is false when there is no door. The status is the program's, or 5 when the worker cannot be
// reached.
func Pass(socket, program string, args []string, in io.Reader, out, errs io.Writer) (status int, passed bool) {
	if socket == "" {
		return 0, false
	}
	status, err := pass(socket, program, args, in, out, errs)
	if err != nil {
		fmt.Fprintf(errs, "%s: the worker outside of the sandbox cannot be reached: %v\n", filepath.Base(program), err)
		return unreachable, true
	}
	return status, true
}

// unreachable is the exit status of fault.KindProvider.
const unreachable = 5

func pass(socket, program string, args []string, in io.Reader, out, errs io.Writer) (int, error) {
	conn, err := net.DialTimeout("unix", socket, dialTime)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	if args == nil {
		args = []string{}
	}
	header, err := json.Marshal(Request{Program: strings.TrimSuffix(filepath.Base(program), ".exe"), Args: args, Dir: dir})
	if err != nil {
		return 0, err
	}
	w := &frames{to: conn}
	if err := w.write(kindRequest, header); err != nil {
		return 0, err
	}
	go func() {
		_, _ = io.Copy(w.stream(kindInput), in)
		_ = w.write(kindInput, nil) // the end of the input
	}()
	for {
		kind, payload, err := readFrame(conn)
		if err != nil {
			return 0, fmt.Errorf("it closed the connection: %w", err)
		}
		switch kind {
		case kindOutput:
			_, err = out.Write(payload)
		case kindErrors:
			_, err = errs.Write(payload)
		case kindStatus:
			return statusOf(payload)
		}
		if err != nil {
			return 0, err
		}
	}
}

// frames writes frames, one at a time.
type frames struct {
	mu sync.Mutex
	to io.Writer
}

func (f *frames) write(kind byte, payload []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return writeFrame(f.to, kind, payload)
}

// stream is a writer that puts its content into frames of one kind.
func (f *frames) stream(kind byte) io.Writer { return stream{f, kind} }

type stream struct {
	f    *frames
	kind byte
}

func (s stream) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		part := p[:min(len(p), mostInFrame)]
		if err := s.f.write(s.kind, part); err != nil {
			return n, err
		}
		n, p = n+len(part), p[len(part):]
	}
	return n, nil
}

var errFrame = errors.New("the message is not a frame of the door")
