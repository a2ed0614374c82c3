package process

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestAlive(t *testing.T) {
	me, now := int64(os.Getpid()), time.Now()
	if Mark() == "" || Mark() != MarkOf(me) || !Alive(me, Mark(), now) {
		t.Errorf("this process has the mark %q, asked by its number %q", Mark(), MarkOf(me))
	}
	if Mark() != Unmarked && Alive(me, Mark()+"0", now) {
		t.Error("another process that had this number is alive")
	}
	if Mark() != Unmarked && !Alive(me, Mark(), now.Add(-2*forgotten)) {
		t.Error("a process with a mark is forgotten")
	}
	if !Running(me) {
		t.Error("this process does not run")
	}
	if Alive(me, Unmarked, now.Add(-2*forgotten)) {
		t.Error("a number without a mark is believed for ever")
	}
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	if Alive(int64(child.Process.Pid), MarkOf(int64(child.Process.Pid)), now) {
		t.Error("one that has ended is alive")
	}
	if Running(int64(child.Process.Pid)) {
		t.Error("one that has ended runs")
	}
}
