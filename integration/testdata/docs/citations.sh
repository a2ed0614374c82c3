mkdir -p .serena/memories
for n in $(seq 1 60); do echo "const a$n = $n;"; done > src/a.ts
printf '# API\n\nThe version is src/a.ts:40. We log in by name.\n' > .serena/memories/api.md
git add . && git commit --quiet -m "Note the version"
memoryd remember "We log in by name" --key login --cite src/login.go:3 --quiet > /dev/null
