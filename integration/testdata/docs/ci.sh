mkdir -p .serena/memories
printf '# Dates\n\nDates are stored in UTC, see src/time.go:3.\n' > .serena/memories/dates.md
git add . && git commit --quiet -m "Note where dates are made"
