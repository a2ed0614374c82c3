package git

import "syscall"

// endWithParent asks the kernel to end git when this process is killed, so that no git works on files that another process then mends. The
// kernel watches the thread that started git, so run keeps that thread.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGTERM }
