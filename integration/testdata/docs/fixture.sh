# What every page of the documentation finds: a repository ~/src/app with some
# code and two commits, registered, and `run`, which runs a command of the page.
out=$HOME/said
run() {
  local at=$1 want=$2 got=0
  echo "$at"
  if [ "$want" = Ctrl-C ]; then goes_on "$3"; return; fi
  eval "$3" > "$out" 2>&1 < "${INPUT:-/dev/null}" || got=$?
  [ "$got" -eq "$want" ] && return
  printf '%s exits with %s, not %s:\n%s\n%s\n' "$at" "$got" "$want" "$3" "$(cat "$out")"
  exit 1
}
# goes_on COMMAND: runs one that goes on until its user ends it, which is as soon as it has printed something.
goes_on() {
  local pid got=0
  : > "$out"
  set -m # a group of its own, which Ctrl-C is for
  (eval "$1") > "$out" 2>&1 < /dev/null &
  pid=$!
  set +m
  until [ -s "$out" ]; do
    kill -0 "$pid" 2> /dev/null || { printf 'it ended by itself, and said nothing:\n%s\n' "$1"; exit 1; }
    sleep 0.05
  done
  kill -INT -- "-$pid" 2> /dev/null || { printf 'it ended by itself:\n%s\n%s\n' "$1" "$(cat "$out")"; exit 1; }
  wait "$pid" || got=$?
  case $got in 0 | 130) ;; *) printf 'ended by Ctrl-C it exits with %s:\n%s\n%s\n' "$got" "$1" "$(cat "$out")"; exit 1 ;; esac
}
# tracker NAME: a fake tracker that pmsync is pointed at, until the page ends.
tracker() {
  exec 9> >(faketracker "$1" > "$HOME/tracker")
  until grep -q FAKETRACKER_URL "$HOME/tracker" 2> /dev/null; do sleep 0.05; done
  . "$HOME/tracker"
  unset AGIT_CFG_PROVIDER_NAME AGIT_CFG_PROVIDER_TEAM_ID
}
mkdir -p ~/src/app/src && cd ~/src/app || exit 1
printf '# App\n\nIt does things, and says how.\nIt keeps dates.\n' > README.md
{ printf 'package app\n\n// Dates are stored in UTC.\n'; for n in $(seq 1 30); do printf 'const value%d = %d\n' "$n" "$n"; done; } > src/time.go
{ printf 'package app\n\nfunc Login(name string) bool {\n\treturn name != ""\n}\n\n'; for n in $(seq 1 30); do printf '// step %d of the login\n' "$n"; done; } > src/login.go
printf 'module example.com/app\n\ngo 1.26\n' > go.mod
git init --quiet && git add . && git commit --quiet -m "Begin" && printf 'One more line.\n' >> README.md && git commit --quiet -am "Say more"
agit add . --quiet > /dev/null || exit 1
export FILE=src/login.go NO_COLOR=1
