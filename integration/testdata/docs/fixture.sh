# What every page of the documentation finds: a repository ~/src/app with some
# code and two commits, registered, and `run`, which runs a command of the page.
out=$HOME/said
run() {
  local at=$1 want=$2 got=0
  echo "$at"
  eval "$3" > "$out" 2>&1 < "${INPUT:-/dev/null}" || got=$?
  [ "$got" -eq "$want" ] && return
  printf '%s exits with %s, not %s:\n%s\n%s\n' "$at" "$got" "$want" "$3" "$(cat "$out")"
  exit 1
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
