package door

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T, run func(context.Context, Request, io.Reader, io.Writer, io.Writer) int) *Keeper {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sandbox that has a door on Windows")
	}
	k := &Keeper{Run: run}
	if err := k.Open(); err != nil {
		t.Fatal(err)
	}
	return k
}

// Arguments, the whole input, both outputs and the status pass through the door.
func TestPass(t *testing.T) {
	t.Parallel()
	var got Request
	k := open(t, func(_ context.Context, q Request, in io.Reader, out, errs io.Writer) int {
		got = q
		text, _ := io.ReadAll(in)
		_, _ = out.Write(bytes.ToUpper(text))
		_, _ = io.WriteString(errs, "told")
		return 7
	})
	input := strings.Repeat("a line\n", 50_000) // many frames
	var out, errs bytes.Buffer
	status, passed := Pass(filepath.Join(k.Folder(), Name), "/usr/bin/agit", []string{"status", "--json"}, strings.NewReader(input), &out, &errs)
	if status != 7 || !passed || out.String() != strings.ToUpper(input) || errs.String() != "told" {
		t.Errorf("%d, %v, %d bytes, %q", status, passed, out.Len(), &errs)
	}
	here, _ := os.Getwd()
	if got.Program != "agit" || !slices.Equal(got.Args, []string{"status", "--json"}) || got.Dir != here {
		t.Errorf("%+v", got)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(k.Folder()); err == nil {
		t.Error("the folder stays")
	}
	errs.Reset()
	if status, passed := Pass(filepath.Join(k.Folder(), Name), "agit", nil, strings.NewReader(""), &out, &errs); status != 5 || !passed || !strings.Contains(errs.String(), "cannot be reached") {
		t.Errorf("a door that is shut: %d, %v, %q", status, passed, &errs)
	}
	if _, passed := Pass("", "agit", nil, nil, nil, nil); passed {
		t.Error("it passed without a door")
	}
}

// A program that does not read its input still ends, and several programs run at once.
func TestPassUnread(t *testing.T) {
	t.Parallel()
	both := make(chan struct{}, 2)
	k := open(t, func(ctx context.Context, _ Request, _ io.Reader, _, _ io.Writer) int {
		both <- struct{}{}
		for len(both) < 2 && ctx.Err() == nil { // until the other one has started
			runtime.Gosched()
		}
		return 0
	})
	defer k.Close()
	done := make(chan int, 2)
	for range 2 {
		go func() {
			status, _ := Pass(filepath.Join(k.Folder(), Name), "agit", nil, strings.NewReader(strings.Repeat("x", 1<<20)), io.Discard, io.Discard)
			done <- status
		}()
	}
	for range 2 {
		if status := <-done; status != 0 {
			t.Error(status)
		}
	}
}

// The context of a running request ends when the other side closes the connection or the door is closed.
func TestPassGone(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*Keeper, net.Conn){
		"the other side": func(_ *Keeper, c net.Conn) { c.Close() },
		"the door":       func(k *Keeper, _ net.Conn) { _ = k.Close() },
	} {
		begun, ended := make(chan struct{}), make(chan struct{})
		k := open(t, func(ctx context.Context, _ Request, _ io.Reader, _, _ io.Writer) int {
			close(begun)
			<-ctx.Done()
			close(ended)
			return 0
		})
		conn, err := net.Dial("unix", filepath.Join(k.Folder(), Name))
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFrame(conn, kindRequest, []byte(`{"program":"agit"}`)); err != nil {
			t.Fatal(err)
		}
		<-begun
		leave(k, conn)
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatalf("%s is gone, and it runs on", name)
		}
		conn.Close()
		_ = k.Close()
	}
}

// Input that is not a request runs nothing.
func TestNoRequest(t *testing.T) {
	t.Parallel()
	ran := false
	k := open(t, func(context.Context, Request, io.Reader, io.Writer, io.Writer) int { ran = true; return 0 })
	for _, sent := range []string{"", "x", "i\x00\x00\x00\x01x", "q\x00\x00\x00\x01{", "q\xff\xff\xff\xff"} {
		conn, err := net.Dial("unix", filepath.Join(k.Folder(), Name))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, sent)
		_ = conn.(*net.UnixConn).CloseWrite()
		if _, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%q: %v", sent, err)
		}
		conn.Close()
	}
	_ = k.Close()
	if ran {
		t.Error("it ran something")
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("i\x00\x00\x00\x01x"))
	f.Add([]byte("q\xff\xff\xff\xff"))
	f.Add([]byte("x\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for {
			kind, payload, err := readFrame(r)
			if err != nil {
				return
			}
			var again bytes.Buffer
			if err := writeFrame(&again, kind, payload); err != nil || !bytes.Contains(data, again.Bytes()) {
				t.Fatalf("%q becomes %q, %v", data, &again, err)
			}
		}
	})
}
