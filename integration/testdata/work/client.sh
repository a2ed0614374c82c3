#!/bin/sh
# An agent's client that plays the role which its first argument names, or else the
# first word of its task's name ("good: add a page"). It reads its brief from standard
# input. AGIT_PLAYED, where it is set, is a folder in which it counts its runs by task.
brief=$(cat)
role=$1
if [ -z "$role" ]; then
	role=$(printf '%s\n' "$brief" | sed -n '/^## Task /{n;p;q;}' | sed 's/^> //; s/:.*//')
fi
run=1
if [ -n "$AGIT_PLAYED" ]; then
	echo x >>"$AGIT_PLAYED/$AGIT_TASK"
	run=$(($(wc -l <"$AGIT_PLAYED/$AGIT_TASK")))
fi
handed=no
case $brief in *'conflicts with what landed'* | *'could not land'*) handed=yes ;; esac
echo "$role, run $run, handed back: $handed, agent $AGIT_AGENT"

commit() { # FILE TEXT
	printf '%s\n' "$2" >"$1" && git add -- "$1" || return
	git diff --cached --quiet || git commit -q -m "Write $1 for $AGIT_TASK"
}

case $role in
good) commit "$AGIT_TASK.txt" "good" ;;
crash)
	echo 'panic: it broke' >&2
	exit 3
	;;
kills) # its worker, once that has reported that it works
	until agit agents --json | grep -q '"state":"working","since":"[^"]*","source":"work"'; do :; done
	kill -9 $PPID
	;;
nothing) echo 'I had nothing to do.' ;;
deletes) # its own worktree, after a commit in its first run
	if [ "$run" = 1 ]; then
		commit "$AGIT_TASK-1.txt" lost
		d=$PWD && cd / && exec rm -rf "$d"
	fi
	commit "$AGIT_TASK.txt" good
	;;
forgets) # deletes it by git, with all that git knew of it
	if [ "$run" = 1 ]; then
		exec git -C "$(git rev-parse --git-common-dir)" worktree remove --force "$PWD"
	fi
	commit "$AGIT_TASK.txt" good
	;;
ungit)
	if [ "$run" = 1 ]; then
		rm .git
	fi
	commit "$AGIT_TASK.txt" good
	;;
unrelated) # begins its branch anew
	branch=$(git symbolic-ref --short HEAD)
	git checkout -q --orphan other
	commit "$AGIT_TASK.txt" good
	git branch -M other "$branch"
	;;
dirt) echo dirt >"$AGIT_TASK.txt" ;;
dirtier)
	commit "$AGIT_TASK.txt" one
	echo two >"$AGIT_TASK-left.txt"
	;;
secret)
	printf 'the key is ghp_aB3dE5fG7haB3dE5'
	sleep 0.2
	printf 'fG7haB3dE5fG7haB3dE5 and MY_KEY is %s\n' "$MY_KEY"
	commit "$AGIT_TASK.txt" done
	;;
asks)
	printf 'Go on? [y/n] '
	if read -r answer </dev/tty; then exit 4; fi
	if read -r answer; then exit 5; fi
	commit "$AGIT_TASK.txt" "no answer"
	;;
environment)
	env | sort
	commit "$AGIT_TASK.txt" done
	;;
silent) exec sleep 600 ;;
forever) while :; do
	echo spending
	sleep 0.05
done ;;
stubborn)
	trap '' TERM INT HUP
	touch "$AGIT_PLAYED/up"
	while :; do sleep 0.05; done
	;;
server) # leaves a program behind, in a session of its own
	setsid sh -c 'echo $$ >"$AGIT_PLAYED/server.tmp"; mv "$AGIT_PLAYED/server.tmp" "$AGIT_PLAYED/server"; exec sleep 600' </dev/null >/dev/null 2>&1 &
	while [ ! -e "$AGIT_PLAYED/server" ]; do sleep 0.02; done
	commit "$AGIT_TASK.txt" done
	;;
later) [ "$run" -gt 1 ] && commit "$AGIT_TASK.txt" "at last" ;;
twice) # is cut off in its first run, in the middle of git
	if [ "$run" = 1 ]; then
		commit "$AGIT_TASK.txt" half
		touch "$(git rev-parse --git-dir)/index.lock" "$(git rev-parse --git-dir)/HEAD.lock"
		touch "$(git rev-parse --git-common-dir)/$(git symbolic-ref HEAD).lock"
		touch "$AGIT_PLAYED/up"
		exec sleep 600
	fi
	commit "$AGIT_TASK-2.txt" whole
	;;
detach)
	git checkout -q --detach
	commit "$AGIT_TASK.txt" lost
	;;
shared) # everyone writes the same line
	if [ "$handed" = yes ]; then
		git merge -q main
		printf '%s\n' "$brief" | grep -q '^- shared.txt$' || exit 6
		git show main:shared.txt >shared.txt && echo "$AGIT_TASK" >>shared.txt
		git add shared.txt && git commit -q -m "Merge what landed"
	else
		commit shared.txt "$(cat shared.txt 2>/dev/null; echo "$AGIT_TASK")"
	fi
	;;
clash) # does not resolve it
	[ "$handed" = yes ] || commit shared.txt "$AGIT_TASK"
	;;
red)
	if [ "$handed" = yes ]; then
		git rm -q -f red.txt && git commit -q -m "Mend"
	else
		commit red.txt red
	fi
	;;
redder) if [ "$handed" = yes ]; then commit more.txt more; else commit red.txt red; fi ;;
outside)
	echo oops >"$AGIT_OUTSIDE/oops.txt"
	commit "$AGIT_TASK.txt" done
	;;
switch)
	commit "$AGIT_TASK.txt" done
	git -C "$AGIT_OUTSIDE" switch -q -c elsewhere
	;;
gives) agit finish --release 'the database is down' >/dev/null ;;
itself)
	commit "$AGIT_TASK.txt" done
	agit finish --summary 'I finished it.' >/dev/null
	;;
*) exit 9 ;;
esac
