package integration

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a computer whose power can be cut: HOME with the registry on one disk, the repository on another, so that syncing one does
// not sync the other. Each disk is an ext4 file system in a file. Unsynced writes are not in that file yet, so a copy of it is the
// state after a power cut.
type machine struct {
	t     testing.TB
	dir   string
	disks []*disk
	env   []string
}

type disk struct{ image, at string }

// newMachine needs root and loop devices, and skips where it has not got them.
func newMachine(t testing.TB) *machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a power cut needs root, to mount file systems")
	}
	m := &machine{t: t, dir: t.TempDir()}
	for _, name := range []string{"home", "work"} {
		d := &disk{filepath.Join(m.dir, name+".img"), filepath.Join(m.dir, name)}
		must(t, os.Mkdir(d.at, 0o755))
		must(t, os.WriteFile(d.image, nil, 0o600))
		must(t, os.Truncate(d.image, 64<<20))
		if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-m", "0", d.image).CombinedOutput(); err != nil {
			t.Skipf("a power cut needs mkfs.ext4: %v %s", err, out)
		}
		if err := d.mount(d.image); err != nil {
			t.Skipf("a power cut needs loop devices: %v", err)
		}
		t.Cleanup(func() { _ = d.unmount() })
		m.disks = append(m.disks, d)
	}
	m.env = append(environment(filepath.Join(m.dir, "home", "me")), "APP="+m.app(), "MACHINE="+m.dir)
	must(t, os.MkdirAll(filepath.Join(m.dir, "home", "me"), 0o755))
	must(t, os.MkdirAll(m.app(), 0o755))
	return m
}

func (m *machine) app() string { return filepath.Join(m.dir, "work", "app") }

// mount turns off the file system's own syncing: it commits once an hour, and a rename over a file does not first write the new
// content.
func (d *disk) mount(image string) error {
	out, err := exec.Command("mount", "-o", "loop,commit=3600,noauto_da_alloc", image, d.at).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mount %s: %w: %s", image, err, out)
	}
	return nil
}

func (d *disk) unmount() error {
	out, err := exec.Command("umount", d.at).CombinedOutput()
	if err != nil {
		return fmt.Errorf("umount %s: %w: %s", d.at, err, out)
	}
	return nil
}

// shell runs a script in the repository and returns what it printed.
func (m *machine) shell(script string) (string, error) {
	cmd := exec.CommandContext(m.t.Context(), "sh", "-euc", script)
	cmd.Dir, cmd.Env = m.app(), m.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w\n%s%s", err, out, errs.Bytes())
	}
	return string(out), err
}

func (m *machine) must(script string) string {
	m.t.Helper()
	out, err := m.shell(script)
	if err != nil {
		m.t.Fatalf("%s: %v", script, err)
	}
	return out
}

// sync syncs everything to the disks.
func (m *machine) sync() {
	m.t.Helper()
	for _, d := range m.disks {
		m.must("sync -f " + d.at)
	}
}

// state returns the content of every file and folder on the disks, and of the registry.
func (m *machine) state() map[string]string {
	m.t.Helper()
	found := map[string]string{}
	for _, d := range m.disks {
		must(m.t, filepath.WalkDir(d.at, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(path, m.dir)
			switch {
			case e.IsDir():
				if e.Name() == "cache" || e.Name() == "lost+found" || e.Name() == ".gate" { // a gate's checkout is made anew after a cut
					return fs.SkipDir
				}
				found[name] = "folder"
			case e.Type()&fs.ModeSymlink != 0:
				found[name], err = os.Readlink(path)
			case unkept(e.Name()):
			default:
				var content []byte
				content, err = os.ReadFile(path)
				found[name] = fmt.Sprintf("%d bytes %x", len(content), sha256.Sum256(content))
			}
			return err
		}))
	}
	if _, err := os.Stat(filepath.Join(m.dir, "home", "me", ".agit", "agit.db")); err == nil {
		copied := filepath.Join(m.t.TempDir(), "registry")
		m.must("agit db backup " + copied)
		content, err := os.ReadFile(copied)
		must(m.t, err)
		clear(content[24:100]) // the header's counters, and a number of its own that each copy has
		found["registry"] = fmt.Sprintf("%d bytes %x", len(content), sha256.Sum256(content))
	}
	return found
}

// unkept are files without promised content: locks, the note of synced objects, and the parts of the live registry, which is compared
// as a whole.
func unkept(name string) bool {
	for _, end := range []string{"agit.db", "-wal", "-shm", "agit.db-id", ".lock", "objects-synced"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, "agit-kept-")
}

// cut cuts the power and switches the machine on again.
func (m *machine) cut() (before map[string]string) {
	m.t.Helper()
	for _, d := range m.disks { // done first, because any other access may sync something
		if out, err := exec.Command("cp", "--sparse=always", d.image, d.image+".left").CombinedOutput(); err != nil {
			m.t.Fatalf("copy a disk: %v %s", err, out)
		}
	}
	before = m.state()
	for _, d := range m.disks {
		must(m.t, d.unmount())
		must(m.t, os.Rename(d.image+".left", d.image))
		must(m.t, d.mount(d.image))
	}
	return before
}

// TestPowerCut cuts the power right after each command that reports success, and compares all files and the registry with the state
// before the cut. Of the commands that only write rows, which are alike, most are left to `make power`.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	every := os.Getenv("AGIT_POWER") != "" // `make power`
	for i, c := range powerCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.rows && !every || testing.Short() && i > 2 {
				t.Skip("`make power` has it")
			}
			m := newMachine(t)
			m.must(powerBase)
			if c.prepare != "" {
				m.must(c.prepare)
			}
			m.sync()
			m.must(c.act)
			before := m.cut()
			after := m.state()
			lost := 0
			for name, content := range before {
				if now, there := after[name]; !there {
					t.Errorf("lost: %s (%.40s)", name, content)
					lost++
				} else if now != content {
					t.Errorf("changed: %s: %.20s, now %.20s", name, content, now)
					lost++
				}
			}
			for name := range after {
				if _, there := before[name]; !there && !strings.Contains(name, "/merge-") { // the next merge of registries sweeps it
					t.Errorf("back again: %s", name)
					lost++
				}
			}
			m.must("git fsck --strict --no-dangling 2>&1")
			m.must("agit db check && agit doctor")
			if lost == 0 && c.then != "" {
				m.must(c.then)
			}
		})
	}
}
