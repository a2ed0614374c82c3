agit tasks app --create "Say who wrote the README" --quiet > /dev/null
