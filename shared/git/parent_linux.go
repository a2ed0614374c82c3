package git

import "syscall"

// endWithParent asks git to end when this process is killed, so that no one is
// left working on what another process then mends. The kernel watches the
// thread that started git, which run therefore keeps.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGTERM }
